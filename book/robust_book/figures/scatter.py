"""Scatter plots of two measures, with the line of agreement or a fitted line."""

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures import style
from robust_book.figures.style import GREY, MARKS, PAPER, RUN, house
from robust_lib.errors import InputError
from robust_lib.results.interval import PercentInterval, ScoreInterval

Both = tuple[PercentInterval, PercentInterval]
Scores = tuple[ScoreInterval, ScoreInterval]


def agreement(
    groups: Mapping[str, Mapping[str, Scores]], *, xlabel: str, ylabel: str, left_out: int
) -> Figure:
    """Return one dot per name with light intervals, next to the line on which both measures agree.

    Args:
        groups: group -> name -> both its (value, low, high).
        left_out: number of names without both measures; the figure states it.

    Raises:
        InputError: more groups than can be distinguished.

    >>> dots = {"noise": {"shot+impulse": ((0.9, 0.8, 1.0), (0.95, 0.9, 1.0))}}
    >>> figure = agreement(dots, xlabel="ResNet-18", ylabel="DenseNet-121", left_out=2)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['2 not judged in both']
    """
    if len(groups) > len(MARKS):
        raise InputError(f"Expected at most {len(MARKS)} groups, but got {', '.join(groups)}.")
    with house():
        figure = Figure(figsize=(5.4, 5.0))
        axis = figure.subplots()
        ends = [
            end for dots in groups.values() for both in dots.values() for one in both for end in one
        ]
        low, high = min([0.0, *ends]), max([1.0, *ends])
        axis.plot([low, high], [low, high], color=GREY, linewidth=0.8, linestyle=":")
        for shape, (name, dots) in zip(MARKS, groups.items(), strict=False):
            if dots:
                _dots(axis, name, dots, RUN, shape)
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
            figure.legend(loc="outside upper left", ncols=2)
        else:
            axis.annotate("no pair is judged in both", (0.5, 0.5), **where | {"ha": "center"})
    return figure


def against(
    groups: Mapping[str, Mapping[str, Both]],
    *,
    xlabel: str,
    ylabel: str,
    line: tuple[float, float] | None = None,
    others: str | None = None,
) -> Figure:
    """Return one dot per network with intervals, one colour per kind, and the line through ours.

    On the dotted line, both measures are equal.

    Args:
        groups: kind of networks -> network -> both its (value, low, high), percent.
        line: slope, and intercept in percent, of the line through ours; None: no line.
        others: the group from another source, drawn as grey rings.

    Raises:
        InputError: no groups, or more than can be distinguished.

    >>> dots = {"stills": {"VGG-11": ((60.0, 55.0, 65.0), (40.0, 35.0, 45.0))}}
    >>> figure = against(dots, xlabel="anchor", ylabel="worst frame", line=(1.0, -20.0))
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['stills', 'line through these networks']
    """
    ours = [name for name in groups if name != others]
    if not groups or len(ours) > len(style.DISTINCT):
        raise InputError(
            f"Expected one to {len(style.DISTINCT)} groups of networks, but got "
            f"{', '.join(ours) or 'none'}."
        )
    with house():
        figure = Figure(figsize=(5.8, 5.4))
        axis = figure.subplots()
        ends = np.array([both for dots in groups.values() for both in dots.values()])
        low, high = float(ends.min()), float(ends.max())
        room = 0.04 * (high - low) + 1
        axis.plot([0, 100], [0, 100], color=GREY, linewidth=0.8, linestyle=":")
        if others is not None and others in groups:
            _rings(axis, others, groups[others])
        for shade, shape, name in zip(style.DISTINCT, MARKS, ours, strict=False):
            if groups[name]:
                _dots(axis, name, groups[name], shade, shape)
        if line is not None:
            slope, intercept = line
            xs = [both[0][0] for name in ours for both in groups[name].values()]
            shown = np.array([min(xs), max(xs)])
            axis.plot(
                shown,
                intercept + slope * shown,
                color=mpl.rcParams["text.color"],
                linewidth=1.0,
                label="line through these networks",
            )
        axis.set(xlim=(max(0, low - room), min(100, high + room)))
        axis.set(ylim=(max(0, low - room), min(100, high + room)), aspect="equal")
        axis.set(xlabel=xlabel, ylabel=ylabel)
        axis.grid()
        figure.legend(loc="outside upper left", ncols=2)
    return figure


def _rings(axis: Axes, name: str, dots: Mapping[str, Both]) -> None:
    values = [(first[0], second[0]) for first, second in dots.values()]
    xs, ys = zip(*values, strict=True)
    axis.plot(xs, ys, "o", ms=4.5, mfc="none", mec=PAPER, mew=1.0, label=name)


def _dots(axis: Axes, name: str, dots: Mapping[str, Scores], shade: str, shape: str) -> None:
    for (x, left, right), (y, bottom, top) in dots.values():
        light: dict[str, Any] = {"color": shade, "linewidth": 0.6}
        axis.plot([left, right], [y, y], **light)
        axis.plot([x, x], [bottom, top], **light)
    xs, ys = zip(*((first[0], second[0]) for first, second in dots.values()), strict=True)
    edge = mpl.rcParams["axes.edgecolor"]
    axis.plot(xs, ys, shape, ms=5, color=shade, mec=edge, mew=0.3, label=name)
