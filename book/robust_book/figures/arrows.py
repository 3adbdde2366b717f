"""Two numbers per network as a point, and arrows from a network to the one that replaces it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures.style import GREY, WIDE, colour, house
from robust_lib.errors import InputError
from robust_lib.results.interval import PercentInterval

Both = tuple[PercentInterval, PercentInterval]

_SIZE = 8  # of labels, points
_LETTER, _LINE = 0.52 * _SIZE, 1.25 * _SIZE  # about how wide a letter is and how high a label
_DOT = 4.0  # half the side of what a point takes
_SIDES = ((1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1))
"""Where a label may stand: right or left of its point, above or below it; the best first."""


def replacements(
    panels: Mapping[str, Mapping[str, Both]],
    arrows: Sequence[tuple[str, str]],
    *,
    xlabel: str,
    ylabel: str,
    slopes: Mapping[str, float] = MappingProxyType({}),
) -> Figure:
    """Return one panel per source with one point per network, its intervals, and the arrows.

    A dotted line through each arrow's beginning says where both numbers change by as much:
    an arrow that ends below it gains more on the second number than on the first.

    Args:
        panels: title -> network -> both its (value, low, high), percent.
        arrows: (replaced, replacement); pairs that a panel lacks are not drawn.
        slopes: title of a panel -> how many points of the second number are as much as one of the
            first; one where it is not given.

    Raises:
        InputError: no network in any panel.

    >>> dots = {"ResNet-50": ((24.0,) * 3, (77.0,) * 3), "DenseNet-121": ((26.0,) * 3, (73.0,) * 3)}
    >>> figure = replacements({"The paper": dots}, [("ResNet-50", "DenseNet-121")], xlabel="error",
    ...     ylabel="mCE")
    >>> sorted(text.get_text() for text in figure.axes[0].texts if text.get_text())
    ['DenseNet-121', 'ResNet-50']
    """
    drawn = {title: dots for title, dots in panels.items() if dots}
    if not drawn:
        raise InputError("Expected a network with both numbers, but there is none.")
    names = list(dict.fromkeys(name for dots in drawn.values() for name in dots))
    with house():
        figure = Figure(figsize=(WIDE if len(drawn) > 1 else 4.4, 3.9))
        axes = figure.subplots(1, len(drawn), squeeze=False).ravel()
        for axis, (title, dots) in zip(axes, drawn.items(), strict=True):
            for one, other in arrows:
                if one in dots and other in dots:
                    _arrow(axis, dots[one], dots[other], slopes.get(title, 1.0))
            for name, both in dots.items():
                _point(axis, both, colour(name, names))
            axis.set_title(title)
            axis.set_xlabel(xlabel)
            axis.grid()
            axis.margins(x=0.22, y=0.15)
        axes[0].set_ylabel(ylabel)
        figure.draw_without_rendering()  # so that a point's place on the page is known
        for axis, dots in zip(axes, drawn.values(), strict=True):
            _labels(axis, {name: (both[0][0], both[1][0]) for name, both in dots.items()})
    return figure


def _arrow(axis: Axes, start: Both, end: Both, slope: float) -> None:
    (x, *_), (y, *_) = start
    style: dict[str, Any] = {"arrowstyle": "->", "color": mpl.rcParams["text.color"], "lw": 1.0}
    style |= {"shrinkA": 5, "shrinkB": 5}
    axis.annotate("", (end[0][0], end[1][0]), xytext=(x, y), arrowprops=style)
    # As far to the side as the arrow goes.
    reach = end[0][0] - x
    axis.plot([x, x + reach], [y, y + slope * reach], color=GREY, linewidth=0.8, linestyle=":")


def sides(
    places: Mapping[str, tuple[float, float]], frame: tuple[float, float]
) -> dict[str, tuple[int, int]]:
    """Return on which side of its point each label stands, so that they cover little.

    Args:
        places: label -> its point, in points from the lower left corner of the panel.
        frame: width and height of the panel, points.

    Returns:
        Label -> (1 right, 0 middle, -1 left; 1 above, 0 beside, -1 below).

    >>> sides({"a": (50.0, 50.0), "b": (52.0, 47.0)}, (200.0, 100.0))
    {'a': (1, -1), 'b': (-1, -1)}
    """
    points = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in places.values()]
    taken: list[_Box] = []
    found: dict[str, tuple[int, int]] = {}
    # From the top, so that the lower ones give way downwards.
    for name, (x, y) in sorted(places.items(), key=lambda item: -item[1][1]):
        boxes = {side: _box(name, x, y, side) for side in _SIDES}
        costs = {
            side: sum(_shared(box, label) for label in taken)
            + 4 * sum(_shared(box, point) for point in points)
            + 4 * _beyond(box, frame)
            for side, box in boxes.items()
        }
        best = min(_SIDES, key=costs.__getitem__)
        found[name] = best
        taken.append(boxes[best])
    return found


_Box = tuple[float, float, float, float]


def _box(name: str, x: float, y: float, side: tuple[int, int]) -> _Box:
    """Return left, bottom, right and top of a label, points."""
    width, away = _LETTER * len(name), _DOT + 2
    left = {1: x + away, 0: x - width / 2, -1: x - away - width}[side[0]]
    reach = away if side[0] == 0 else 1.0
    bottom = {1: y + reach, 0: y - _LINE / 2, -1: y - reach - _LINE}[side[1]]
    return left, bottom, left + width, bottom + _LINE


def _shared(one: _Box, other: _Box) -> float:
    """Return the area that two boxes share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, wide) * max(0.0, high)


def _beyond(box: _Box, frame: tuple[float, float]) -> float:
    """Return the area of a box that lies outside of a frame."""
    whole = (box[2] - box[0]) * (box[3] - box[1])
    return whole - _shared(box, (0.0, 0.0, *frame))


def _labels(axis: Axes, points: Mapping[str, tuple[float, float]]) -> None:
    """Write each network's name beside its point."""
    scale = 72 / axis.figure.dpi
    panel = axis.get_window_extent()
    on_page = {name: axis.transData.transform(point) for name, point in points.items()}
    places = {
        name: (scale * float(x - panel.x0), scale * float(y - panel.y0))
        for name, (x, y) in on_page.items()
    }
    chosen = sides(places, (scale * panel.width, scale * panel.height))
    for name, side in chosen.items():
        left, bottom, *_ = _box(name, *places[name], side)
        offset = (left - places[name][0], bottom - places[name][1])
        axis.annotate(name, points[name], xytext=offset, textcoords="offset points", fontsize=_SIZE)


def _point(axis: Axes, both: Both, shade: str) -> None:
    (x, left, right), (y, bottom, top) = both
    light: dict[str, Any] = {"color": shade, "linewidth": 0.9, "alpha": 0.45}
    axis.plot([left, right], [y, y], **light)
    axis.plot([x, x], [bottom, top], **light)
    axis.plot([x], [y], "o", ms=6, color=shade)
