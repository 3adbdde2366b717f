"""Numbers along an axis: severity, epoch, rate."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from robust_lib.figures.style import colour, corruption_label, house, label


def by_severity(frame: pd.DataFrame, *, columns: int = 5) -> Figure:
    """Return a small panel a corruption with error against severity, one line a model.

    Args:
        frame: columns corruption, severity (0 is clean), model, error in percent.
        columns: panels a row.
    """
    names = list(dict.fromkeys(frame["corruption"]))
    models = list(dict.fromkeys(frame["model"]))
    rows = -(-len(names) // columns)
    with house():
        figure = Figure(figsize=(1.75 * columns, 1.45 * rows + 0.5))
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axis in axes[len(names) :]:
            axis.set_axis_off()
        for axis, name in zip(axes, names, strict=False):
            for model in models:
                part = frame[(frame["corruption"] == name) & (frame["model"] == model)]
                shade = colour(model, models)
                axis.plot(part["severity"], part["error"], color=shade, label=label(model), lw=1.2)
            axis.set_title(corruption_label(name), fontsize=8, fontweight="normal")
            axis.set_xticks(sorted(set(frame["severity"])))
            axis.set_ylim(0, 100)
            axis.grid(axis="y")
        figure.supylabel("top-1 error (%)", fontsize=9)
        figure.supxlabel("severity (0 is clean)", fontsize=9)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=min(7, len(models)))
    return figure


def training(curves: Mapping[str, Sequence[float]], *, ylabel: str) -> Figure:
    """Return one line a network over its epochs; those of one architecture share a colour.

    The first of an architecture has dots: what is trained with a corruption, or without some
    images, comes behind it.
    """
    seen: set[str] = set()
    with house():
        figure = Figure(figsize=(5.4, 2.6))
        axis = figure.subplots()
        architectures = list(dict.fromkeys(_architecture(name) for name in curves))
        for name, values in curves.items():
            architecture = _architecture(name)
            first = architecture not in seen
            seen.add(architecture)
            axis.plot(
                range(1, len(values) + 1),
                values,
                "o-" if first else "-",
                label=label(architecture) if first else None,
                ms=3,
                lw=None if first else 0.6,
                color=colour(architecture, architectures),
            )
        axis.set_xlabel("epoch")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.set_ylabel(ylabel)
        axis.grid(axis="y")
        if curves:  # public weights have none
            axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _architecture(name: str) -> str:
    """Return a network's name without what it was trained with or without."""
    return name.partition("~")[0].partition("@")[0].partition("+")[0]
