"""Anomaly scores of ordinary and other images, rates next to chance, and low-level statistics."""

from collections.abc import Collection, Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from robust_book.figures.style import GREY, PAPER, RUN, colour, dashes, house
from robust_lib.errors import InputError
from robust_lib.metrics.image_statistics import STATISTICS
from robust_lib.results.interval import PercentInterval

_TITLES = {
    "intensity": "mean intensity",
    "contrast": "contrast",
    "gradient": "mean gradient per pixel",
    "slope": "slope of the spectrum",
}


def scores_by_set(scores: Mapping[str, Float[np.ndarray, "_"]], *, xlabel: str) -> Figure:
    """Return one curve per set: the share of its images with at least some score.

    If curves coincide, no threshold on the score separates the sets.

    Args:
        scores: set -> (images,), the ordinary images first.
        xlabel: name of the score, and which end is anomalous.

    Raises:
        InputError: no sets, a set without images, or scores that are not finite.

    >>> scores = {"ordinary": np.linspace(0, 1, 50), "OOD": np.linspace(0.5, 2, 50)}
    >>> scores_by_set(scores, xlabel="energy").axes[0].get_xlabel()
    'energy'
    """
    _check(scores)
    with house():
        figure = Figure(figsize=(5.4, 2.9))
        axis = figure.subplots()
        strokes = dashes(list(scores))
        for name, values in scores.items():
            ranked = np.sort(values)
            share = 100 * np.arange(len(ranked), 0, -1) / len(ranked)
            shade = colour(name, list(scores))
            look: dict[str, Any] = {"color": shade, "linestyle": strokes[name], "linewidth": 1.6}
            axis.step(ranked, share, where="pre", label=name, **look)
        axis.set_ylim(0, 102)
        axis.grid(axis="y")
        axis.set_xlabel(xlabel)
        axis.set_ylabel("images with at least this confidence (%)")
        figure.legend(loc="outside upper center", ncols=len(scores))
    return figure


def aupr_bars(
    values: Mapping[str, PercentInterval],
    dotted: float | None,
    *,
    xlabel: str,
    words: str = "chance",
    marked: Collection[str] = (),
    paper: Mapping[str, float] | None = None,
) -> Figure:
    """Return one bar per model with its interval, and a dotted line at a trivial score.

    Args:
        values: title of a model -> (value, low, high), percent.
        dotted: position of the line, percent, such as `metrics.anomaly.chance`; None draws none.
        marked: models whose bars are hatched, because they selected the images.
        paper: title of a model -> the printed rate, percent, a grey ring in its row.

    Raises:
        InputError: no models.

    >>> figure = aupr_bars({"ResNet-18": (21.0, 20.0, 23.0)}, 16.0, xlabel="AUPR (%)")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['ResNet-18']
    """
    if not values:
        raise InputError("Expected at least one model to draw, but got none.")
    names, printed = list(values), paper or {}
    with house():
        figure = Figure(figsize=(5.4, 0.3 * len(names) + 0.9))
        axis = figure.subplots()
        for place, (name, (value, low, high)) in enumerate(values.items()):
            axis.barh(place, value, color=RUN, height=0.66)
            if name in marked:
                axis.barh(place, value, height=0.66, fill=False, hatch="////", linewidth=0)
            axis.plot([low, high], [place, place], color=_ink(), linewidth=1.2)
            axis.annotate(
                f"{value:.1f}",
                (max(high, dotted or 0, printed.get(name, 0)), place),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        rings = {names.index(name): one for name, one in printed.items() if name in names}
        if rings:
            style: dict[str, Any] = {"ms": 6, "mec": PAPER, "mew": 1.6, "zorder": 4}
            style["mfc"] = "white"  # a ring on a bar would be lost in its colour
            axis.plot([*rings.values()], [*rings], "o", label="the paper", **style)
            figure.legend(loc="outside upper right")
        axis.set_yticks(range(len(names)), names)
        axis.tick_params(axis="y", length=0)
        axis.set_ylim(len(names) - 0.5, -0.5)
        if dotted is not None:
            axis.axvline(dotted, color=_ink(), linewidth=1.2, linestyle=":")
            axis.annotate(
                f"{words} {dotted:.1f}",
                (dotted, 1),
                xycoords=axis.get_xaxis_transform(),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
        ends = [*(high for _, _, high in values.values()), *printed.values(), dotted or 0.0, 0.1]
        axis.set_xlim(0, 1.12 * max(ends))
        axis.set_xlabel(xlabel)
    return figure


def statistics_panels(tables: Mapping[str, Float[np.ndarray, "_ 4"]]) -> Figure:
    """Return one panel per low-level statistic with its distribution in each set of images.

    A dot is the median, a thick line holds half of a set's images, a thin one nine of ten. The grey
    band continues the thin line of the first set: values inside it are not unusual.

    Args:
        tables: set -> return value of `metrics.image_statistics.statistics`, ordinary images first.

    Raises:
        InputError: no sets, a set without images, or statistics that are not finite.

    >>> tables = {"ordinary": np.random.default_rng(0).uniform(size=(20, 4))}
    >>> len(statistics_panels(tables).axes)
    4
    """
    _check(tables)
    names = list(tables)
    with house():
        figure = Figure(figsize=(5.4, 2 * (0.21 * len(names) + 0.75)))
        axes = figure.subplots(2, 2, sharey=True).ravel()
        for column, (axis, statistic) in enumerate(zip(axes, STATISTICS, strict=True)):
            for place, (name, table) in enumerate(tables.items()):
                shade = colour(name, names)
                ends = np.quantile(table[:, column], [0.05, 0.25, 0.5, 0.75, 0.95])
                if place == 0:
                    axis.axvspan(ends[0], ends[4], color=GREY, alpha=0.2, linewidth=0)
                style: dict[str, Any] = {"color": shade, "solid_capstyle": "butt"}
                axis.plot(ends[[0, 4]], [place, place], linewidth=1.2, **style)
                axis.plot(ends[[1, 3]], [place, place], linewidth=5, **style)
                axis.plot(ends[2], place, "o", color=shade, ms=6, mec="white", mew=1)
            axis.set_title(_TITLES[statistic], fontsize=9, fontweight="normal")
        axes[0].set_yticks(range(len(names)), names)
        axes[0].set_ylim(len(names) - 0.5, -0.5)
        for axis in axes:
            axis.tick_params(axis="y", length=0)
    return figure


def _ink() -> str:
    return str(mpl.rcParams["text.color"])


def _check(sets: Mapping[str, np.ndarray]) -> None:
    if not sets:
        raise InputError("Expected at least one set of images to draw, but got none.")
    for name, values in sets.items():
        if len(values) == 0 or not np.isfinite(values).all():
            raise InputError(
                f"Expected at least one image of {name} and only finite numbers, but got "
                f"{len(values)} images and {int((~np.isfinite(values)).sum())} numbers that are "
                "not finite."
            )
