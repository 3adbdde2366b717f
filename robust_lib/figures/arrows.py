"""Two numbers of networks as points, and arrows from a network to the one that takes its place."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_lib.errors import InputError
from robust_lib.figures.bars import Interval
from robust_lib.figures.style import GREY, WIDE, colour, house

Both = tuple[Interval, Interval]

_LINE = 0.075  # height of a label, as a part of what is drawn


def replacements(
    panels: Mapping[str, Mapping[str, Both]],
    arrows: Sequence[tuple[str, str]],
    *,
    xlabel: str,
    ylabel: str,
) -> Figure:
    """Return a panel a source, in it a point a network with its intervals, and the arrows.

    A dotted line through each arrow's beginning says where both numbers change by as many points:
    an arrow that ends below it gains more on the second number than on the first.

    Args:
        panels: title -> network -> both its (value, low, high), percent.
        arrows: networks that are replaced, and by which; those that a panel lacks are not drawn.
        xlabel: what the first number is.
        ylabel: what the second one is.

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
                    _arrow(axis, dots[one], dots[other])
            middle = sum(both[0][0] for both in dots.values()) / len(dots)
            sides: dict[bool, dict[str, float]] = {True: {}, False: {}}
            for name, both in dots.items():
                _point(axis, both, colour(name, names))
                sides[both[0][0] > middle][name] = both[1][0]
            ends = [end for _, (_, *low_and_high) in dots.values() for end in low_and_high]
            gap = _LINE * (max(ends) - min(ends))
            for to_the_left, heights in sides.items():
                for name, height in apart(heights, gap).items():
                    _label(axis, name, dots[name][0][0], height, to_the_left=to_the_left)
            axis.set_title(title)
            axis.set_xlabel(xlabel)
            axis.grid()
            axis.margins(x=0.22, y=0.15)
        axes[0].set_ylabel(ylabel)
    return figure


def _arrow(axis: Axes, start: Both, end: Both) -> None:
    (x, *_), (y, *_) = start
    style: dict[str, Any] = {"arrowstyle": "->", "color": mpl.rcParams["text.color"], "lw": 1.0}
    style |= {"shrinkA": 5, "shrinkB": 5}
    axis.annotate("", (end[0][0], end[1][0]), xytext=(x, y), arrowprops=style)
    # As far to the side as the arrow goes.
    reach = end[0][0] - x
    axis.plot([x, x + reach], [y, y + reach], color=GREY, linewidth=0.8, linestyle=":")


def apart(heights: Mapping[str, float], gap: float) -> dict[str, float]:
    """Return heights of labels of which no two are closer than a gap; the lower one gives way.

    >>> apart({"a": 10.0, "b": 12.0, "c": 9.5}, 1.0)
    {'b': 12.0, 'a': 10.0, 'c': 9.0}
    """
    found: dict[str, float] = {}
    least = float("inf")
    for name, height in sorted(heights.items(), key=lambda item: -item[1]):
        found[name] = min(height, least)
        least = found[name] - gap
    return found


def _point(axis: Axes, both: Both, shade: str) -> None:
    (x, left, right), (y, bottom, top) = both
    light: dict[str, Any] = {"color": shade, "linewidth": 0.9, "alpha": 0.45}
    axis.plot([left, right], [y, y], **light)
    axis.plot([x, x], [bottom, top], **light)
    axis.plot([x], [y], "o", ms=6, color=shade)


def _label(axis: Axes, name: str, x: float, y: float, *, to_the_left: bool) -> None:
    where: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8}
    where |= {"ha": "right", "xytext": (-6, -12)} if to_the_left else {"xytext": (6, -12)}
    axis.annotate(name, (x, y), **where)
