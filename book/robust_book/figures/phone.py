"""Layout of a figure for a phone: panels below each other, the legend on top, legible text.

A scaled-down figure has text that is too small, and a wide one has its second panel out of sight.
"""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation, Text

from robust_book.figures.style import house

WIDTH = 3.45
"""Inches of a figure on a phone: 343 pixels with its margins, of 390."""
_NAMES = 0.3  # of the width, beyond which names of rows stand above their rows
_SIDES = 0.45  # likewise, of names and of what stands at the right of rows
_ENDS = 0.25  # of the width, beyond which names at the ends of lines go into the legend
_SQUEEZED = 0.85  # of its width that a panel keeps, so that one more stands beside it
_SQUEEZED_MORE = 0.62  # likewise, where names stand above rows
_BETWEEN = 0.45  # inches from a panel to the one below: ticks and title
_ROW = 0.33  # inches of a row whose name stands above it, beside what its marks take
_NAME = 0.15  # inches from the highest mark of a row up to the middle of its name
_TOP = 0.1  # inches from there to a line above the name
_CELL = 22.0  # points of a cell with a number in it
_TITLE = 70.0  # points of a panel whose title has the letters that a line of it has at least
_TICKS = 30.0  # points of what stands left of a panel beside the names of its rows
_LINE = 0.165  # inches of a line of a legend
_FEW = 3  # names of lines of one look that a legend tells

SHADE = "shade"
"""Mark of an image that is no picture but a ground of numbers, such as the density of a map."""


def fitted(figure: Figure) -> bool:
    """Lay a drawn figure out for a phone; return whether that was both necessary and possible.

    Galleries of images and large matrices stay as they are: their parts would be too small.

    Args:
        figure: a figure laid out by the engine of `style.house`, as `style.svg` leaves it.

    >>> from robust_book.figures.dot_plots import dot_plot
    >>> dots = {"ResNet-18": {"Fog": (0.2, 0.1, 0.3)}}
    >>> figure = dot_plot({"the paper": dots, "this run": dots}, ["Fog"], xlabel="overlap")
    >>> fitted(figure), [axis.get_subplotspec().rowspan.start for axis in figure.axes]
    (True, [0, 1])
    """
    panels = [axis for axis in figure.axes if axis.get_label() != "<colorbar>" and axis.axison]
    grids = {id(spec.get_gridspec()) for axis in panels if (spec := axis.get_subplotspec())}
    if (
        figure.get_figwidth() <= WIDTH
        or len(grids) != 1
        or any(_is_picture(one) for axis in panels for one in axis.images)
    ):
        return False
    with house():
        figure.draw_without_rendering()  # a PNG of it had pixels of another size
        figure.set_layout_engine("constrained")
        for text in [one for one in figure.texts if one.get_gid() == "stamp"]:
            text.remove()
        named = max(map(_widest, panels))
        right = max(map(_beyond, panels)) if named else 0.0
        is_above = named > 72 * _NAMES * WIDTH or named + right > 72 * _SIDES * WIDTH
        columns = _columns(figure, panels, 0.0 if is_above else named + _TICKS)
        if max(map(_cells, panels)) * _CELL > 72 * WIDTH - named:
            return False
        for axis in [one for one in figure.axes if not one.axison]:
            axis.remove()
        _stack(figure, panels, columns)
        if is_above:
            _names_above(figure, panels)
        _legend(figure, panels)
        _bars(figure, panels)
        _in_lines(figure, panels, columns)
        figure.draw_without_rendering()
        figure.set_layout_engine(None)
        for axis in panels:
            _fewer_ticks(axis)
    return True


def _is_picture(image: AxesImage) -> bool:
    values = image.get_array()
    return values is not None and values.ndim > 2 and image.get_gid() != SHADE


