"""Numbers of models as bars or points, the paper's beside ours, on the same axes."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from robust_lib.errors import InputError
from robust_lib.figures.style import corruption_label, house

Interval = tuple[float, float, float]  # value, low, high: fractions
LINE_PANEL = 150  # height of a panel of lines, points
TEXT = 10  # height of a line's name, points


def architectures(
    ours: Mapping[str, Mapping[str, Interval]],
    paper: Mapping[str, Mapping[str, float]],
    *,
    words: Sequence[str],
    ylabel: str = "corruption error (%, AlexNet = 100)",
    even: float | None = 100,
) -> Figure:
    """Return one panel a source (the paper, this run), one line a metric, one point a model.

    Args:
        ours: metric -> title of a model -> (value, low, high), fractions.
        paper: metric -> title of a model -> value, fractions.
        words: titles of the two panels, the paper's first.
        ylabel: of the common axis.
        even: where a dotted line lies, in percent: the normaliser's own value; None draws none.

    Raises:
        InputError: more metrics than can be told apart.

    >>> ours, paper = {"mCE": {"ResNet-18": (0.9, 0.8, 1.0)}}, {"mCE": {"ResNet-18": 0.847}}
    >>> figure = architectures(ours, paper, words=("The paper", "This run"))
    >>> [axis.get_title(loc="left") for axis in figure.axes]
    ['The paper', 'This run']
    """
    shades = ("#0072B2", "#D55E00", "#009E73", "#8A8A94")
    if max(len(ours), len(paper)) > len(shades):
        raise InputError(
            f"Expected at most {len(shades)} metrics in one figure, but got "
            f"{', '.join(dict.fromkeys([*paper, *ours]))}. Draw two figures."
        )
    with house():
        figure = Figure(figsize=(7.6, 3.4))
        left, right = figure.subplots(1, 2, sharey=True)
        printed = {
            metric: {model: (value, value, value) for model, value in by_model.items()}
            for metric, by_model in paper.items()
        }
        for axis, lines in ((left, printed), (right, ours)):
            names = _ticks(axis, lines)
            for place, (metric, values) in enumerate(lines.items()):
                _line(axis, metric, values, shades[place], names)
        for axis, title in zip((left, right), words, strict=True):
            axis.set_title(title)
            axis.grid(axis="y")
            if even is not None:
                axis.axhline(even, color="#8A8A94", linewidth=0.8, linestyle=":")
        left.set_ylabel(ylabel)
        for axis in (left, right):  # once all lines are there, the common axis has its ends
            _name_lines(axis)
    return figure


def _ticks(axis: Axes, lines: Mapping[str, Mapping[str, Interval]]) -> list[str]:
    """Write the name of every model of a panel below it, and return the names in their order.

    A line may lack models, so the longest one says most of the order.
    """
    ranked = sorted(lines.values(), key=len, reverse=True)
    names = list(dict.fromkeys(name for values in ranked for name in values))
    axis.set_xticks(range(len(names)), names, rotation=40, ha="right")
    return names


def _line(
    axis: Axes, metric: str, values: Mapping[str, Interval], shade: str, among: Sequence[str]
) -> None:
    names = [name for name in among if name in values]
    if not names:  # a mean is not there when one of its corruptions is not
        return
    middle = [100 * values[name][0] for name in names]
    below = [100 * (values[name][0] - values[name][1]) for name in names]
    above = [100 * (values[name][2] - values[name][0]) for name in names]
    axis.errorbar(
        [among.index(name) for name in names],
        middle,
        yerr=[below, above],
        marker="o",
        color=shade,
        capsize=2,
        elinewidth=1,
        label=metric,
    )


def _name_lines(axis: Axes) -> None:
    """Write each line's name at its end; names of lines that end close by move apart."""
    bars = [bar for bar in axis.containers if isinstance(bar, ErrorbarContainer)]
    ends = {str(bar.get_label()): np.asarray(bar.lines[0].get_data())[:, -1] for bar in bars}
    shades = {str(bar.get_label()): str(bar.lines[0].get_color()) for bar in bars}
    bottom, top = axis.get_ylim()
    height = LINE_PANEL / (top - bottom)
    places: list[float] = []  # points above the lowest tick, each a line of text above the last
    for name in sorted(ends, key=lambda name: float(ends[name][1])):
        x, y = (float(value) for value in ends[name])
        own = y * height
        place = max(own, places[-1] + TEXT) if places else own
        places.append(place)
        axis.annotate(
            name,
            (x, y),
            xytext=(6, place - own),
            textcoords="offset points",
            color=shades[name],
            va="center",
            fontsize=8,
            annotation_clip=False,
        )


def by_corruption(frame: pd.DataFrame, *, xlabel: str) -> Figure:
    """Return a row a corruption and a point a source, joined by a line: where they differ.

    Args:
        frame: index: corruptions; columns: sources, the paper's first; values in percent.
        xlabel: of the common axis.

    >>> frame = pd.DataFrame({"the paper": [82.0], "this run": [50.0]}, index=["fog"])
    >>> by_corruption(frame, xlabel="error (%)").axes[0].get_yticklabels()[0].get_text()
    'Fog'
    """
    return dots(frame.rename(index=lambda name: corruption_label(str(name))), xlabel=xlabel)


def dots(frame: pd.DataFrame, *, xlabel: str) -> Figure:
    """Return a row a thing and a point a source, joined by a line.

    Args:
        frame: index: what the rows are called; columns: sources, at most three, others' first;
            values in percent, missing ones not drawn.
        xlabel: of the common axis.

    >>> frame = pd.DataFrame({"others": [2.0], "this run": [3.0]}, index=["ResNet-50"])
    >>> dots(frame, xlabel="accuracy (%)").axes[0].get_yticklabels()[0].get_text()
    'ResNet-50'
    """
    shades = ("#8A8A94", "#0072B2", "#D55E00")
    with house():
        figure = Figure(figsize=(6.4, 0.26 * len(frame) + 0.9))
        axis = figure.subplots()
        places = range(len(frame))[::-1]
        low, high = frame.min(axis=1), frame.max(axis=1)
        axis.hlines(list(places), low, high, color="#8A8A94", linewidth=1, alpha=0.5)
        for place, column in enumerate(frame.columns):
            shade = shades[place % len(shades)]
            axis.plot(frame[column], list(places), "o", color=shade, label=str(column))
        axis.set_yticks(list(places), [str(name) for name in frame.index])
        axis.set_xlabel(xlabel)
        axis.grid(axis="x")
        axis.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(frame.columns))
    return figure
