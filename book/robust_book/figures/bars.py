"""Bars and points for models, the paper's next to ours, and the share that each step keeps."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from robust_book.figures.labels import at_ends
from robust_book.figures.style import GREY, MARKS, PAPER, RUN, WIDE, WRONG, colour, house
from robust_lib.errors import InputError
from robust_lib.results.interval import PercentInterval

LINE_PANEL = 150  # height of a panel of lines, points
_LINES = ("-", "--", ":", "-.")  # of metrics, which shapes and dashes tell apart


def architectures(
    ours: Mapping[str, Mapping[str, PercentInterval]],
    paper: Mapping[str, Mapping[str, float]],
    *,
    words: Sequence[str],
) -> Figure:
    """Return one panel per source (paper, run), with one line per metric and one point per model.

    Models are in the paper's order, by decreasing clean error, so a line may join them. Shapes and
    dashes distinguish metrics; the colour identifies the source.

    Args:
        ours: metric -> title of a model -> (value, low, high), percent.
        paper: metric -> title of a model -> value, percent.
        words: titles of the two panels, the paper's first.

    Raises:
        InputError: more metrics than can be distinguished.

    >>> ours, paper = {"mCE": {"ResNet-18": (90.0, 80.0, 99.0)}}, {"mCE": {"ResNet-18": 84.7}}
    >>> figure = architectures(ours, paper, words=("The paper", "This run"))
    >>> [axis.get_title(loc="left") for axis in figure.axes]
    ['The paper', 'This run']
    """
    if max(len(ours), len(paper)) > len(_LINES):
        raise InputError(
            f"Expected at most {len(_LINES)} metrics in one figure, but got "
            f"{', '.join(dict.fromkeys([*paper, *ours]))}. Draw two figures."
        )
    with house():
        figure = Figure(figsize=(WIDE, 3.4))
        left, right = figure.subplots(1, 2, sharey=True)
        printed = {
            metric: {model: PercentInterval((value,) * 3) for model, value in by_model.items()}
            for metric, by_model in paper.items()
        }
        metrics = list(dict.fromkeys([*printed, *ours]))
        for axis, lines, shade in ((left, printed, PAPER), (right, ours, RUN)):
            names = _ticks(axis, lines)
            for metric, values in lines.items():
                _line(axis, metric, values, names, shade, metrics.index(metric))
        for axis, title in zip((left, right), words, strict=True):
            axis.set_title(title)
            axis.grid(axis="y")
            axis.axhline(100, color=GREY, linewidth=0.8, linestyle=":")
        left.set_ylabel("corruption error (%, AlexNet = 100)")
        for axis in (left, right):  # once all lines are there, the common axis has its ends
            _name_lines(axis)
    return figure


def _ticks(axis: Axes, lines: Mapping[str, Mapping[str, PercentInterval]]) -> list[str]:
    """Write the names of a panel's models below it, and return them in order.

    A line may lack models, so the longest one determines most of the order.
    """
    ranked = sorted(lines.values(), key=len, reverse=True)
    names = list(dict.fromkeys(name for values in ranked for name in values))
    axis.set_xticks(range(len(names)), names, rotation=40, ha="right")
    return names


def _line(
    axis: Axes,
    metric: str,
    values: Mapping[str, PercentInterval],
    among: Sequence[str],
    shade: str,
    place: int,
) -> None:
    names = [name for name in among if name in values]
    if not names:  # a mean is not there when one of its corruptions is not
        return
    middle = [values[name][0] for name in names]
    below = [values[name][0] - values[name][1] for name in names]
    above = [values[name][2] - values[name][0] for name in names]
    axis.errorbar(
        [among.index(name) for name in names],
        middle,
        yerr=[below, above],
        marker=MARKS[place],
        linestyle=_LINES[place],
        mfc="none" if shade == PAPER else shade,
        color=shade,
        capsize=0 if shade == PAPER else 2,
        elinewidth=1,
        label=metric,
    )


def _name_lines(axis: Axes) -> None:
    bars = [bar for bar in axis.containers if isinstance(bar, ErrorbarContainer)]
    ends = {str(bar.get_label()): np.asarray(bar.lines[0].get_data())[:, -1] for bar in bars}
    shades = {str(bar.get_label()): str(bar.lines[0].get_color()) for bar in bars}
    at_ends(
        axis, {name: (float(x), float(y)) for name, (x, y) in ends.items()}, shades,
        height=LINE_PANEL,
    )  # fmt: skip


def funnels(counts: Mapping[str, Mapping[str, int]]) -> Figure:
    """Return one panel per source, with one bar per step: the share of candidates that it keeps.

    Args:
        counts: title of a source -> step -> number of candidates left after it, the pool first.

    Raises:
        InputError: no source, or one without a step after its pool.

    >>> figure = funnels({"The paper": {"candidates": 80000, "kept": 800}})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1.0 %, 800 of 80,000']
    """
    if not counts or any(len(steps) < 2 for steps in counts.values()):
        raise InputError(
            "Expected at least one funnel to draw, each with a pool and a step, but got "
            f"{', '.join(f'{title} of {len(steps)}' for title, steps in counts.items()) or 'none'}."
        )
    rows = max(len(steps) for steps in counts.values()) - 1
    with house():
        figure = Figure(figsize=(WIDE, 0.5 * rows + 0.9))
        axes = figure.subplots(1, len(counts), squeeze=False)[0]
        for axis, (title, steps) in zip(axes, counts.items(), strict=True):
            names = list(steps)[1:]
            for place, (before, left) in enumerate(pairwise(steps.values())):
                share = 100 * left / before if before else 0.0
                shade = colour(title.partition(":")[0], list(counts))
                axis.barh(place, share, color=shade, height=0.42)
                words = (
                    f"{share:.1f} %, {left:,} of {before:,}" if before else "none reached this step"
                )
                axis.annotate(words, (0, place - 0.24), (2, 1), textcoords="offset points",
                              va="bottom", fontsize=8)  # fmt: skip
            axis.set_yticks(range(len(names)), names)
            axis.set_ylim(len(names) - 0.6, -0.7)
            axis.set_xlim(0, 100)
            axis.set_title(title)
            axis.set_xlabel("share kept by the step (%)")
    return figure


def turned(
    counts: Mapping[str, tuple[int, int]], net: Mapping[str, PercentInterval], *, images: int
) -> Figure:
    """Return diverging bars: predictions that turn wrong to the left, correct to the right.

    Bars are shares of all images, with their counts at the ends. A dot is the net change, with its
    interval.

    Args:
        counts: intervention -> number of predictions that turn wrong, and number that turn correct;
            an intervention without counts, such as a mean, has only a dot.
        net: intervention -> (change, low, high), points.
        images: number of all images.

    >>> figure = turned({"grey": (3, 5)}, {"grey": (2.0, -1.0, 5.0)}, images=100)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['3', '5']
    """
    names = list(net)
    with house():
        ink = str(mpl.rcParams["text.color"])
        sides = (-1, WRONG, "broken"), (1, ink, "corrected")
        figure = Figure(figsize=(5.4, 0.32 * len(names) + 1.3))
        axis = figure.subplots()
        for place, name in enumerate(names):
            for (side, shade, word), count in zip(sides, counts.get(name, ()), strict=False):
                axis.barh(
                    place - 0.1,
                    side * 100 * count / images,
                    facecolor=(shade, 0.35),
                    edgecolor=shade,
                    height=0.4,
                    label=word,
                )
                end: dict[str, Any] = {"ha": "right" if side < 0 else "left", "va": "center"}
                at = (side * 100 * count / images, place - 0.1)
                away: dict[str, Any] = {"xytext": (3 * side, 0), "textcoords": "offset points"}
                axis.annotate(f"{count:,}", at, fontsize=8, **end, **away)
            value, low, high = net[name]
            ends: dict[str, Any] = {"linewidth": 1.4, "label": "net change, interval"}
            below = place + 0.28  # on the page's own ground, where blue is seen
            axis.plot([low, high], [below, below], color=RUN, **ends)
            axis.plot(value, below, "o", ms=5, color=RUN, label="net change")
        axis.axvline(0, color=GREY, linewidth=1, gid="reference")
        axis.set_yticks(range(len(names)), names)
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.tick_params(axis="y", length=0)
        axis.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        widest = 1.15 * max(map(abs, axis.get_xlim()))
        axis.set_xlim(-widest, widest)
        axis.set_xlabel(f"share of the {images:,} images (%); dots: net change, 95 % interval")
        axis.set_title("\N{LEFTWARDS ARROW} broken", loc="left", fontsize=9)
        axis.set_title("corrected \N{CHECK MARK} \N{RIGHTWARDS ARROW}", loc="right", fontsize=9)
        axis.grid(axis="x")
    return figure
