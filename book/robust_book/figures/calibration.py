"""Whether confidence can be trusted: response rates and reliability."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures.style import GREY, WIDE, colour, dashes, house
from robust_lib.errors import InputError
from robust_lib.metrics.calibration import Reliability

Curve = tuple[
    Float[np.ndarray, " rates"], Float[np.ndarray, " rates"]
]  # rates, accuracy: fractions

_MARKED = (0.1, 0.5, 1.0)  # the response rates that a table would give
_TEXT = 11  # height of a line's name, points


def response_rate(
    curves: Mapping[str, Curve],
    intervals: Mapping[str, Mapping[float, tuple[float, float]]] = MappingProxyType({}),
) -> Figure:
    """Return response rate accuracy curves, as in [nae, fig. 13], in percent.

    Dots mark response rates of 10, 50 and 100 %, and are read off the curve.

    Args:
        curves: title of a model -> (rates, accuracy), both fractions, rates rising to 1.
        intervals: title of a model -> rate -> the ends of the accuracy's interval, fractions.

    Raises:
        InputError: no curves, or rates that do not rise to 1.

    >>> curve = np.array([0.5, 1.0]), np.array([0.4, 0.2])
    >>> response_rate({"ResNet-18": curve}).axes[0].get_ylabel()
    'accuracy (%)'
    """
    if not curves:
        raise InputError("Expected at least one curve to draw, but got none.")
    for name, (rates, _) in curves.items():
        if len(rates) == 0 or rates[-1] != 1 or (np.diff(rates) <= 0).any():
            raise InputError(f"Expected response rates that rise to 1, but those of {name} do not.")
    names, strokes = list(curves), dashes(list(curves))
    with house():
        figure = Figure(figsize=(5.4, 3.1))
        axis = figure.subplots()
        for name, (rates, accuracy) in curves.items():
            shade = colour(name, names)
            axis.plot(100 * rates, 100 * accuracy, linestyle=strokes[name], color=shade)
            marked = [rate for rate in _MARKED if rate >= rates[0]]
            at = 100 * np.interp(marked, rates, accuracy)
            axis.plot([100 * rate for rate in marked], at, "o", color=shade)
            for rate, (low, high) in intervals.get(name, {}).items():
                axis.plot([100 * rate] * 2, [100 * low, 100 * high], color=shade, linewidth=1.2)
        axis.set_xlim(0, 101.5)
        axis.set_ylim(0, None)
        axis.set_xticks([0, 10, 25, 50, 75, 100])
        axis.set_xlabel("response rate (%), the most confident first")
        axis.set_ylabel("accuracy (%)")
        axis.grid(axis="y")
        ends = {name: 100 * float(accuracy[-1]) for name, (_, accuracy) in curves.items()}
        _name_ends(axis, ends, height=72 * 2.4)
    return figure


def _name_ends(axis: Axes, ends: Mapping[str, float], *, height: float) -> None:
    """Write each curve's name at its right end; names of curves that end close by move apart."""
    bottom, top = axis.get_ylim()
    scale = height / (top - bottom)
    last = -np.inf
    for name in sorted(ends, key=lambda name: ends[name]):
        own = ends[name] * scale
        last = max(own, last + _TEXT)
        axis.annotate(
            name,
            (100, ends[name]),
            xytext=(8, last - own),
            textcoords="offset points",
            color=colour(name, list(ends)),
            va="center",
            fontsize=8,
            annotation_clip=False,
        )


def reliability_diagrams(records: Mapping[str, Reliability], *, columns: int = 2) -> Figure:
    """Return one reliability diagram per model: accuracy against confidence, both in percent.

    On the dotted diagonal confidence is right; below it a network is too sure. A faint bar is the
    share of the images that have this confidence.

    Args:
        records: title of a model -> what `metrics.calibration.reliability` returns.

    Raises:
        InputError: no records.

    >>> from robust_lib.metrics.calibration import reliability
    >>> confidence = np.linspace(0.1, 1, 40)
    >>> figure = reliability_diagrams({"ResNet-18": reliability(confidence, confidence > 0.5)})
    >>> figure.axes[0].get_title(loc="left")
    'ResNet-18'
    """
    if not records:
        raise InputError("Expected at least one model to draw, but got none.")
    names = list(records)
    columns = min(columns, len(names))
    rows = -(-len(names) // columns)
    with house():
        figure = Figure(figsize=(min(WIDE, 2.3 * columns + 0.5), 2.2 * rows + 0.4))
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axis in axes[len(names) :]:
            axis.set_axis_off()
        for axis, (name, drawn) in zip(axes, records.items(), strict=False):
            shade = colour(name, names)
            share = 100 * drawn.count / drawn.count.sum()
            axis.stairs(share, 100 * drawn.edges, fill=True, color=GREY, alpha=0.3)
            axis.plot([0, 100], [0, 100], color=GREY, linewidth=1.2, linestyle=":")
            filled = drawn.count > 0
            axis.plot(
                100 * drawn.confidence[filled], 100 * drawn.accuracy[filled], "o-", color=shade
            )
            axis.set_title(name, fontsize=9)
        for axis in axes[: len(names)]:
            axis.set(xlim=(0, 101), ylim=(0, 101), aspect="equal")
            axis.set_xticks([0, 50, 100])
            axis.set_yticks([0, 50, 100])
        # The last panel of a column has no panel below that would carry its ticks.
        for axis in axes[max(0, len(names) - columns) : len(names)]:
            axis.tick_params(labelbottom=True)
        figure.supxlabel("confidence (%)", fontsize=9)
        figure.supylabel("accuracy; bars: share of the images (%)", fontsize=9)
    return figure
