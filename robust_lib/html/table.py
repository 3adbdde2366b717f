"""A data frame as a table that sorts and filters in the page, and is plain without a script."""

from collections.abc import Mapping
from numbers import Integral, Real

import pandas as pd

from robust_lib.html.markup import Html, lines, text

_MANY = 12  # rows from which a filter box helps more than it clutters


def table(
    frame: pd.DataFrame,
    *,
    caption: str,
    decimals: int | Mapping[str, int] = 1,
    filterable: bool | None = None,
    name: str | None = None,
) -> Html:
    """Return a table in a container of its own, which scrolls so that the page need not.

    Numbers are right-aligned with fixed decimals, and sort by their full value; the first column
    is the row's heading. Cells that are `Html` are shown as markup, all others as text.

    Args:
        frame: one row a row, in the order to show; the index is not shown.
        caption: what the table shows, its unit included.
        decimals: digits after the point, for all columns or by column name (others: 1).
        filterable: a box to filter rows; by default from twelve rows on.
        name: the region's name for screen readers; the caption by default.
    """
    heads = "".join(
        f'<th scope="col"{_align(frame[column])}>{text(column)}</th>' for column in frame.columns
    )
    places = [_places(column, decimals) for column in frame.columns]
    rows = [
        "<tr>"
        + "".join(
            _cell(value, place, head=position == 0)
            for position, (value, place) in enumerate(zip(row, places, strict=True))
        )
        + "</tr>"
        for row in frame.itertuples(index=False, name=None)
    ]
    wanted = len(frame) >= _MANY if filterable is None else filterable
    return lines(
        f'<div class="rb-scroll" role="region" tabindex="0" aria-label="{text(name or caption)}">',
        f'<table class="rb-table" data-sortable{" data-filterable" if wanted else ""}>',
        f"<caption>{text(caption)}</caption>",
        f"<thead><tr>{heads}</tr></thead>",
        "<tbody>",
        *rows,
        "</tbody></table></div>",
    )


def _places(column: object, decimals: int | Mapping[str, int]) -> int:
    return decimals if isinstance(decimals, int) else decimals.get(str(column), 1)


def _align(column: pd.Series) -> str:
    known = column.dropna()
    return ' class="rb-num"' if len(known) and all(map(_is_number, known)) else ""


def _cell(value: object, places: int, *, head: bool) -> str:
    tag, scope = ("th", ' scope="row"') if head else ("td", "")
    if value is None or value is pd.NA or value != value:
        return f'<{tag}{scope} class="rb-num" data-sort="">–</{tag}>'
    if _is_number(value):
        shown = f"{value:,}" if isinstance(value, Integral) else f"{value:,.{places}f}"
        number = float(value)  # type: ignore[arg-type]
        return (
            f'<{tag}{scope} class="rb-num" data-sort="{number!r}">{shown.replace("-", "−")}</{tag}>'
        )
    return f"<{tag}{scope}>{text(value)}</{tag}>"


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