def _columns(figure: Figure, panels: Sequence[Axes], named: float) -> int:
    """Return how many panels fit side by side; more fit without names at their left."""
    places = [axis.get_position() for axis in panels]
    wide = 72 * figure.get_figwidth()
    kept = _SQUEEZED if named else _SQUEEZED_MORE
    least = max(
        _CELL * _cells(axis)
        or max(kept * wide * place.width, _TITLE * bool(axis.get_title("left")))
        for axis, place in zip(panels, places, strict=True)
    )
    starts = sorted({round(wide * place.x0) for place in places})
    step = min((b - a for a, b in pairwise(starts)), default=wide)
    gap = max(step - wide * max(place.width for place in places), 4)
    most = max(1, min(int((72 * WIDTH - named) // (least + gap)), len(starts)))
    rows = -(-len(starts) // most)
    return -(-len(starts) // rows)  # four panels stand two by two, not three and one


def _cells(axis: Axes) -> int:
    """Return the number of columns of a matrix with numbers; 0 for another panel."""
    meshes = [one for one in axis.collections if isinstance(one, QuadMesh)]
    return int(axis.get_xlim()[1]) if meshes and axis.texts else 0


def _spec(axis: Axes) -> SubplotSpec:
    return cast("SubplotSpec", axis.get_subplotspec())


def _stack(figure: Figure, panels: Sequence[Axes], columns: int) -> None:
    """Move the panels of a grid to one with the given number of columns; heights stay."""
    grid = _spec(panels[0]).get_gridspec()
    high = figure.get_figheight()
    was = {axis: _spec(axis) for axis in panels}
    heights = {axis: high * axis.get_position().height for axis in panels}
    for axis in panels:
        if axis.get_aspect() != "auto":
            heights[axis] = min(heights[axis], WIDTH / columns - 0.3)
    before = sum(
        max(heights[axis] for axis in panels if was[axis].rowspan.start == row)
        for row in {was[axis].rowspan.start for axis in panels}
    )
    order = list(panels)
    if columns == 1:  # what belongs to a panel, such as a strip below it, stays with it
        order.sort(key=lambda axis: (was[axis].colspan.start, was[axis].rowspan.start))
    rows = -(-len(order) // columns)
    tall = [
        max(heights[axis] for axis in order[row * columns : (row + 1) * columns])
        for row in range(rows)
    ]
    lines = len({was[axis].rowspan.start for axis in panels})
    figure.set_size_inches(WIDTH, sum(tall) + high - before + _BETWEEN * max(rows - lines, 0))
    shares = grid.get_width_ratios() if columns == grid.ncols else None
    new = GridSpec(rows, columns, figure=figure, height_ratios=tall, width_ratios=shares)
    firsts = {was[axis].rowspan.start: axis for axis in reversed(panels)}
    for place, axis in enumerate(order):
        row, column = divmod(place, columns)
        first = firsts[was[axis].rowspan.start]
        axis.set_subplotspec(new[row, column])
        if axis.get_shared_y_axes().joined(axis, first):
            shown = bool(first.yaxis.get_tick_params().get("labelleft", True))
            axis.tick_params(labelleft=shown and column == 0)
            if column == 0 and not axis.get_ylabel():
                axis.set_ylabel(first.get_ylabel())
        below = order[place + columns :]
        if axis.get_shared_x_axes().joined(axis, order[-1]) and not below:
            axis.tick_params(labelbottom=True)
    if columns == 1 and len({axis.get_xlabel() for axis in order}) == 1:
        for axis in order[:-1]:
            axis.set_xlabel("")


def _widest(axis: Axes) -> float:
    """Return the width of the widest row name, points; 0 if rows are numbers."""
    if not axis.yaxis.get_tick_params().get("labelleft", True):
        return 0.0
    names = [one for one in axis.get_yticklabels() if any(map(str.isalpha, one.get_text()))]
    return max((_points(one) for one in names), default=0.0)


def _points(text: Text) -> float:
    return float(text.get_window_extent().width) * 72 / 100


def _names_above(figure: Figure, panels: Sequence[Axes]) -> None:
    """Write the names of rows above their rows, and increase the height accordingly."""
    grid = _spec(panels[0]).get_gridspec()
    before = list(cast("list[float]", grid.get_height_ratios()))
    ratios: dict[int, float] = {}
    for axis in panels:
        row = _spec(axis).rowspan.start
        places, names = axis.get_yticks(), [one.get_text() for one in axis.get_yticklabels()]
        own = before[row]
        above, (high, deep) = _written(axis), _marked(axis)
        line = _LINE * any(map(_is_above, axis.texts))
        each = (_ROW + line) / (1 - high - deep)
        ratios[row] = max(each * (len(places) + 0.3), ratios.get(row, own))
        if _widest(axis):
            at: dict[str, Any] = {"xycoords": axis.get_yaxis_transform(), "va": "center"}
            for place, name in zip(places, names, strict=True):
                if (words := above.get(round(place))) is not None:
                    words.set_text(f"{name}\n{words.get_text()}")
                    continue
                text = axis.annotate(
                    name,
                    (0, place - high - (_NAME + line) / each),
                    annotation_clip=False,
                    fontsize=8,
                    **at,
                )
                text.set_in_layout(False)  # it may go on above the next panel
                _beside(axis, place, text.xy[1])
            axis.tick_params(labelleft=False)
        for part in axis.lines:  # between sections: above the name of the next row, not through it
            y = float(np.ravel(part.get_ydata())[0]) if len(np.ravel(part.get_ydata())) else 0.0
            if part.get_transform() == axis.get_yaxis_transform("grid") and y % 1 == 0.5:
                part.set_ydata([y + 0.5 - high - (_NAME + _TOP + line) / each] * 2)
        axis.spines["left"].set_visible(False)
        low, top = axis.get_ylim()
        room = high + (2 * _NAME + line) / each + 0.1
        axis.set_ylim(max(low, top), min(min(low, top), -room))
    more = sum(ratios.values()) - sum(before)
    figure.set_figheight(figure.get_figheight() + more)
    grid.set_height_ratios([ratios[row] for row in sorted(ratios)])


def _beside(axis: Axes, place: float, y: float) -> None:
    """Move text from the right of a panel into it: of a row beside its name, a heading above."""
    for one in [one for one in axis.texts if isinstance(one, Annotation) and one.xy[0] > 1]:
        at_a_value = one.xycoords == axis.get_xaxis_transform()  # the name of a line, above it
        if at_a_value or one.get_rotation() or one.xyann[0] != one.xy[0]:
            continue
        if one.xycoords == "axes fraction" or one.xy[1] == place:
            one.xyann = (1.0, one.xy[1] if one.xycoords == "axes fraction" else y)
            one.set_horizontalalignment("right")


def _written(axis: Axes) -> dict[int, Annotation]:
    """Return row -> the text above its bar, at the left end of the panel."""
    left = axis.get_xlim()[0]
    words = [one for one in axis.texts if isinstance(one, Annotation) and one.xy[0] == left]
    return {round(float(one.xy[1])): one for one in words if one.xycoords == "data"}


def _is_above(text: Text) -> bool:
    """Return whether text is shifted upwards from a mark or a bar."""
    return isinstance(text, Annotation) and text.xyann != text.xy and text.xyann[1] > 0


def _marked(axis: Axes) -> tuple[float, float]:
    """Return the largest distances of a mark above and below the middle of its row, in rows."""
    lines = [line for line in axis.lines if line.get_transform() == axis.transData]
    places = [float(y) for line in lines for y in np.ravel(line.get_ydata())]
    for bar in [one for one in axis.patches if isinstance(one, Rectangle)]:
        places += [bar.get_y(), bar.get_y() + bar.get_height()]
    away = [y - round(y) for y in places]
    return -min(away, default=0.0), max(away, default=0.0)


def _beyond(axis: Axes) -> float:
    """Return how far text extends beyond the right end of a panel, points."""
    end = axis.get_window_extent().x1
    return max((72 / 100 * (one.get_window_extent().x1 - end) for one in axis.texts), default=0.0)


def _legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """Move all legends to the top left, and add long names from the ends of lines to them."""
    entries: dict[str, Any] = {}
    titles = []
    beside = [one for axis in panels if (one := axis.get_legend()) and _is_outside(axis, one)]
    for legend in [*figure.legends, *beside]:
        names = [text.get_text() for text in legend.get_texts()]
        entries |= dict(zip(names, legend.legend_handles, strict=True))
        titles.append(legend.get_title().get_text())
        legend.remove()
    for axis in panels:
        if _beyond(axis) > 72 * _ENDS * WIDTH:
            entries = _ends(axis) | entries
    if not entries:
        return
    handle = 2.9 * float(mpl.rcParams["legend.fontsize"]) + 10
    letters = 0.54 * float(mpl.rcParams["legend.fontsize"])
    widest = letters * max(map(len, entries)) + handle
    columns = max(1, min(len(entries), int(72 * WIDTH // widest)))
    where: dict[str, Any] = {"loc": "outside upper left", "ncols": columns, "alignment": "left"}
    title = next(filter(None, titles), None)
    lines = -(-len(entries) // columns) - bool(titles)
    figure.set_figheight(figure.get_figheight() + _LINE * lines)
    again = figure.legend([*entries.values()], [*entries], title=title, **where)
    for text in again.get_texts():
        text.set_text(_broken(text, 72 * WIDTH - handle))


def _is_outside(axis: Axes, legend: Legend) -> bool:
    box = legend.get_window_extent()
    return not axis.get_window_extent().contains((box.x0 + box.x1) / 2, box.y0)


def _ends(axis: Axes) -> dict[str, Any]:
    """Remove the names at the ends of lines, and return them with their lines."""
    handles, names = axis.get_legend_handles_labels()
    lines = dict(reversed([*zip(names, handles, strict=True)]))
    taken: dict[str, Any] = {}
    for text in list(axis.texts):
        found = next((name for name in lines if text.get_text().endswith(name)), None)
        if found is not None and isinstance(lines[found], Line2D):
            taken[found] = lines[found]
            text.remove()
    return _together(dict(reversed(taken.items())))


def _together(lines: Mapping[str, Line2D]) -> dict[str, Any]:
    """Return one legend entry for all lines of the same style."""
    looks: dict[tuple[str, ...], list[str]] = {}
    for name, line in lines.items():
        look = str(line.get_color()), str(line.get_linestyle()), str(line.get_marker())
        looks.setdefault(look, []).append(name)
    told = {
        ", ".join(names) if len(names) <= _FEW else f"{len(names)} others": lines[names[0]]
        for names in looks.values()
    }
    return dict(sorted(told.items(), key=lambda one: one[0].endswith(" others")))


def _bars(figure: Figure, panels: Sequence[Axes]) -> None:
    """Move each colour bar from beside its panel to a horizontal position."""
    for axis in [one for one in figure.axes if one.get_label() == "<colorbar>"]:
        bar = next(
            (
                mesh.colorbar
                for panel in panels
                for mesh in [*panel.collections, *panel.images]
                if mesh.colorbar is not None and mesh.colorbar.ax is axis
            ),
            None,
        )
        if bar is None:
            continue
        words, mesh, extend = axis.get_ylabel(), bar.mappable, bar.extend
        bar.remove()
        look: dict[str, Any] = {"location": "top", "aspect": 32, "extend": extend, "label": words}
        look["pad"] = 0.05 / len(panels)
        figure.colorbar(mesh, ax=list(panels), **look)


def _in_lines(figure: Figure, panels: Sequence[Axes], columns: int) -> None:
    """Break titles and labels that are wider than their panel."""
    for axis in panels:
        room = (72 * WIDTH - _widest(axis) - 24) / columns
        for title in (axis.title, axis._left_title, axis._right_title):  # type: ignore[attr-defined]
            above = "\n" if title.get_text() and _is_headed(axis) else ""
            title.set_text(_broken(title, room) + above)
        for label, length in ((axis.xaxis.label, room), (axis.yaxis.label, _tall(figure, axis))):
            label.set_text(_broken(label, length))
    for text in figure.texts:
        text.set_text(_broken(text, 72 * WIDTH))


def _is_headed(axis: Axes) -> bool:
    """Return whether the axes next to a panel have a heading of their own."""
    places = [one.xy for one in axis.texts if isinstance(one, Annotation)]
    return any(x > 1 and y == 1.0 for x, y in places)


def _tall(figure: Figure, axis: Axes) -> float:
    return 72 * figure.get_figheight() * float(axis.get_position().height)


def _broken(text: Text, room: float) -> str:
    letter = float(text.get_fontsize()) * (0.6 if text.get_fontweight() == "bold" else 0.54)
    return textwrap.fill(" ".join(text.get_text().split()), max(12, int(room / letter)))


def _fewer_ticks(axis: Axes) -> None:
    """Omit every second tick label of an axis if labels would touch."""
    shown = [one for one in axis.get_xticklabels() if one.get_text() and not one.get_rotation()]
    boxes = sorted((one.get_window_extent() for one in shown), key=lambda box: box.x0)
    if any(a.x1 + 3 > b.x0 for a, b in pairwise(boxes)):
        places = [one.get_position()[0] for one in shown]
        axis.set_xticks(places[::2], [one.get_text() for one in shown][::2])
