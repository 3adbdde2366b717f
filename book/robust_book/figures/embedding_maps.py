"""Maps of embeddings: one dot per image, one panel per set, circles around marked regions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from scipy.ndimage import gaussian_filter

from robust_book.figures import style
from robust_book.figures.phone import SHADE
from robust_book.figures.style import WIDE, house
from robust_lib.errors import InputError

Places = Float[np.ndarray, "_ 2"]

SPOT = style.DISTINCT[0]
"""Of blind spots and of the images in them, in every map."""

INSIDE = 0.75  # of a spot's pictures lie in its circle
_ROOM = 0.04


@dataclass(frozen=True)
class Ring:
    """A circle around images that belong together, in the units of the map."""

    number: int
    x: float
    y: float
    radius: float


def ring(number: int, places: Places) -> Ring:
    """Return the circle around the median of some points that contains three quarters of them.

    Args:
        number: label of the circle.

    >>> ring(1, np.array([[0.0, 0.0], [2.0, 0.0], [-2.0, 0.0], [9.0, 0.0], [0.0, 1.0]]))
    Ring(number=1, x=0.0, y=0.0, radius=2.0)
    """
    x, y = np.median(places, axis=0)
    apart = np.hypot(places[:, 0] - x, places[:, 1] - y)
    radius = float(np.quantile(apart, INSIDE, method="inverted_cdf"))
    return Ring(number, float(x), float(y), radius)


def panels(
    sets: Mapping[str, Places], chosen: Places, word: str, rings: Sequence[Ring] = ()
) -> Figure:
    """Return one square map per set: its density as a grey shade, with chosen images as dots.

    All maps show the same part of the plane with the same circles. A map has no units: only the
    neighbourhoods are meaningful.

    Args:
        sets: title -> positions of its images.
        chosen: positions of the images that are dots on every map.
        word: label of the dots.

    Raises:
        InputError: no sets.

    >>> dots = np.random.default_rng(0).normal(size=(9, 2))
    >>> figure = panels({"training": dots, "pool": dots}, dots, "adversarial", [ring(1, dots)])
    >>> [axis.get_title("left") for axis in figure.axes], figure.axes[0].texts[0].get_text()
    (['training', 'pool'], '1')
    """
    if not sets:
        raise InputError("Expected at least one set, but got none.")
    square = _square(np.concatenate([*sets.values(), chosen]))
    densities = {title: _density(places, square) for title, places in sets.items()}
    highest = max(float(one.max()) for one in densities.values()) or 1.0
    with house():
        side = min(3.3, WIDE / len(sets))
        figure = Figure(figsize=(side * len(sets), side + 0.65))
        axes = figure.subplots(1, len(sets), squeeze=False)[0]
        for axis, (title, density) in zip(axes, densities.items(), strict=True):
            _shade(axis, density, highest, square)
            _dots(axis, chosen, style.HARD, word)
            _frame(axis, square)
            for one in rings:
                _ring(axis, one, square[1] - square[0])
            axis.set_title(title)
        marks = {
            f"{word}, one each": {"marker": "o", "ms": 4, "color": style.HARD, "linestyle": ""},
            "images of the set, darker where there are more": _GREY | {"marker": "s"},
        }
        if rings:
            marks["blind spot"] = {"marker": "o", "mfc": "none", "mec": SPOT, "linestyle": ""}
        handles = [Line2D([], [], label=name, **look) for name, look in marks.items()]
        figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
    return figure


_GREY: dict[str, Any] = {"color": style.GREY, "ms": 7, "linestyle": ""}


def variants(maps: Mapping[str, tuple[Places, Sequence[int]]], *, columns: int = 4) -> Figure:
    """Return several maps of the same images, each aligned to the first, with their spots.

    Maps are square. They are moved, rotated, mirrored and scaled to fit the first as closely as
    possible (Procrustes), so the remaining differences are differences of neighbourhood. Images in
    spots have one colour; the number of each spot is above its dots.

    Args:
        maps: title -> (positions, number of each position's spot from 1, or 0 for none).

    Raises:
        InputError: no map.

    >>> dots = np.random.default_rng(0).normal(size=(4, 2))
    >>> figure = variants({"seed 0": (dots, [0, 1, 1, 2]), "seed 1": (-dots, [0, 1, 1, 2])})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1', '2']
    """
    if not maps:
        raise InputError("Expected at least one map, but got none.")
    first = next(iter(maps.values()))[0]
    turned = {title: fitted(places, first) for title, (places, _) in maps.items()}
    rows, columns = -(-len(maps) // columns), min(columns, len(maps))
    square = _square(np.concatenate(list(turned.values())))
    with house():
        side = min(2.3, WIDE / columns)
        figure = Figure(figsize=(side * columns, rows * (side + 0.25)))
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis, (title, places) in zip(axes, turned.items(), strict=False):
            numbers = np.asarray(maps[title][1])
            _dots(axis, places[numbers == 0], style.GREY, "in no spot")
            _frame(axis, square)
            for number in range(1, int(numbers.max(initial=0)) + 1):
                own = places[numbers == number]
                _dots(axis, own, SPOT, f"spot {number}")
                x, y = np.median(own[:, 0]), np.quantile(own[:, 1], 0.9)
                _number(axis, number, (float(x), float(y)), up=7)
            axis.set_title(title)
        for axis in axes[len(maps) :]:
            axis.set_axis_off()
    return figure


def fitted(places: Places, to: Places) -> Places:
    """Return points moved, rotated, mirrored and scaled to fit others as closely as possible.

    >>> to = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> turned = 3 * to @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + 5  # a quarter
    >>> np.allclose(fitted(turned, to), to)
    True
    """
    middle, aim = places.mean(0), to.mean(0)
    left, sizes, right = np.linalg.svd((places - middle).T @ (to - aim))
    spread = float(((places - middle) ** 2).sum())
    scale = float(sizes.sum()) / spread if spread else 1.0
    return np.asarray(scale * (places - middle) @ left @ right + aim)


Square = tuple[float, float, float, float]
"""Left, right, bottom and top of a map, as far from each other."""


def _square(places: Places) -> Square:
    """Return the square around some points, with a margin."""
    low, high = places.min(0), places.max(0)
    x, y = (low + high) / 2
    half = (0.5 + _ROOM) * float((high - low).max() or 1.0)
    return float(x - half), float(x + half), float(y - half), float(y + half)


def _density(places: Places, square: Square) -> Float[np.ndarray, "cells cells"]:
    """Return the square root of the share of images around each point."""
    left, right, bottom, top = square
    x, y = places.T
    ends = np.linspace(left, right, _CELLS + 1), np.linspace(bottom, top, _CELLS + 1)
    counts = np.histogram2d(x, y, ends)[0] / max(len(places), 1)
    smooth: Float[np.ndarray, "cells cells"] = gaussian_filter(counts.T, _CELLS / 60)
    return np.asarray(np.sqrt(smooth))


def _shade(
    axis: Axes, density: Float[np.ndarray, "cells cells"], highest: float, square: Square
) -> None:
    """Draw the density of a set: the more images, the more opaque the grey."""
    shade = np.zeros((_CELLS, _CELLS, 4))
    shade[..., :3] = to_rgb(style.GREY)
    shade[..., 3] = density / highest
    axis.imshow(shade, extent=square, origin="lower", interpolation="none", gid=SHADE)


_CELLS = 160  # of a map's side, in which pictures are counted


def _dots(axis: Axes, places: Places, shade: str, word: str) -> None:
    # As a picture inside the figure: ten thousand dots would be a megabyte of text.
    size = float(np.clip(120 / np.sqrt(max(len(places), 1)), 1.5, 5.0))
    axis.plot(*places.T, ".", ms=size, color=shade, mew=0, rasterized=True, label=word)


def _frame(axis: Axes, square: Square) -> None:
    left, right, bottom, top = square
    axis.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[], aspect="equal")
    for spine in axis.spines.values():
        spine.set_visible(True)


def _ring(axis: Axes, one: Ring, side: float) -> None:
    radius = max(one.radius, 0.035 * side)
    axis.add_patch(Circle((one.x, one.y), radius, fill=False, lw=1.4, ec=SPOT))
    _number(axis, one.number, (one.x, one.y + radius), up=6)


def _number(axis: Axes, number: int, at: Sequence[float] | Places, *, up: float = 0) -> None:
    axis.annotate(
        str(number), (float(at[0]), float(at[1])), (0, up), textcoords="offset points",
        ha="center", va="center", fontsize=9, fontweight="bold",
    )  # fmt: skip
