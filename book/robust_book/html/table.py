"""A data frame as a table that sorts, folds and filters in the page; without scripts it is plain.

Columns may belong to a family, as in the papers: a column is named `Family|Name`, or by the tuple
of both if the name is the user's. Adjacent columns of one family share a heading.
"""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from itertools import groupby
from numbers import Integral, Real

import pandas as pd

from robust_book.html.markup import Html, apart, lines, text
from robust_lib.errors import InputError
from robust_lib.results.notation import Cell, ends, written
from robust_lib.results.reported import parse_number

_SORTABLE = 6  # rows from which sorting helps more than its arrows clutter
_FILTERABLE = 20  # likewise a box to filter
_LONG = 15  # rows from which a table is folded to its first ten
NONE = "\N{EN DASH}"
"""In cells of numbers that there are not."""
_PRINTED = re.compile("[+\N{MINUS SIGN}-]?[0-9][0-9,]*([.][0-9]+)?")
_BEHIND = re.compile(r"( %| points?)?( \[[^\]]*\])?$")  # a number: its unit and its interval
_CELL, _TAG = re.compile(r"<t[dh].*?(?=<t[dh]|$)"), re.compile(r"<[^>]*>")
_WIDE = 8  # columns from which a table may use the right margin, and
_ROOM = 690  # pixels of a page's text, beyond which one of fewer columns may
_LETTER, _APART, _ARROW = 6.6, 18, 2  # pixels of a letter, and between columns; letters of an arrow


def table(
    frame: pd.DataFrame,
    *,
    caption: str,
    decimals: int | Mapping[str, int] = 1,
    filterable: bool | None = None,
    name: str | None = None,
    lowest: bool = False,
) -> Html:
    """Return a table in a container of its own, which scrolls instead of the page.

    Numbers are right-aligned with fixed decimals, and sort by their full value. The same holds for
    columns of numeric text, such as printed numbers, which keep their digits. The first column is
    the row's heading. Cells that are `Html` are shown as markup, those that are a `notation.Cell`
    as a number with its interval, all others as text.

    Args:
        frame: rows in order; the index is not shown.
        caption: content of the table, its unit included.
        decimals: number of digits after the point, for all columns or by column name (others: 1).
        filterable: whether there is a box to filter rows; by default from twenty rows on.
        name: name of the region for screen readers; the caption by default.
        lowest: whether the lowest number of each column is bold, since lower is better in all.
    """
    columns = [_split(column) for column in frame.columns]
    places = [_places(family, column, decimals) for family, column in columns]
    wanted = len(frame) >= _FILTERABLE if filterable is None else filterable
    marks = {
        "data-sortable": len(frame) >= _SORTABLE,
        "data-filterable": wanted,
        "data-long": len(frame) >= _LONG,
    }
    numeric = [_is_numeric(frame.iloc[:, i]) for i in range(len(columns))]
    keys = zip(*(_keys(frame.iloc[:, i]) for i in range(len(columns))), strict=True)
    best = [_lowest(frame.iloc[:, i]) if lowest else None for i in range(len(columns))]
    rows = [
        _row(row, places, numeric, by, best)
        for row, by in zip(frame.itertuples(index=False, name=None), keys, strict=True)
    ]
    is_wide = len(columns) >= _WIDE or _least(columns, rows, marks["data-sortable"]) > _ROOM
    wide = " full-width rb-wide" if is_wide else ""
    return lines(
        f'<div class="rb-scroll{wide}" role="region" tabindex="0" '
        f'aria-label="{text(name or caption)}">',
        f'<table class="rb-table"{"".join(f" {mark}" for mark, on in marks.items() if on)}>',
        f"<caption>{text(caption)}{'; the lowest of each column is bold' * lowest}</caption>",
        f"<thead>{_heads(columns, numeric)}</thead>",
        "<tbody>",
        *rows,
        "</tbody></table></div>",
    )


def _least(columns: Sequence[tuple[str, str]], rows: Sequence[str], has_arrows: bool) -> float:
    """Return the minimum width of a table, pixels, at which no column breaks inside a word.

    >>> round(_least([("", "Mean"), ("", "n")], ['<th>Fog</th><td class="rb-num">1 [0, 2]'], False))
    97
    """
    arrow = _ARROW * has_arrows
    letters = [max(map(len, re.split(r"[\s-]", name))) + arrow for _, name in columns]
    for row in rows:
        for place, cell in enumerate(_CELL.findall(row)):
            whole = unescape(_TAG.sub("", cell))
            words = [whole] if "rb-num" in cell else re.split(r"[\s-]", whole)
            letters[place] = max(letters[place], *map(len, words))
    return _LETTER * sum(letters) + _APART * (len(columns) - 1)


