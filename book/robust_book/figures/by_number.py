"""A number against how many: lines with bands, and what somebody else found on average."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from robust_book.figures.style import DISTINCT, house
from robust_lib.results.interval import PercentInterval


def by_number(
    lines: Mapping[str, Mapping[int, PercentInterval]],
    *,
    xlabel: str,
    ylabel: str,
    means: Mapping[str, float] = MappingProxyType({}),
) -> Figure:
    """Return a line a thing against a whole number, its interval a light band.

    Args:
        lines: title -> number -> (value, low, high), as they are to be read off.
        xlabel: what is counted.
        ylabel: what the values are.
        means: title -> where a dotted line lies; they take the colours of the lines, in order.

    >>> figure = by_number({"seen": {1: (10.0, 5.0, 15.0)}}, xlabel="held out", ylabel="error (%)")
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [10.0]
    """
    with house():
        figure = Figure(figsize=(5.4, 3.2))
        axis = figure.subplots()
        for shade, (title, values) in zip(DISTINCT * len(lines), lines.items(), strict=False):
            at = np.array(sorted(values))
            value, low, high = np.array([values[number] for number in at]).T
            axis.fill_between(at, low, high, color=shade, alpha=0.15, linewidth=0)
            axis.plot(at, value, marker="o", ms=4, color=shade, label=title)
        for shade, (title, mean) in zip(DISTINCT * len(means), means.items(), strict=False):
            axis.axhline(mean, color=shade, linestyle=":", lw=1.2, label=title)
        axis.set_xlabel(xlabel)
        axis.set_ylabel(ylabel)
        axis.set_ylim(0, 100)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.grid(axis="y")
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
