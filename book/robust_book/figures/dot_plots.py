"""Dots with intervals: named rows, one colour per source, panels side by side."""

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures.style import GREY, MARKS, PAPER, RUN, WIDE, colour, house, mark
from robust_lib.errors import InputError
from robust_lib.results.interval import ScoreInterval

Dots = Mapping[str, Mapping[str, ScoreInterval]]

_MOST = 4  # sources of ours that dots in one row can show
_LETTERS = 72  # of the titles of all panels beside each other
_APART = 0.2  # rows, between sources of one row


def dot_plot(
    panels: Mapping[str, Dots],
    rows: Sequence[str],
    *,
    xlabel: str,
    sections: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    lines: Mapping[str, float] = MappingProxyType({}),
    means: Mapping[str, float] | None = None,
    measures: Collection[str] = (),
    ends: tuple[float, float] | None = None,
    alike: bool = True,
) -> Figure:
    """Return one panel per title, with a dot and its interval per row and source.

    All panels have the same axis, so that positions can be compared across panels.

    Args:
        panels: title -> source -> row -> (value, low, high), in the unit of the axis.
        rows: from top to bottom; a row without a number in a panel has no dot there.
        sections: name -> its adjacent rows; lines separate sections, and names label them.
        others: a source outside this run, drawn as grey rings; by default none.
        lines: words -> position of a dotted line, such as chance, a bound, or no change.
        means: source -> position of a dotted line in its colour, in panels that have the source.
        measures: sources that are several measures of one run; they have its colour and differ in
            shape.
        ends: limits of the axis, such as `style.SHARES`; by default the range of the numbers.
        alike: whether all panels have the same axis; False if their units differ.

    Raises:
        InputError: no panels, no rows, or more sources than can be distinguished.

    >>> dots = {"ResNet-18": {"Fog": (0.2, 0.1, 0.3)}}
    >>> figure = dot_plot({"": dots}, ["Fog"], xlabel="mean overlap")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['Fog']
    """
    sources = list(dict.fromkeys(name for dots in panels.values() for name in dots))
    ours = [name for name in sources if name != others]
    if not panels or not rows or len(ours) > _MOST:
        raise InputError(
            f"Expected panels, rows and at most {_MOST} sources, but got {len(panels)} "
            f"panels, {len(rows)} rows and the sources {', '.join(sources) or 'none'}."
        )
    looks = {name: _look(name, ours, measures, ring=name == others) for name in sources}
    with house():
        most = max(map(len, panels.values()))  # in one row
        figure = Figure(figsize=(WIDE, (0.14 + 0.08 * most) * len(rows) + 1.1))
        axes = figure.subplots(1, len(panels), sharex=alike, sharey=True, squeeze=False).ravel()
        for axis, (title, dots) in zip(axes, panels.items(), strict=True):
            own = [name for name in sources if name in dots]
            for place, name in enumerate(own):
                shift = _APART * (place - (len(own) - 1) / 2)
                _source(axis, dots[name], rows, shift, looks[name], name)
            axis.set_title(_in_lines(title, _LETTERS // len(panels)))
            axis.set_xlabel(xlabel)
            axis.grid(axis="x")
            axis.tick_params(axis="y", length=0)
            reference_lines(axis, lines)
            for name, mean in (means or {}).items():
                if name in dots:
                    axis.axvline(
                        mean,
                        color=looks[name]["mec"],
                        linewidth=1.1,
                        linestyle=":",
                        label=f"{name}, mean",
                    )
        axes[0].set_yticks(range(len(rows)), rows)
        axes[0].set_ylim(len(rows) - 0.5, -0.5)
        _part(list(axes), rows, sections or {})
        if ends:
            room = 0.02 * (ends[1] - ends[0])
            for axis in axes:
                axis.set_xlim(ends[0] - room, ends[1] + room)
        _legend(figure, axes[0], looks)
    return figure


def reference_lines(axis: Axes, lines: Mapping[str, float]) -> None:
    """Draw dotted lines across a numeric axis, with their labels above the panel.

    Args:
        lines: words -> position.
    """
    above: dict[str, Any] = {"xycoords": axis.get_xaxis_transform(), "va": "bottom"}
    for words, place in lines.items():
        axis.axvline(place, color=GREY, linewidth=1.0, linestyle=":", gid="reference")
        axis.annotate(words, (place, 1.0), ha="center", fontsize=8, **above)


def _look(
    name: str, ours: Sequence[str], measures: Collection[str], *, ring: bool
) -> dict[str, Any]:
    """Return the style of a source's dots: colour, shape, and whether they are filled."""
    if ring:
        return {"marker": "o", "mec": PAPER, "mfc": "none"}
    if name in measures:
        return {"marker": MARKS[list(measures).index(name) % len(MARKS)], "mec": RUN, "mfc": RUN}
    shade = colour(name, ours)
    return {"marker": mark(name, ours), "mec": shade, "mfc": shade}


def _in_lines(title: str, letters: int) -> str:
    """Return a title in lines of limited length, broken after spaces and hyphens."""
    lines = [""]
    for part in re.findall(r"[^ -]*[ -]?", title):
        if len(lines[-1] + part) > letters and lines[-1]:
            lines.append("")
        lines[-1] += part
    return "\n".join(map(str.rstrip, lines))


def words(panels: Mapping[str, Dots], unit: str = " %", digits: int = 1) -> str:
    """Return the range of each source in each panel, for an alternative text.

    >>> words({"hard": {"this run": {"VGG-19": (5.0, 4.0, 6.0), "DPN-98": (9.0, 8.0, 9.5)}}})
    'hard, this run: from 5.0 % (VGG-19) to 9.0 % (DPN-98)'
    """
    told = []
    for title, dots in panels.items():
        for source, values in dots.items():
            if values:
                ranked = sorted(values, key=lambda name: values[name][0])
                low, high = (
                    f"{values[one][0]:.{digits}f}{unit} ({one})" for one in (ranked[0], ranked[-1])
                )
                named = ", ".join(part for part in (title, source) if part)
                told.append(f"{named}: from {low} to {high}" if low != high else f"{named}: {low}")
    return "; ".join(told)


def _source(
    axis: Axes,
    values: Mapping[str, ScoreInterval],
    rows: Sequence[str],
    shift: float,
    look: Mapping[str, Any],
    source: str,
) -> None:
    for name, (value, low, high) in values.items():
        if name in rows:
            y = rows.index(name) + shift
            if high > low:  # what is printed without an interval has none
                ends = f"{source}, interval"
                axis.plot([low, high], [y, y], color=look["mec"], linewidth=1.2, label=ends)
            axis.plot(value, y, linestyle="", ms=5, mew=1.3, label=source, **look)


def _part(axes: Sequence[Axes], rows: Sequence[str], sections: Mapping[str, Sequence[str]]) -> None:
    for name, members in sections.items():
        places = [rows.index(member) for member in members if member in rows]
        if not places:
            continue
        for axis in axes:
            if min(places) > 0:
                axis.axhline(min(places) - 0.5, color=GREY, linewidth=0.9)
        where: dict[str, Any] = {
            "xycoords": ("axes fraction", "data"),
            "rotation": 270,
            "va": "center",
        }
        middle = (min(places) + max(places)) / 2
        axes[-1].annotate(name, (1.02, middle), annotation_clip=False, **where)


def _legend(figure: Figure, axis: Axes, looks: Mapping[str, Mapping[str, Any]]) -> None:
    if len(looks) > 1:
        ours_first = sorted(looks, key=lambda name: looks[name]["mfc"] == "none")
        handles = [
            axis.plot([], [], linestyle="", ms=5, mew=1.3, label=name, **looks[name])[0]
            for name in ours_first
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
