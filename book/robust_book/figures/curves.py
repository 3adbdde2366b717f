"""Curves against severity, epoch, difficulty, distance or count."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from robust_book.figures.labels import at_ends
from robust_book.figures.style import (
    GREY,
    HARD,
    INK,
    MARKS,
    PAPER,
    RUN,
    SHARES,
    WIDE,
    colour,
    dashes,
    house,
    mark,
)
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.results.interval import PercentInterval
from robust_lib.vocabulary import corruption_label


def by_severity(frame: pd.DataFrame, *, columns: int = 4) -> Figure:
    """Return one small panel per corruption: error against severity, one line per model.

    Names are at the ends of the lines if there is room. Otherwise they are next to a single panel,
    or in the empty place after the last panel.

    Args:
        frame: columns corruption, severity (0 is clean), model (its title), error in percent, and
            low and high, the ends of its interval, which are drawn as a band if there is one panel.

    >>> rows = [("fog", severity, "ResNet-18", 20.0 + severity) for severity in range(6)]
    >>> frame = pd.DataFrame(rows, columns=["corruption", "severity", "model", "error"])
    >>> by_severity(frame, columns=1).axes[0].get_title(loc="left")
    'Fog'
    """
    names = list(dict.fromkeys(frame["corruption"]))
    models = list(dict.fromkeys(frame["model"]))
    rows, strokes = -(-len(names) // columns), dashes(models)
    with house():
        size = (5.4, 3.0) if len(names) == 1 else (WIDE, 1.5 * rows + 0.5)
        figure = Figure(figsize=size)
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axis in axes[len(names) :]:
            axis.set_axis_off()
        for axis, name in zip(axes, names, strict=False):
            for model in models:
                part = frame[(frame["corruption"] == name) & (frame["model"] == model)]
                look: dict[str, Any] = {"color": colour(model, models), "ls": strokes[model]}
                look |= {"marker": mark(model, models), "ms": 3.5 if len(names) == 1 else 2.4}
                axis.plot(part["severity"], part["error"], label=model, lw=1.2, **look)
                if len(names) == 1 and "low" in part:
                    ends = part[["low", "high"]].to_numpy(dtype=float).T
                    band = {"color": look["color"], "alpha": 0.15, "linewidth": 0}
                    axis.fill_between(part["severity"], *ends, **band)
            axis.set_title(corruption_label(name), fontsize=8.5, fontweight="normal")
            axis.set_xticks(sorted(set(frame["severity"])))
            axis.set_ylim(0, 100)
            axis.grid(axis="y")
        # The last panel of a column has no panel below that would carry its ticks.
        for axis in axes[max(0, len(names) - columns) : len(names)]:
            axis.tick_params(labelbottom=True)
        figure.supylabel("top-1 error (%)", fontsize=9)
        figure.supxlabel("severity (0 is clean)", fontsize=9)
        last = axes[len(names) - 1]
        ends = {str(line.get_label()): np.asarray(line.get_xydata())[-1] for line in last.lines}
        if len(names) == 1 or len(names) % columns:
            at_ends(
                last,
                {name: (float(x), float(y)) for name, (x, y) in ends.items()},
                {model: colour(model, models) for model in models},
                height=160 if len(names) == 1 else 78,
                in_layout=len(names) == 1,
            )
        else:
            handles, labels = axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside upper left", ncols=min(4, len(models)))
    return figure


def rising(errors: Mapping[str, Sequence[float]], *, ylabel: str) -> Figure:
    """Return one line per corruption over its severities, with every decrease highlighted.

    A line that never decreases is grey. The decreasing segments of the others are thick, in the
    text colour.

    Args:
        errors: label of a corruption -> error at each severity, percent.

    >>> figure = rising({"Fog": [10.0, 20.0], "Elastic": [30.0, 20.0]}, ylabel="error (%)")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['Fog', 'Elastic']
    """
    ink = INK.lower()
    with house():
        figure = Figure(figsize=(WIDE, 3.5))
        axis = figure.subplots()
        shades: dict[str, str] = {}
        for name, values in errors.items():
            at, falls = np.arange(1, len(values) + 1), np.diff(values) < 0
            shades[name] = ink if falls.any() else GREY
            axis.plot(at, values, "o-", ms=3.5, lw=1.1, color=shades[name], label=name)
            for place in np.flatnonzero(falls).tolist():
                steps = slice(place, place + 2)
                axis.plot(at[steps], values[steps], color=ink, lw=3.2, gid=f"falls-{name}")
        axis.set_xticks(at)
        axis.set_xlabel("severity")
        axis.set_ylabel(ylabel)
        axis.set_ylim(*SHARES)
        axis.grid(axis="y")
        ends = {name: (float(at[-1]), float(values[-1])) for name, values in errors.items()}
        at_ends(axis, ends, shades, height=205)
    return figure


def severity_words(frame: pd.DataFrame) -> str:
    """Return each network's mean error at the lowest and the highest severity, in words.

    >>> rows = [("fog", severity, "ResNet-18", 20.0 + severity) for severity in range(6)]
    >>> severity_words(pd.DataFrame(rows, columns=["corruption", "severity", "model", "error"]))
    'ResNet-18 from 20 to 25 %'
    """
    means = frame.groupby(["model", "severity"], sort=False)["error"].mean()
    ends = frame["severity"].min(), frame["severity"].max()
    return "; ".join(
        f"{model} from {means[model, ends[0]]:.0f} to {means[model, ends[1]]:.0f} %"
        for model in frame["model"].unique()
    )


def training_words(curves: Mapping[str, Sequence[Sequence[float]]]) -> str:
    """Return the first and last accuracy of the least and the most accurate network, in words.

    >>> training_words({"ResNet-18": [[20.0, 40.0], [10.0, 30.0]]})
    'after the first epoch from 10 to 20 %, after the last from 30 to 40 %'
    """
    every = [one for of_model in curves.values() for one in of_model if len(one)]
    if not every:
        return "no network was trained here"
    first, last = [one[0] for one in every], [one[-1] for one in every]
    return (
        f"after the first epoch from {min(first):.0f} to {max(first):.0f} %, "
        f"after the last from {min(last):.0f} to {max(last):.0f} %"
    )


def training(curves: Mapping[str, Sequence[Sequence[float]]], *, ylabel: str) -> Figure:
    """Return one curve over the epochs per network; networks of one model share a colour.

    The first network of a model has dots. Variants trained with a corruption, without some images
    or from another seed follow it. Dashes distinguish models of one colour.

    Args:
        curves: title of a model -> one list per network with one value per epoch.

    >>> figure = training({"ResNet-18": [[20.0, 40.0], [10.0, 30.0]]}, ylabel="accuracy (%)")
    >>> len(figure.axes[0].lines)
    2
    """
    models, strokes = list(curves), dashes(list(curves))
    with house():
        figure = Figure(figsize=(5.4, max(2.6, 0.16 * len(models) + 0.5)))
        axis = figure.subplots()
        for model, networks in curves.items():
            for number, values in enumerate(networks):
                axis.plot(
                    range(1, len(values) + 1),
                    values,
                    marker="" if number else "o",
                    linestyle=strokes[model],
                    label=None if number else model,
                    ms=3,
                    lw=0.6 if number else None,
                    color=colour(model, models),
                )
        axis.set_xlabel("epoch")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.set_ylabel(ylabel)
        axis.grid(axis="y")
        if curves:  # public weights have none
            axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def by_difficulty(frame: pd.DataFrame, *, words: str) -> Figure:
    """Return accuracy against the candidates' difficulty, before and after filtering.

    Bands are 95 % intervals (Clopper-Pearson) for the number of images in each bin.

    Args:
        frame: return value of `chapters.nae_2_imagenet_a.difficulty.curve`.

    >>> columns = ["difficulty", "candidates", "left", "accuracy", "share left",
    ...     "accuracy on those that pass"]
    >>> frame = pd.DataFrame([(0.2, 50, 5, 80.0, 10.0, 20.0), (0.5, 50, 15, 60.0, 30.0, 20.0)],
    ...     columns=columns)
    >>> len(by_difficulty(frame, words="accuracy").axes[0].lines)
    3
    """
    with house():
        figure = Figure(figsize=(5.4, 2.8))
        axis = figure.subplots()
        lines = {
            "accuracy": ("accuracy on all candidates", RUN, "o-", "candidates"),
            "share left": ("share that passes the filter", GREY, "s--", "candidates"),
            "accuracy on those that pass": ("accuracy on those that pass", HARD, "D-", "left"),
        }
        for column, (title, shade, style, counted) in lines.items():
            known = frame[frame[counted] > 0]
            ends = np.array(
                [
                    clopper_pearson(round(value * count / 100), int(count))
                    for value, count in zip(known[column], known[counted], strict=True)
                ]
            ).reshape(-1, 2)
            band: dict[str, Any] = {"alpha": 0.12, "lw": 0, "label": f"{title}, band"}
            axis.fill_between(known["difficulty"], *(100 * ends.T), color=shade, **band)
            axis.plot(frame["difficulty"], frame[column], style, ms=3.5, color=shade, label=title)
        axis.legend(handles=axis.lines, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
        axis.set_ylim(0, 100)
        axis.set_xlabel("difficulty of the candidates (0 is an ordinary scene)")
        axis.set_ylabel(f"{words} (%)")
        axis.grid(axis="y")
    return figure


def by_distance(
    panels: Mapping[str, Mapping[str, Mapping[int, PercentInterval]]],
    *,
    ylabel: str,
    printed: Mapping[str, Mapping[str, Mapping[int, float]]] = MappingProxyType({}),
) -> Figure:
    """Return one line per network against the distance k to the anchor, its interval a light band.

    All panels share one axis, from 0. Names are at the ends of the lines in the last panel. Rings
    are the paper's numbers; the dotted line that joins them is not a measurement.

    Args:
        panels: title of a panel -> network -> k -> (value, low, high), percent.
        printed: likewise, the paper's numbers.

    >>> lines = {"ResNet-50": {0: (70.0, 65.0, 75.0), 10: (50.0, 45.0, 55.0)}}
    >>> figure = by_distance({"": lines}, ylabel="accuracy (%)")
    >>> figure.axes[0].lines[0].get_xdata().tolist()
    [0, 10]
    """
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    strokes = dashes(names)
    with house():
        figure = Figure(figsize=(WIDE, 3.4))
        axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False).ravel()
        for axis, (title, lines) in zip(axes, panels.items(), strict=True):
            for theirs, numbers in printed.get(title, {}).items():
                at, values = zip(*sorted(numbers.items()), strict=True)
                axis.plot(at, values, ":", color=PAPER, lw=1, gid="joint")
                ring: dict[str, Any] = {"linestyle": "", "mfc": "none", "mec": PAPER, "mew": 1.3}
                axis.plot(at, values, marker="o", ms=5, label=f"{theirs}, the paper", **ring)
            for name, by_k in lines.items():
                ks = sorted(by_k)
                value, low, high = np.array([by_k[k] for k in ks]).T
                shade = colour(name, names)
                axis.fill_between(
                    ks, low, high, color=shade, alpha=0.12, lw=0, label=f"{name}, band"
                )
                look: dict[str, Any] = {"marker": mark(name, names), "linestyle": strokes[name]}
                axis.plot(ks, value, ms=3.5, lw=1.3, color=shade, label=name, **look)
            axis.set_title(title)
            axis.set_ylim(0, 100)
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            axis.grid(axis="y")
        axes[0].set_ylabel(ylabel)
        figure.supxlabel("k: counted frames on either side of the anchor", fontsize=9)
        last = list(panels.values())[-1]
        told = {name: f"{_GLYPHS[mark(name, names)]} {name}" for name in names}
        ends = {told[name]: (float(max(ks)), ks[max(ks)][0]) for name, ks in last.items()}
        shades = {told[name]: colour(name, names) for name in names}
        at_ends(axes[-1], ends, shades, height=_DISTANCE_PANEL)
        if printed:
            rings = Line2D([], [], marker="o", ls=":", mfc="none", color=PAPER, label="the paper")
            figure.legend(handles=[rings], loc="outside upper left")
    return figure


_DISTANCE_PANEL = 165  # height of a panel, points
_GLYPHS = dict(zip(MARKS, "●■◆▲▼✚✖", strict=True))


def by_count(
    lines: Mapping[str, Mapping[int, PercentInterval]],
    *,
    xlabel: str,
    ylabel: str,
    means: Mapping[str, float] = MappingProxyType({}),
) -> Figure:
    """Return one line per title against a whole number, its interval a light band.

    All lines belong to one run and have its colour; shapes, dashes and names distinguish them.

    Args:
        lines: title -> number -> (value, low, high), in the unit of the axis.
        means: title -> height of a dotted line in the papers' grey.

    >>> figure = by_count({"seen": {1: (10.0, 5.0, 15.0)}}, xlabel="held out", ylabel="error (%)")
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [10.0]
    """
    strokes = ("-", "--", "-.", ":")
    with house():
        figure = Figure(figsize=(5.8, 3.2))
        axis = figure.subplots()
        ends: dict[str, tuple[float, float]] = {}
        for place, (title, values) in enumerate(lines.items()):
            at = np.array(sorted(values))
            value, low, high = np.array([values[number] for number in at]).T
            axis.fill_between(at, low, high, color=RUN, alpha=0.15, linewidth=0)
            look: dict[str, Any] = {"marker": MARKS[place % len(MARKS)], "ms": 5, "color": RUN}
            axis.plot(at, value, strokes[place % len(strokes)], label=title, **look)
            ends[title] = (float(at[-1]), float(value[-1]))
        right = max(x for x, _ in ends.values())
        for title, mean in means.items():
            axis.axhline(mean, color=PAPER, linestyle=":", lw=1.6, label=title)
            ends[title] = (right, mean)
        axis.set_xlabel(xlabel)
        axis.set_ylabel(ylabel)
        axis.set_ylim(0, 100)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.grid(axis="y")
        shades = dict.fromkeys(lines, RUN) | dict.fromkeys(means, PAPER)
        at_ends(axis, ends, shades, height=170)
    return figure
