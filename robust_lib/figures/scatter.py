"""The same things measured twice: a dot a thing, and the line where both measures agree."""

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_lib.errors import InputError
from robust_lib.figures.bars import Interval
from robust_lib.figures.style import GREY, MEASURES, house

Both = tuple[Interval, Interval]


def agreement(
    groups: Mapping[str, Mapping[str, Both]], *, xlabel: str, ylabel: str, left_out: int
) -> Figure:
    """Return a dot a thing, its intervals light, on the line where both measures are the same.

    Args:
        groups: what a kind of things is called -> thing -> both its (value, low, high).
        xlabel: what the first measure is.
        ylabel: what the second one is.
        left_out: how many things could not be measured twice, and are only counted.

    Raises:
        InputError: more kinds of things than can be told apart.

    >>> dots = {"noise": {"shot+impulse": ((0.9, 0.8, 1.0), (0.95, 0.9, 1.0))}}
    >>> figure = agreement(dots, xlabel="ResNet-18", ylabel="DenseNet-121", left_out=2)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['2 not judged in both']
    """
    if len(groups) > len(MEASURES):
        raise InputError(
            f"Expected at most {len(MEASURES)} kinds of things, but got {', '.join(groups)}."
        )
    with house():
        figure = Figure(figsize=(5.4, 5.0))
        axis = figure.subplots()
        ends = [
            end for dots in groups.values() for both in dots.values() for one in both for end in one
        ]
        low, high = min([0.0, *ends]), max([1.0, *ends])
        axis.plot([low, high], [low, high], color=GREY, linewidth=0.8, linestyle=":")
        for shade, (name, dots) in zip(MEASURES, groups.items(), strict=False):
            if dots:
                _dots(axis, name, dots, shade)
        room = 0.04 * (high - low)
        axis.set(xlim=(low - room, high + room), ylim=(low - room, high + room), aspect="equal")
        axis.set(xlabel=xlabel, ylabel=ylabel)
        axis.grid()
        where: dict[str, Any] = {
            "xycoords": "axes fraction",
            "ha": "right",
            "va": "bottom",
            "fontsize": 8,
        }
        axis.annotate(f"{left_out} not judged in both", (0.02, 0.99), **where)
        if any(groups.values()):
            figure.legend(loc="outside upper center", ncols=2)
        else:
            axis.annotate("no pair is judged in both", (0.5, 0.5), **where | {"ha": "center"})
    return figure


def _dots(axis: Axes, name: str, dots: Mapping[str, Both], shade: str) -> None:
    for (x, left, right), (y, bottom, top) in dots.values():
        light: dict[str, Any] = {"color": shade, "linewidth": 0.9, "alpha": 0.35}
        axis.plot([left, right], [y, y], **light)
        axis.plot([x, x], [bottom, top], **light)
    xs, ys = zip(*((first[0], second[0]) for first, second in dots.values()), strict=True)
    edge = mpl.rcParams["axes.edgecolor"]
    axis.plot(xs, ys, "o", ms=5, color=shade, mec=edge, mew=0.3, label=name)
