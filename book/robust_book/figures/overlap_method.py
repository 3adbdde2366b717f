"""A drawing of the method: from two corruptions and three networks to one overlap."""

from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from robust_book.figures.style import DISTINCT, GREY, SMALLEST, WIDE, house

_STANDARD, _ONE, _TWO = GREY, DISTINCT[0], DISTINCT[2]
_ROWS = {42.0: ("standard", _STANDARD), 34.0: ("network 1", _ONE), 26.0: ("network 2", _TWO)}
_WIDTH, _HEIGHT = 100.0, 60.0
_TALL = 5.6  # of a box
_TEST = (47.0, 55.5, 64.0)  # middles of the columns of accuracies
_RATIO = (82.0, 91.0)
_WIDE = 7.4  # of a cell


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    shade: str
    dashed: bool = False


def method(first: str = "corruption 1", second: str = "corruption 2") -> Figure:
    """Return the six steps of [overlap, sec. 3] as a drawing.

    Colours and labels identify the corruption. A cell with a solid frame is a network on its own
    corruption; a dashed frame marks the other's.

    Args:
        first: name of the first corruption, such as "motion blur".

    >>> len(method("motion blur", "defocus blur").axes)
    1
    """
    with house():
        figure = Figure(figsize=(WIDE, 4.5))
        axis = figure.add_subplot(xlim=(0, _WIDTH), ylim=(0, _HEIGHT), aspect="equal")
        axis.set_axis_off()
        _train(axis, first, second)
        _test(axis, first, second)
        _divide(axis)
        _combine(axis, first, second)
    return figure


def _train(axis: Axes, first: str, second: str) -> None:
    _step(axis, 1, 2.0, 57.0, "corrupt half of the\ntraining images")
    _step(axis, 2, 26.0, 57.0, "train")
    for (y, (name, shade)), what in zip(
        _ROWS.items(), ("clean", f"+ {first}", f"+ {second}"), strict=True
    ):
        _boxed(axis, _Box(10.0, y, 18.0, shade), what)
        _boxed(axis, _Box(31.5, y, 13.0, shade), name)
        _arrow(axis, (19.4, y), (24.6, y))
        _arrow(axis, (38.4, y), (42.9, y))


def _test(axis: Axes, first: str, second: str) -> None:
    _step(axis, 3, 43.0, 58.3, "corrupt the test images")
    _step(axis, 4, 43.0, 54.2, "measure accuracies A")
    heads = zip(_TEST, ("clean", first, second), (_STANDARD, _ONE, _TWO), strict=True)
    for x, what, shade in heads:
        words = what.replace(" ", "\n")
        axis.text(x, 49.6, words, ha="center", va="center", size=SMALLEST)
        _mark(axis, x, 46.2, shade)
    for row, (y, (_, shade)) in enumerate(_ROWS.items()):
        for column, x in enumerate(_TEST):
            _boxed(axis, _Box(x, y, _WIDE, shade, _crossed(row, column)), f"A{_low(row, column)}")
        _arrow(axis, (68.4, y), (77.4, y))


def _divide(axis: Axes) -> None:
    _step(axis, 5, 72.0, 57.0, "divide by the accuracy\non clean images")
    axis.text(86.5, 49.6, "robustness scores R", ha="center", va="center", size=SMALLEST)
    for row, (y, (_, shade)) in enumerate(_ROWS.items()):
        for column, x in enumerate(_RATIO, 1):
            _boxed(axis, _Box(x, y, _WIDE, shade, _crossed(row, column)), f"R{_low(row, column)}")
    _arrow(axis, (86.5, 22.4), (86.5, 16.6))


def _combine(axis: Axes, first: str, second: str) -> None:
    axis.add_patch(_frame(_Box(50.0, 7.9, 97.0, _STANDARD), 14.6))
    _step(axis, 6, 4.0, 11.9, "overlap: the mean of two shares, or 0 if it is negative")
    lines = (
        (f"gain of network 1 against {second}, divided by that of network 2:", 1, 2, _ONE),
        (f"gain of network 2 against {first}, divided by that of network 1:", 2, 1, _TWO),
    )
    for place, (words, network, corruption, shade) in enumerate(lines):
        y = 7.6 - 3.9 * place
        gain = f"(R{_low(network, corruption)} − R{_low(0, corruption)})"
        own = f"(R{_low(corruption, corruption)} − R{_low(0, corruption)})"
        _mark(axis, 5.2, y, shade)
        axis.text(9.6, y, words, va="center", size=SMALLEST)
        axis.text(96, y, f"{gain} / {own}", ha="right", va="center", size=8.5)


def _step(axis: Axes, number: int, x: float, y: float, words: str) -> None:
    ink = mpl.rcParams["text.color"]
    axis.add_patch(Circle((x, y), 1.7, facecolor="none", edgecolor=ink, linewidth=0.9))
    axis.text(x, y - 0.05, str(number), ha="center", va="center", size=8, weight="bold")
    axis.text(x + 2.9, y, words, va="center", size=SMALLEST, linespacing=1.15)


def _boxed(axis: Axes, box: _Box, words: str) -> None:
    axis.add_patch(_frame(box, _TALL))
    axis.text(box.x, box.y, words, ha="center", va="center", size=8)


def _frame(box: _Box, height: float) -> FancyBboxPatch:
    red, green, blue = mpl.colors.to_rgb(box.shade)
    return FancyBboxPatch(
        (box.x - box.width / 2, box.y - height / 2),
        box.width,
        height,
        boxstyle="round,pad=0,rounding_size=1",
        facecolor=(red, green, blue, 0.16),  # the page shines through, light or dark
        edgecolor=box.shade,
        linewidth=1.2,
        linestyle=(0, (3, 2)) if box.dashed else "solid",
    )


def _mark(axis: Axes, x: float, y: float, shade: str) -> None:
    axis.plot([x - 1.8, x + 1.8], [y, y], color=shade, linewidth=2.4, solid_capstyle="butt")


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "color": mpl.rcParams["text.color"], "linewidth": 0.9}
    axis.annotate("", end, start, arrowprops=style | {"shrinkA": 0, "shrinkB": 0})


def _crossed(row: int, column: int) -> bool:
    return {row, column} == {1, 2}


def _low(network: int, corruption: int) -> str:
    """Return the index of a network on a corruption, in small digits; 0 is none.

    >>> _low(1, 2), _low(2, 0)
    ('₁₂', '₂ clean')
    """
    digits = "₀₁₂"
    return digits[network] + (digits[corruption] if corruption else " clean")
