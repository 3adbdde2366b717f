"""Changes of two measures when one network replaces another, as arrows from one origin."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures.style import GREY, MARKS, PAPER, RUN, house
from robust_lib.errors import InputError
from robust_lib.results.interval import PercentInterval

Both = tuple[PercentInterval, PercentInterval]


def changes(
    ours: Mapping[str, Both],
    paper: Mapping[str, Both],
    *,
    xlabel: str,
    ylabel: str,
    slopes: Mapping[str, float] = MappingProxyType({}),
) -> Figure:
    """Return a figure with one arrow from the origin for each replacement of a network.

    This run's arrows are blue, with intervals; the paper's are grey and hollow. The shape of the
    marker identifies the networks. On a dotted line both numbers change equally: an arrow that ends
    below it gains more on the second number than on the first.

    Args:
        ours: replacement, such as "A to B" -> change of both numbers, (value, low, high), points.
        paper: the same, as printed; numbers without intervals.
        slopes: "this run" and "the paper" -> number of points of the second measure that equal one
            point of the first.

    Raises:
        InputError: no changes, or more than can be distinguished.

    >>> both = ((2.0, 1.0, 3.0), (-5.0, -6.0, -4.0))
    >>> figure = changes({"A to B": both}, {}, xlabel="error", ylabel="mCE")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['A to B', 'this run']
    """
    names = list(dict.fromkeys([*ours, *paper]))
    if not names or len(names) > len(MARKS):
        raise InputError(
            f"Expected one to {len(MARKS)} networks that replace others, but got "
            f"{', '.join(names) or 'none'}."
        )
    shapes = dict(zip(names, MARKS, strict=False))
    with house():
        figure = Figure(figsize=(5.8, 4.2))
        axis = figure.subplots()
        axis.axhline(0, color=GREY, linewidth=0.8)
        axis.axvline(0, color=GREY, linewidth=0.8)
        for shade, arrows in ((PAPER, paper), (RUN, ours)):
            for name, both in arrows.items():
                _arrow(axis, both, shade, shapes[name], name)
        axis.margins(0.12)
        axis.autoscale_view()
        for source, slope in slopes.items():
            _equal(axis, source, slope, PAPER if source == "the paper" else RUN)
        axis.set(xlabel=xlabel, ylabel=ylabel)
        axis.grid()
        _legend(figure, axis, shapes, bool(ours), bool(paper))
    return figure


def _arrow(axis: Axes, both: Both, shade: str, shape: str, name: str) -> None:
    (x, left, right), (y, bottom, top) = both
    light: dict[str, Any] = {"color": shade, "linewidth": 0.7}
    if right > left:
        axis.plot([left, right], [y, y], label=f"{name}, interval", **light)
    if top > bottom:
        axis.plot([x, x], [bottom, top], label=f"{name}, interval", **light)
    style: dict[str, Any] = {"arrowstyle": "->", "color": shade, "lw": 1.2, "shrinkB": 4}
    axis.annotate("", (x, y), xytext=(0, 0), arrowprops=style)
    face = "none" if shade == PAPER else shade
    label = f"{name}, the paper" if shade == PAPER else name
    axis.plot([x], [y], shape, ms=6, mec=shade, mfc=face, mew=1.3, label=label)


def _equal(axis: Axes, source: str, slope: float, shade: str) -> None:
    """Draw the line on which both numbers change equally, across the whole panel."""
    (left, right), (bottom, top) = axis.get_xlim(), axis.get_ylim()
    ends = [max(left, bottom / slope), min(right, top / slope)]
    axis.plot(ends, [slope * end for end in ends], color=shade, lw=1.1, ls=":", gid="reference")
    is_first = source == "the paper"  # the two lines may coincide, so their names have an end each
    end = ends[0] if is_first else ends[1]
    at: dict[str, Any] = {"fontsize": 8, "ha": "left" if is_first else "right"}
    at["va"] = "top" if is_first else "bottom"
    axis.annotate(f"as much, {source}", (end, slope * end), color=shade, **at)
    axis.set(xlim=(left, right), ylim=(bottom, top))


def _legend(
    figure: Figure, axis: Axes, shapes: Mapping[str, str], is_ours: bool, is_paper: bool
) -> None:
    plain: dict[str, Any] = {"mec": GREY, "mfc": "none", "mew": 1.3, "ls": ""}
    handles = [
        axis.plot([], [], shape, ms=6, label=name, **plain)[0] for name, shape in shapes.items()
    ]
    if is_ours:
        handles += axis.plot([], [], "-", lw=2.5, color=RUN, label="this run")
    if is_paper:
        handles += axis.plot([], [], "-", lw=2.5, color=PAPER, label="the paper")
    figure.legend(handles=handles, loc="outside upper left", ncols=2)
