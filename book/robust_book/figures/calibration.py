"""Calibration figures: response rate accuracy curves and reliability diagrams."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from robust_book.figures.labels import at_ends
from robust_book.figures.style import GREY, WIDE, colour, dashes, house
from robust_lib.errors import InputError
from robust_lib.metrics.calibration import Reliability
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.results.interval import PercentInterval

Curve = Mapping[int, PercentInterval]
"""Response rate, percent -> (accuracy, low, high), percent."""

_MARKED = (10, 50, 100)  # the response rates that a table would give


def response_rate(curves: Mapping[str, Curve]) -> Figure:
    """Return response rate accuracy curves with their intervals as bands, as in [nae, fig. 13].

    Dots mark response rates of 10, 50 and 100 %.

    Args:
        curves: title of a model -> its curve, which ends at 100 %.

    Raises:
        InputError: no curves, or one that does not end at 100 %.

    >>> curve = {50: (40.0, 30.0, 50.0), 100: (20.0, 15.0, 25.0)}
    >>> response_rate({"ResNet-18": curve}).axes[0].get_ylabel()
    'accuracy (%)'
    """
    if not curves:
        raise InputError("Expected at least one curve to draw, but got none.")
    for name, curve in curves.items():
        if max(curve, default=0) != 100:
            raise InputError(
                f"Expected response rates up to 100 %, but those of {name} end at "
                f"{max(curve, default=0):g} %."
            )
    names, strokes = list(curves), dashes(list(curves))
    with house():
        figure = Figure(figsize=(5.4, 3.1))
        axis = figure.subplots()
        for name, curve in curves.items():
            shade, rates = colour(name, names), sorted(curve)
            value, low, high = np.array([curve[rate] for rate in rates]).T
            band: dict[str, Any] = {"alpha": 0.12, "linewidth": 0, "label": f"{name}, band"}
            axis.fill_between(rates, low, high, color=shade, **band)
            axis.plot(rates, value, linestyle=strokes[name], color=shade, label=name)
            marked = [rate for rate in _MARKED if rate in curve]
            axis.plot(marked, [curve[rate][0] for rate in marked], "o", color=shade, label=name)
        axis.set_xlim(0, 101.5)
        axis.set_ylim(0, 100)
        axis.set_xticks([0, 10, 25, 50, 75, 100])
        axis.set_xlabel("response rate (%), the most confident first")
        axis.set_ylabel("accuracy (%)")
        axis.grid(axis="y")
        ends = {name: (100.0, float(curve[100][0])) for name, curve in curves.items()}
        at_ends(axis, ends, {name: colour(name, names) for name in names}, height=72 * 2.4)
    return figure


Diagrams = Mapping[str, Mapping[str, Reliability]]
"""Title of a network -> what images are called -> the bins of its confidence on them."""

_FEW = 5  # images of a bin, below which its dot is hollow
_LARGEST = 10.0  # diameter of the dot of the largest bin, points; areas are as the bins' images


def reliability_diagrams(records: Diagrams, *, columns: int = 2) -> Figure:
    """Return one reliability diagram per network: accuracy against confidence, both in percent.

    Each dot is a bin; its area shows the number of images and its line the 95 % interval
    (Clopper-Pearson). Bins of fewer than five images are hollow. On the dotted diagonal, confidence
    equals accuracy; below it, a network is overconfident. The strip below each diagram shows the
    share of the images in each bin of confidence.

    Args:
        records: network -> kind of images -> return value of `metrics.calibration.reliability`.

    Raises:
        InputError: no records.

    >>> from robust_lib.metrics.calibration import reliability
    >>> confidence = np.linspace(0.1, 1, 40)
    >>> record = {"hard": reliability(confidence, confidence > 0.5)}
    >>> figure = reliability_diagrams({"ResNet-18": record})
    >>> figure.axes[0].get_title(loc="left")
    'ResNet-18'
    """
    kinds = list(dict.fromkeys(kind for of_kind in records.values() for kind in of_kind))
    if not kinds:
        raise InputError("Expected at least one model to draw, but got none.")
    names, every = list(records), [one for of_kind in records.values() for one in of_kind.values()]
    columns = min(columns, len(names))
    rows = -(-len(names) // columns)
    with house():
        figure = Figure(figsize=(min(WIDE, 2.9 * columns + 0.5), 3.1 * rows + 0.4))
        heights = [5.0, 1.0] * rows
        axes = figure.subplots(2 * rows, columns, sharex=True, height_ratios=heights, squeeze=False)
        highest = max(float(_share(one).max()) for one in every)
        for place in range(rows * columns):
            row, column = divmod(place, columns)
            axis, strip = axes[2 * row][column], axes[2 * row + 1][column]
            if place >= len(names):
                axis.set_axis_off()
                strip.set_axis_off()
                continue
            diagonal: dict[str, Any] = {"linewidth": 1.2, "linestyle": ":", "gid": "reference"}
            axis.plot([0, 100], [0, 100], color=GREY, **diagonal)
            for kind, drawn in records[names[place]].items():
                shade = colour(kind, kinds)
                _bins(axis, drawn, shade, kind)
                for fill, alpha in ((True, 0.25), (False, 1.0)):
                    how: dict[str, Any] = {"color": shade, "fill": fill, "alpha": alpha}
                    how["label"] = f"{kind}, share of the images"
                    strip.stairs(_share(drawn), 100 * drawn.edges, linewidth=1.2, **how)
            axis.set_title(names[place])
            axis.set(xlim=(0, 101), ylim=(0, 101), yticks=[0, 25, 50, 75, 100])
            axis.grid()
            strip.set(ylim=(0, 1.05 * highest), xticks=[0, 25, 50, 75, 100])
            strip.set_xlabel("confidence (%)")
            strip.tick_params(labelbottom=True)
            if column == 0:
                axis.set_ylabel("accuracy (%)")
                strip.set_ylabel("share (%)")
        marks = [
            Line2D([], [], marker="o", linestyle="", ms=6, color=colour(kind, kinds), label=kind)
            for kind in kinds
        ]
        few = f"fewer than {_FEW} images"
        marks.append(Line2D([], [], marker="o", linestyle="", mec=GREY, mfc="none", label=few))
        figure.legend(handles=marks, loc="outside upper left", ncols=len(marks))
    return figure


def _bins(axis: Axes, drawn: Reliability, shade: str, kind: str) -> None:
    """Draw a dot and an interval for each bin that has images."""
    largest = max(int(drawn.count.max()), 1)
    for number, sure, right in zip(drawn.count, drawn.confidence, drawn.accuracy, strict=True):
        if not number:
            continue
        low, high = clopper_pearson(round(float(right * number)), int(number))
        thin: dict[str, Any] = {"linewidth": 0.8, "label": f"{kind}, interval"}
        axis.plot([100 * sure] * 2, [100 * low, 100 * high], color=shade, **thin)
        size = max(3.5, _LARGEST * float(np.sqrt(number / largest)))
        fill = "none" if number < _FEW else shade
        look: dict[str, Any] = {"mec": shade, "mfc": fill, "clip_on": False}
        axis.plot(100 * sure, 100 * right, "o", ms=size, label=f"{kind}, n = {number}", **look)


def _share(drawn: Reliability) -> Float[np.ndarray, " bins"]:
    """Return the share of the images in each bin, percent."""
    return np.asarray(100 * drawn.count / max(drawn.count.sum(), 1))
