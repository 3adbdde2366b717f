"""The data of a figure, read back from it as a table for download."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.ticker import FixedLocator

COLUMNS = ("panel", "series", "x", "y", "value")
NO_NUMBERS = ("reference", "joint", "falls")
"""How ids of lines begin that repeat other points, or show a bound that is no point."""

_NUMBER = re.compile(r"[\d\s.,+%\N{MINUS SIGN}-]*")
_Point = tuple[str, object, object, object]


def drawn(figure: Figure) -> pd.DataFrame:
    """Return one row per point that a figure shows: its panel, its series, and its position.

    A position on an axis of names is the name. Ends of intervals and of bands are separate points,
    in a series named accordingly; cells of a matrix have a value. Images and text are not points.

    >>> figure = Figure()
    >>> axis = figure.subplots()
    >>> _ = axis.plot([0.5], [0], "o", label="this run"), axis.set_yticks([0], ["Fog"])
    >>> drawn(figure).to_numpy().tolist()
    [['', 'this run', 0.5, 'Fog', None]]
    """
    rows = [
        (axis.get_title(loc="left"), *point)
        for axis in figure.axes
        if axis.axison and not hasattr(axis, "_colorbar")
        for point in _points(axis)
    ]
    return pd.DataFrame(list(dict.fromkeys(rows)), columns=COLUMNS, dtype=object)


def _points(axis: Axes) -> Iterator[_Point]:
    named = _names(axis)
    places = _Places(axis.xaxis), _Places(axis.yaxis)
    for artist in axis.get_children():
        series = named.get(artist, _series(artist))
        if isinstance(artist, QuadMesh):
            values: np.ndarray = np.ma.filled(np.ma.asarray(artist.get_array(), float), np.nan)
            for (row, column), value in np.ndenumerate(values):
                if np.isfinite(value):
                    yield "", places[0](column + 0.5), places[1](row + 0.5), float(value)
            continue
        for x, y in _vertices(axis, artist):
            if not (np.isnan(x) or np.isnan(y)):
                yield series, places[0](x), places[1](y), None


def _vertices(axis: Axes, artist: Artist) -> np.ndarray:
    """Return the points of one artist, in the units of its axes; none if it shows no data."""
    none = np.empty((0, 2))
    if str(artist.get_gid() or "").startswith(NO_NUMBERS) or not artist.get_visible():
        return none
    if isinstance(artist, PathCollection):
        return np.asarray(artist.get_offsets(), dtype=float)
    if isinstance(artist, StepPatch):
        values, edges, _ = artist.get_data()
        return np.column_stack([(np.asarray(edges)[:-1] + np.asarray(edges)[1:]) / 2, values])
    if isinstance(artist, PolyCollection):
        found = [path.vertices for path in artist.get_paths()]
        return np.unique(np.concatenate(found), axis=0) if found else none
    if isinstance(artist, LineCollection):
        return np.concatenate([none, *artist.get_segments()])
    if isinstance(artist, Line2D):
        points = np.array(artist.get_xydata(), dtype=float).reshape(-1, 2)  # the line keeps its own
        across, up = axis.get_yaxis_transform("grid"), axis.get_xaxis_transform("grid")
        if artist.get_transform() in (across, up):  # a line through the whole panel, such as a mean
            is_number = not str(artist.get_label()).startswith("_")
            points[:, 0 if artist.get_transform() == across else 1] = np.inf
            return points[:1] if is_number else none
        return points
    if not artist.get_transform().contains_branch(axis.transData):
        return none
    for bars in axis.containers:
        if isinstance(bars, BarContainer) and isinstance(artist, Rectangle) and artist in bars:
            (x, y), width, height = artist.get_xy(), artist.get_width(), artist.get_height()
            lies = bars.orientation == "horizontal"
            return np.array([(width, y + height / 2) if lies else (x + width / 2, height)])
    return none


def _series(artist: Artist) -> str:
    label = str(artist.get_label())
    if not label.startswith("_"):
        return label
    return "band" if isinstance(artist, PolyCollection) else ""


def _names(axis: Axes) -> dict[Artist, str]:
    """Return the parts of each named group of artists -> the group's name."""
    found: dict[Artist, str] = {}
    for one in axis.containers:
        name = str(one.get_label())
        if isinstance(one, ErrorbarContainer):
            line, caps, bars = one.lines
            found[line] = name
            found |= dict.fromkeys((*caps, *bars), f"{name}, interval")
        elif isinstance(one, BarContainer):
            found |= dict.fromkeys(one.patches, "" if name.startswith("_") else name)
    return found


class _Places:
    """Positions on an axis as values: a number or a name."""

    def __init__(self, axis: Axis) -> None:
        places = [float(one) for one in axis.get_majorticklocs()]
        labels = [str(one) for one in axis.get_major_formatter().format_ticks(places)]
        is_named = isinstance(axis.get_major_locator(), FixedLocator) and not all(
            _NUMBER.fullmatch(label) for label in labels
        )
        self._at = dict(zip(places, labels, strict=True)) if is_named else {}

    def __call__(self, place: float) -> object:
        if np.isinf(place):
            return "everywhere"
        if not self._at:
            return round(float(place), 6)
        nearest = min(self._at, key=lambda one: abs(one - place))
        return self._at[nearest] if abs(nearest - place) <= 0.5 else round(float(place), 6)
