"""Paired differences between networks, and the drop of each class."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from robust_book.figures.style import GREY, PAPER, RUN, SMALLEST, WIDE, house
from robust_lib.errors import InputError
from robust_lib.results.interval import PercentInterval

Pair = tuple[PercentInterval, PercentInterval]


def differences(
    values: Mapping[str, Mapping[str, PercentInterval]],
    *,
    xlabel: str,
    better: Sequence[str],
    paper: Mapping[str, Mapping[str, float]] | None = None,
) -> Figure:
    """Return one panel per metric: a difference and its paired interval for each pair.

    All panels share one axis with a dotted line at 0. Each difference is printed above its dot. If
    the paper prints both numbers, their difference is a grey ring below.

    Args:
        values: metric -> pair -> (difference, low, high), points.
        xlabel: the subtraction in words, such as "larger minus smaller".
        better: better direction in each panel, such as "lower" or "higher".
        paper: metric -> pair -> the printed numbers' difference, points.

    Raises:
        InputError: no pairs, or different numbers of directions and metrics.

    >>> figure = differences({"AURRA": {"ResNet": (1.0, -2.0, 4.0)}}, better=["higher"],
    ...     xlabel="larger minus smaller")
    >>> figure.axes[0].get_xlabel(), figure.get_supxlabel()
    ('higher is better', 'larger minus smaller (points)')
    """
    printed = paper or {}
    every = [*values.values(), *printed.values()]
    names = list(dict.fromkeys(name for of_pair in every for name in of_pair))
    if not names or len(better) != len(values):
        raise InputError(
            f"Expected at least one pair and a direction for each metric, but got {len(names)} "
            f"pairs, {len(values)} metrics and {len(better)} directions."
        )
    with house():
        width = 5.4 if len(values) == 1 else WIDE
        figure = Figure(figsize=(width, 0.42 * len(names) + 1.3))
        axes = figure.subplots(1, len(values), sharex=True, sharey=True, squeeze=False).ravel()
        for axis, (metric, of_pair), way in zip(axes, values.items(), better, strict=True):
            axis.axvline(0, color=GREY, linewidth=1, linestyle=":", gid="reference")
            for name, (value, low, high) in of_pair.items():
                place = names.index(name)
                ends: dict[str, Any] = {"linewidth": 1.4, "label": "this run, interval"}
                axis.plot([low, high], [place, place], color=RUN, **ends)
                axis.plot(value, place, "o", ms=6, color=RUN, label="this run")
                axis.annotate(
                    f"{value:+.1f}".replace("-", "\N{MINUS SIGN}"),
                    (value, place),
                    xytext=(0, 5),
                    textcoords="offset points",
                    ha="center",
                    fontsize=SMALLEST,
                )
            for name, one in printed.get(metric, {}).items():
                ring: dict[str, Any] = {"ms": 5, "mfc": "none", "mec": PAPER, "mew": 1.4}
                ring["label"] = "the paper"
                axis.plot(one, names.index(name) + 0.28, "o", **ring)
            axis.set_title(metric)
            axis.set_xlabel(f"{way} is better")
            axis.grid(axis="x")
            axis.tick_params(axis="y", length=0)
        axes[0].set_yticks(range(len(names)), names)
        axes[0].set_ylim(len(names) - 0.4, -0.6)
        axes[0].margins(x=0.08)
        figure.supxlabel(f"{xlabel} (points)", fontsize=9)
        if any(printed.values()):
            _legend(figure, {"this run": (RUN, RUN), "the paper": ("none", PAPER)})
    return figure


def drops(values: Mapping[str, Pair], sets: Mapping[str, int], words: tuple[str, str]) -> Figure:
    """Return one dumbbell per class, from a filled to an open dot, the largest drop first.

    Thin lines are the intervals of both values. Each label contains the number of sets; classes of
    fewer than five sets are grey.

    Args:
        values: class -> both its (value, low, high), percent.
        sets: class -> number of its sets.
        words: labels of the first and the second value.

    >>> figure = drops({"cat": ((80.0, 60.0, 90.0), (50.0, 30.0, 70.0))}, {"cat": 9}, ("a", "b"))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['cat, n = 9']
    """
    ranked = sorted(values, key=lambda name: values[name][1][0] - values[name][0][0])
    with house():
        figure = Figure(figsize=(WIDE, 0.25 * len(ranked) + 1.1))
        axis = figure.subplots()
        for place, name in enumerate(ranked):
            _dumbbell(axis, place, values[name], GREY if sets[name] < FEW else RUN, words)
        axis.set_yticks(range(len(ranked)), [f"{name}, n = {sets[name]}" for name in ranked])
        axis.set_ylim(len(ranked) - 0.4, -0.6)
        axis.set_xlim(-1, 101)
        axis.set_xlabel("accuracy (%)")
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
        ink = str(mpl.rcParams["text.color"])
        kinds = {words[0]: (ink, ink), words[1]: ("none", ink)}
        if any(sets[name] < FEW for name in ranked):
            kinds[f"grey: fewer than {FEW} sets"] = (GREY, GREY)
        _legend(figure, kinds)
    return figure


FEW = 5
"""Sets of a class, below which it is grey."""
_RADIUS = 1.0  # of an open dot, percent of the axis from 0 to 100


def _dumbbell(axis: Axes, place: float, pair: Pair, shade: str, words: tuple[str, str]) -> None:
    first, second = pair
    apart = second[0] - first[0]
    if abs(apart) > _RADIUS:  # the line ends at the rim of the open dot
        end = second[0] - _RADIUS * (1 if apart > 0 else -1)
        axis.plot([first[0], end], [place, place], color=shade, lw=1.8, gid="joint")
    for shift, (_, low, high), word in zip((-0.18, 0.18), pair, words, strict=True):
        if high > low:
            thin: dict[str, Any] = {"linewidth": 0.8, "label": f"{word}, interval"}
            axis.plot([low, high], [place + shift] * 2, color=shade, **thin)
    axis.plot(first[0], place, "o", ms=6, color=shade, label=words[0])
    axis.plot(second[0], place, "o", ms=6, mfc="none", mec=shade, mew=1.5, label=words[1])


def _legend(figure: Figure, kinds: Mapping[str, tuple[str, str]]) -> None:
    """Write a legend at the top left: word -> colours of the dot and of its edge."""
    handles = [
        Line2D([], [], marker="o", linestyle="", ms=5, mfc=fill, mec=edge, mew=1.4, label=word)
        for word, (fill, edge) in kinds.items()
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
