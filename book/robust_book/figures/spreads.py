"""Many networks in one figure: one row per condition, one dot per network, named extremes."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures.dot_plots import reference_lines
from robust_book.figures.style import PAPER, WIDE, colour, house
from robust_lib.errors import InputError

_STEPS = (0.0, 0.09, -0.09, 0.045, -0.045)  # rows, between neighbours on the axis
_RING = 0.42  # rows, from a row to what is printed of it
_AWAY = 14  # points, from a row to the names of its extremes


def spread(
    rows: Mapping[str, Mapping[str, float]],
    *,
    xlabel: str,
    printed: Mapping[str, Mapping[str, float]] | None = None,
    lines: Mapping[str, float] | None = None,
    ends: tuple[float, float],
) -> Figure:
    """Return a row per condition with a dot per network; the lowest and highest are labelled.

    Args:
        rows: condition -> title of a network -> number, from top to bottom.
        printed: condition -> label -> the paper's number, a grey ring with its label.
        lines: words -> position of a dotted line, such as chance.
        ends: limits of the axis.

    Raises:
        InputError: there is no row.

    >>> figure = spread({"hard": {"A": 9.0, "B": 4.0}}, xlabel="accuracy (%)", ends=(0, 100))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['B', 'A']
    """
    if not rows:
        raise InputError("Expected rows of networks to draw, but got none.")
    with house():
        figure = Figure(figsize=(WIDE, 0.8 * len(rows) + 0.9))
        axis = figure.subplots()
        axis.set_xlim(*ends)
        for place, (name, values) in enumerate(rows.items()):
            _row(axis, place, values, colour(name, list(rows)))
            for words, value in (printed or {}).get(name, {}).items():
                axis.plot(value, place + _RING, "o", mec=PAPER, mfc="none")
                _write(axis, words, (value, place + _RING), (7, 0))
        reference_lines(axis, lines or {})
        axis.set_yticks(range(len(rows)), rows)
        axis.set_ylim(len(rows) - 0.4, -0.5)
        axis.set_xlabel(xlabel)
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
    return figure


def _row(axis: Axes, place: int, values: Mapping[str, float], shade: str) -> None:
    ranked = sorted(values, key=lambda name: values[name])
    for at, name in enumerate(ranked):
        axis.plot(values[name], place + _STEPS[at % len(_STEPS)], "o", color=shade)
    if ranked:
        _write(axis, ranked[0], (values[ranked[0]], place), (0, -_AWAY))
    if len(ranked) > 1:
        _write(axis, ranked[-1], (values[ranked[-1]], place), (0, _AWAY))


def _write(axis: Axes, words: str, place: tuple[float, float], away: tuple[float, float]) -> None:
    first, last = axis.get_xlim()
    share = (place[0] - first) / (last - first)
    # Near an end, centred words would cross the axis and the rows' names.
    side = "left" if away[0] or share < 1 / 3 else "right" if share > 2 / 3 else "center"
    axis.annotate(
        words,
        place,
        away,
        textcoords="offset points",
        ha=side,
        va="center",
        fontsize=8,
    )
