"""Dots with intervals: named rows, one colour per source, panels side by side."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures.style import GREY, PAPER, WIDE, colour, house
from robust_lib.errors import InputError
from robust_lib.results.interval import ScoreInterval

Dots = Mapping[str, Mapping[str, ScoreInterval]]

_MOST = 4  # sources of ours that dots in one row can show
_LETTERS = 72  # of the titles of all panels beside each other
_APART = 0.16  # rows, between sources of one row


def dot_plot(
    panels: Mapping[str, Dots],
    rows: Sequence[str],
    *,
    xlabel: str,
    sections: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    even: float | None = None,
    even_words: str = "",
    means: Mapping[str, float] | None = None,
    colours: Mapping[str, str] | None = None,
    alike: bool = False,
) -> Figure:
    """Return one panel per title, with a dot and its interval per row and source.

    Args:
        panels: title -> source -> row -> (value, low, high), in the unit of the axis.
        rows: from top to bottom; a row without a number in a panel has no dot there.
        sections: name -> its adjacent rows; lines separate sections, and names label them.
        others: the source that is not ours, drawn as grey rings; by default none.
        even: position of a dotted line; None draws none.
        even_words: its label, such as "chance".
        colours: of sources that are measures and no pictures, such as `style.MEASURES`.
        means: source -> position of a dotted line in its colour, in panels that have the source.
        alike: whether all panels have the same axis.

    Raises:
        InputError: no panels, no rows, or more sources than can be told apart.

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
    shades = {name: (colours or {}).get(name) or colour(name, ours) for name in ours}
    shades |= {others: PAPER} if others else {}
    with house():
        figure = Figure(figsize=(WIDE, (0.2 + 0.09 * len(sources)) * len(rows) + 1.1))
        axes = figure.subplots(1, len(panels), sharex=alike, sharey=True, squeeze=False).ravel()
        for axis, (title, dots) in zip(axes, panels.items(), strict=True):
            for place, name in enumerate(sources):
                shift = _APART * (place - (len(sources) - 1) / 2)
                _source(axis, dots.get(name, {}), rows, shift, shades[name], ring=name == others)
            axis.set_title(_in_lines(title, _LETTERS // len(panels)))
            axis.set_xlabel(xlabel)
            axis.grid(axis="x")
            axis.tick_params(axis="y", length=0)
            if even is not None:
                axis.axvline(even, color=GREY, linewidth=0.8, linestyle=":")
                above: dict[str, Any] = {"xycoords": axis.get_xaxis_transform(), "va": "bottom"}
                axis.annotate(even_words, (even, 1.0), ha="center", fontsize=8, **above)
            for name, mean in (means or {}).items():
                if name in dots:
                    axis.axvline(mean, color=shades[name], linewidth=1.1, linestyle=":")
        axes[0].set_yticks(range(len(rows)), rows)
        axes[0].set_ylim(len(rows) - 0.5, -0.5)
        _part(list(axes), rows, sections or {})
        _legend(figure, axes[0], shades, others)
    return figure


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
    shade: str,
    *,
    ring: bool,
) -> None:
    for name, (value, low, high) in values.items():
        if name in rows:
            y = rows.index(name) + shift
            axis.plot([low, high], [y, y], color=shade, linewidth=1.2)
            axis.plot(value, y, "o", ms=5, mec=shade, mfc="none" if ring else shade, mew=1.3)


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


def _legend(figure: Figure, axis: Axes, shades: Mapping[str, str], others: str | None) -> None:
    if len(shades) > 1:
        handles = [
            *(
                axis.plot([], [], "o", ms=5, mec=shade, mfc=shade, label=name)[0]
                for name, shade in shades.items()
                if name != others
            ),
            *(
                axis.plot([], [], "o", ms=5, mec=PAPER, mfc="none", mew=1.3, label=name)[0]
                for name in shades
                if name == others
            ),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
