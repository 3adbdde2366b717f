"""Maps of embeddings: one dot per image, one panel per set, circles around marked regions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from robust_book.figures import style
from robust_book.figures.style import WIDE, house
from robust_lib.errors import InputError

Places = Float[np.ndarray, "_ 2"]

SHADES = (style.ORDINARY, style.GREY, style.HARD)
"""Of a training set, of all pictures, and of those that were chosen as hard."""

INSIDE = 0.75  # of a spot's pictures lie in its circle
_ROOM = 0.04


@dataclass(frozen=True)
class Ring:
    """A circle around pictures that belong together, in the map's own lengths."""

    number: int
    x: float
    y: float
    radius: float


def ring(number: int, places: Places) -> Ring:
    """Return the circle around the median of some places that holds three quarters of them.

    Args:
        number: its label.

    >>> ring(1, np.array([[0.0, 0.0], [2.0, 0.0], [-2.0, 0.0], [9.0, 0.0], [0.0, 1.0]]))
    Ring(number=1, x=0.0, y=0.0, radius=2.0)
    """
    x, y = np.median(places, axis=0)
    apart = np.hypot(places[:, 0] - x, places[:, 1] - y)
    radius = float(np.quantile(apart, INSIDE, method="inverted_cdf"))
    return Ring(number, float(x), float(y), radius)


def panels(sets: Mapping[str, Places], rings: Sequence[Ring] = ()) -> Figure:
    """Return one map per set, all of the same part of the plane, with the same circles.

    A map has no units: only who is whose neighbour means something.

    Args:
        sets: title -> places of its pictures.

    Raises:
        InputError: no sets, or more than there are colours.

    >>> dots = np.random.default_rng(0).normal(size=(9, 2))
    >>> figure = panels({"training": dots, "pool": dots}, [ring(1, dots)])
    >>> [axis.get_title("left") for axis in figure.axes], figure.axes[0].texts[0].get_text()
    (['training', 'pool'], '1')
    """
    if not 1 <= len(sets) <= len(SHADES):
        raise InputError(
            f"Expected one to {len(SHADES)} sets, but got {', '.join(sets) or 'none'}."
        )
    every = np.concatenate(list(sets.values()))
    with house():
        figure = Figure(figsize=(WIDE, WIDE / len(sets) * _shape(every) + 0.35))
        axes = figure.subplots(1, len(sets), squeeze=False)[0]
        for axis, (title, places), shade in zip(axes, sets.items(), SHADES, strict=False):
            _dots(axis, places, shade)
            _frame(axis, every, rings)
            axis.set_title(title)
    return figure


def variants(maps: Mapping[str, tuple[Places, Sequence[int]]], *, columns: int = 4) -> Figure:
    """Return several maps of the same images, each spot in its own colour.

    Args:
        maps: title -> (places, number of each place's spot from 1, or 0 for none).

    Raises:
        InputError: no map.

    >>> dots = np.random.default_rng(0).normal(size=(4, 2))
    >>> figure = variants({"seed 0": (dots, [0, 1, 1, 2]), "seed 1": (-dots, [0, 1, 1, 2])})
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['spot 1', 'spot 2']
    """
    if not maps:
        raise InputError("Expected at least one map, but got none.")
    rows = -(-len(maps) // columns)
    with house():
        shape = max(_shape(places) for places, _ in maps.values())
        figure = Figure(figsize=(WIDE, rows * (WIDE / columns * shape + 0.25) + 0.3))
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        named: dict[str, Artist] = {}
        for axis, (title, (places, spots)) in zip(axes, maps.items(), strict=False):
            numbers = np.asarray(spots)
            _dots(axis, places[numbers == 0], style.GREY)
            for number in range(1, int(numbers.max(initial=0)) + 1):
                shade = style.DISTINCT[(number - 1) % len(style.DISTINCT)]
                own = places[numbers == number]
                (drawn,) = axis.plot(*own.T, ".", ms=3.5, color=shade, mew=0, rasterized=True)
                named.setdefault(f"spot {number}", drawn)
            _frame(axis, places, ())
            axis.set_title(title)
        for axis in axes[len(maps) :]:
            axis.set_axis_off()
        if named:
            figure.legend(
                list(named.values()),
                list(named),
                loc="outside upper center",
                ncols=6,
                markerscale=3,
            )
    return figure


def _shape(places: Places) -> float:
    """Return the height of a map relative to its width, limited for a page."""
    width, height = np.ptp(places, axis=0) + 2 * _ROOM * np.ptp(places, axis=0).max()
    return float(np.clip(height / (width or 1.0), 0.4, 1.6))


def _dots(axis: Axes, places: Places, shade: str) -> None:
    # As a picture inside the figure: ten thousand dots would be a megabyte of text.
    size = float(np.clip(120 / np.sqrt(max(len(places), 1)), 1.0, 3.5))
    axis.plot(*places.T, ".", ms=size, color=shade, mew=0, alpha=0.6, rasterized=True)


def _frame(axis: Axes, every: Places, rings: Sequence[Ring]) -> None:
    low, high = every.min(0), every.max(0)
    longest = float((high - low).max() or 1.0)
    (left, bottom), (right, top) = low - _ROOM * longest, high + _ROOM * longest
    axis.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[], aspect="equal")
    for spine in axis.spines.values():
        spine.set_visible(True)
    for one in rings:
        radius = max(one.radius, 0.015 * longest)
        axis.add_patch(
            Circle((one.x, one.y), radius, fill=False, lw=1.1, ec=mpl.rcParams["axes.edgecolor"])
        )
        axis.annotate(
            str(one.number),
            (one.x + 0.71 * radius, one.y + 0.71 * radius),
            (2, 2),
            textcoords="offset points",
            fontsize=9,
            fontweight="bold",
        )