def _split(column: object) -> tuple[str, str]:
    """Return a column's family, empty for none, and its name, which may contain a bar itself.

    >>> _split("This run|a|b"), _split(("", "a|b")), _split("mCE")
    (('This run', 'a|b'), ('', 'a|b'), ('', 'mCE'))
    """
    if isinstance(column, tuple):
        return str(column[0]), str(column[1])
    family, bar, name = str(column).partition("|")
    return (family, name) if bar else ("", family)


def _places(family: str, column: str, decimals: int | Mapping[str, int]) -> int:
    if isinstance(decimals, int):
        return decimals
    return decimals.get(column, decimals.get(f"{family}|{column}", 1))


def _heads(columns: Sequence[tuple[str, str]], numeric: Sequence[bool]) -> str:
    """Return one row of headings, or two if some columns belong to a family."""
    if not any(family for family, _ in columns):
        return f"<tr>{''.join(map(_head, (name for _, name in columns), numeric))}</tr>"
    above: list[str] = []
    below: list[str] = []
    place = 0
    for family, members in groupby(columns, key=lambda column: column[0]):
        names = [name for _, name in members]
        kinds = numeric[place : place + len(names)]
        place += len(names)
        if family:
            above.append(f'<th scope="colgroup" colspan="{len(names)}">{text(family)}</th>')
            below += map(_head, names, kinds)
        else:
            above += (_head(*one, ' rowspan="2"') for one in zip(names, kinds, strict=True))
    return f'<tr class="rb-families">{"".join(above)}</tr><tr>{"".join(below)}</tr>'


def _head(name: str, is_numeric: bool, span: str = "") -> str:
    kind = ' class="rb-num"' if is_numeric else ""
    return f'<th scope="col"{span}{kind}>{text(name)}</th>'


def _keys(column: pd.Series) -> list[str | None]:
    """Return sort keys of texts if most of the column's are numbers; otherwise None for each.

    >>> _keys(pd.Series(["1,000", "−2 %", "5.0 [4.0, 6.0]", "in words"]))
    ['1000.0', '-2.0', '5.0', '']
    >>> _keys(pd.Series(["fog", "5 epochs"]))
    [None, None]
    """
    found = [_number_in(value) if isinstance(value, str) else None for value in column]
    told = sum(isinstance(value, str) and value != NONE for value in column)
    if 2 * sum(one is not None for one in found) <= told:
        return [None] * len(found)
    return ["" if one is None else repr(one) for one in found]


def _number_in(shown: str) -> float | None:
    """Return the number in a text, with or without its unit and interval."""
    plain = _BEHIND.sub("", shown).replace("−", "-").removeprefix("+")
    try:
        return parse_number(plain)[0]
    except InputError:
        return None


def _row(
    row: Sequence[object],
    places: Sequence[int],
    numeric: Sequence[bool],
    keys: Sequence[str | None],
    best: Sequence[float | None],
) -> str:
    first, *others = zip(row, places, numeric, keys, best, strict=True)
    return (
        f"<tr>{_cell(*first, head=True)}{''.join(_cell(*one, head=False) for one in others)}</tr>"
    )


def _lowest(column: pd.Series) -> float | None:
    """Return the lowest number of a column; None if it has none."""
    lowest = pd.to_numeric(column, errors="coerce").min()
    return None if pd.isna(lowest) else float(lowest)


def _cell(
    value: object, places: int, numeric: bool, key: str | None, best: float | None, *, head: bool
) -> str:
    tag, scope = ("th", ' scope="row"') if head else ("td", "")
    if isinstance(value, Cell):
        interval = ends(value.low, value.high, places)
        shown = f'{written(value.value, places)}<span class="rb-ends">{interval}</span>'
        return f'<{tag}{scope} class="rb-num" data-sort="{float(value.value)!r}">{shown}</{tag}>'
    if value is None or value is pd.NA or value != value:
        return f'<{tag}{scope} class="rb-num" data-sort="">–</{tag}>'
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        shown = written(number, 0 if isinstance(value, Integral) else places)
        kind = "rb-num rb-best" if number == best else "rb-num"
        return f'<{tag}{scope} class="{kind}" data-sort="{number!r}">{shown}</{tag}>'
    if numeric:
        return f'<{tag}{scope} class="rb-num" data-sort="{key or ""}">{text(value)}</{tag}>'
    by = "" if key is None else f' data-sort="{key}"'
    return f"<{tag}{scope}{by}>{apart(value)}</{tag}>"


def _is_numeric(column: pd.Series) -> bool:
    known = [value for value in column if isinstance(value, Cell) or not pd.isna(value)]
    return all(map(_is_number, known))  # of nothing, too: its dashes stand on the right


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return value == NONE or _PRINTED.fullmatch(value) is not None
    return isinstance(value, Real | Cell) and not isinstance(value, bool)
