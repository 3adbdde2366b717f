"""Several measures per row on one axis, with one shape for each; the paper's are grey, below.

The values that a claim compares are in one row, so that their distance is visible.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures.dot_plots import reference_lines
from robust_book.figures.style import GREY, MARKS, PAPER, RUN, WIDE, house
from robust_lib.errors import InputError
from robust_lib.results.interval import ScoreInterval

_APART = 0.11  # rows, between measures of one row, so that intervals do not cover each other
_BELOW = 0.36  # rows, from this run's numbers to the paper's


@dataclass(frozen=True)
class Rows:
    """The rows of one panel.

    Attributes:
        ours: measure -> row -> (value, low, high), in the unit of the axis.
        paper: measure -> row -> value as printed.
        beside: row -> text at its right end, such as a difference with its interval.
        title: title of the panel.
        beside_title: heading of the texts at the right end.
        is_joined: whether a thin line joins the measures of a row.
    """

    ours: Mapping[str, Mapping[str, ScoreInterval]]
    paper: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    beside_title: str = ""
    is_joined: bool = True

    @property
    def names(self) -> list[str]:
        """The rows, from top to bottom: this run's in order, then those that only the paper has."""
        every = (*self.ours.values(), *self.paper.values())
        return list(dict.fromkeys(name for values in every for name in values))


def on_one_axis(
    panels: Sequence[Rows],
    *,
    xlabel: str,
    ends: tuple[float, float] | None = None,
    lines: Mapping[str, float] = MappingProxyType({}),
    paper: str = "the paper",
) -> Figure:
    """Return panels below each other, all on one axis, with a shape for each measure.

    Args:
        ends: limits of the axis, such as `style.SHARES`; by default the range of the numbers.
        lines: words -> position of a dotted line, such as no change.
        paper: label of the grey shapes.

    Raises:
        InputError: no rows, or more measures than shapes.

    >>> ours = {"style": {"ResNet-20": (55.0, 50.0, 60.0)}, "version": {"ResNet-20": (70.0,) * 3}}
    >>> figure = on_one_axis([Rows(ours, beside={"ResNet-20": "15.0 [9, 21]"})], xlabel="accuracy")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['style', 'version']
    """
    every = [(one.ours, one.paper) for one in panels]
    measures = list(dict.fromkeys(name for pair in every for values in pair for name in values))
    heights = [len(one.names) for one in panels]
    if not sum(heights) or len(measures) > len(MARKS):
        raise InputError(
            f"Expected rows and at most {len(MARKS)} measures, but got {sum(heights)} rows and the "
            f"measures {', '.join(measures) or 'none'}."
        )
    shown = [one for one in panels if one.names]
    shapes = dict(zip(measures, MARKS, strict=False))
    with house():
        steps = [(0.42 if any(one.paper.values()) else 0.26) * len(one.names) for one in shown]
        figure = Figure(figsize=(WIDE, sum(steps) + 0.45 * len(shown) + 0.75))
        ratios = {"height_ratios": [step + 0.3 for step in steps]}
        axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False, gridspec_kw=ratios)
        for axis, one in zip(axes.ravel(), shown, strict=True):
            _panel(axis, one, shapes)
            reference_lines(axis, lines)
        if ends:
            room = 0.02 * (ends[1] - ends[0])
            axes[0, 0].set_xlim(ends[0] - room, ends[1] + room)
        axes[-1, 0].set_xlabel(xlabel)
        _legend(
            figure, axes[0, 0], shapes, paper if any(any(two.values()) for _, two in every) else ""
        )
    return figure


def _panel(axis: Axes, one: Rows, shapes: Mapping[str, str]) -> None:
    names = one.names
    for place, name in enumerate(names):
        ours = {key: values[name] for key, values in one.ours.items() if name in values}
        shifts = {key: _APART * (at - (len(ours) - 1) / 2) for at, key in enumerate(ours)}
        if one.is_joined:
            _joint(axis, place, [value for value, _, _ in ours.values()])
        for key, (value, low, high) in ours.items():
            y = place + shifts[key]
            if high > low:
                axis.plot([low, high], [y, y], color=RUN, lw=1.2, label=f"{key}, interval")
            axis.plot(value, y, shapes[key], ms=5.5, color=RUN, label=key)
        printed = {key: values[name] for key, values in one.paper.items() if name in values}
        if one.is_joined:
            _joint(axis, place + _BELOW, list(printed.values()))
        for key, value in printed.items():
            look: dict[str, Any] = {
                "mec": PAPER,
                "mfc": "none",
                "mew": 1.3,
                "label": f"{key}, the paper",
            }
            axis.plot(value, place + _BELOW, shapes[key], ms=5, **look)
        if name in one.beside:
            at: dict[str, Any] = {
                "xycoords": ("axes fraction", "data"),
                "va": "center",
                "fontsize": 8,
            }
            axis.annotate(one.beside[name], (1.02, place), annotation_clip=False, **at)
    if one.beside:
        above: dict[str, Any] = {"xycoords": "axes fraction", "va": "bottom", "fontsize": 8}
        axis.annotate(one.beside_title, (1.02, 1.0), annotation_clip=False, **above)
    axis.set_title(one.title)
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.45, -0.5)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")


def _joint(axis: Axes, place: float, values: Sequence[float]) -> None:
    """Draw a thin line from the least to the greatest value of a row."""
    if len(values) > 1:
        ends = [min(values), max(values)]
        axis.plot(ends, [place, place], color=GREY, lw=0.8, zorder=1, gid="joint")


def _legend(figure: Figure, axis: Axes, shapes: Mapping[str, str], paper: str) -> None:
    handles = [
        axis.plot([], [], shape, ms=5.5, color=RUN, label=name)[0] for name, shape in shapes.items()
    ]
    if paper:
        look: dict[str, Any] = {"mec": PAPER, "mfc": "none", "mew": 1.3}
        handles += axis.plot([], [], "o", ms=5, label=f"hollow: {paper}", **look)
    if len(handles) > 1:
        figure.legend(handles=handles, loc="outside upper left", ncols=min(5, len(handles)))
