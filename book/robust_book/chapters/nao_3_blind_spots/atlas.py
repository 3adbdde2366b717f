"""The map to look into: one dot per picture, and the picture under the pointer; no server.

Without the script the map stands there with its numbered circles, and the gallery shows pictures.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, UInt8

from robust_book.chapters.nao_3_blind_spots.maps import Maps, rings
from robust_book.chapters.nao_3_blind_spots.pictures import Seen, told
from robust_book.figures.embedding_maps import Ring
from robust_book.html.markup import Html, lines, text
from robust_lib.protocols.blind_spots.spots import BlindSpots
from robust_lib.types import Picture, Pictures

ADDRESS = "_static/results/{file}"
FILE = "blind-spots.webp"
MOST = 400  # thumbnails
TILES = 20  # a row of the sheet
SIDE = 96  # pixels of a tile
UNITS = 1000  # of the map's side
MARGIN = 0.04  # of the side


@dataclass(frozen=True)
class Thumbnail:
    """A picture that the map shows: where it lies, and what is said of it."""

    x: float
    y: float
    words: str


@dataclass(frozen=True, eq=False)
class Atlas:
    """A map and the pictures that it shows.

    Attributes:
        dots: title of a set -> places of its pictures, in units of the map.
        rings: of the blind spots.
        thumbnails: of the pictures on the sheet, in its order.
        sheet: these pictures in rows.
    """

    dots: Mapping[str, Float[np.ndarray, "_ 2"]]
    rings: Sequence[Ring]
    thumbnails: tuple[Thumbnail, ...]
    sheet: Picture

    @property
    def files(self) -> Mapping[str, Picture]:
        """Return the file that the page shows pictures from."""
        return {FILE: self.sheet}


def atlas(found: BlindSpots, made: Maps, pool: Seen, adversarial: Seen, most: int) -> Atlas:
    """Return the map with the pictures of its first blind spots, and with adversarial ones.

    Args:
        found: the blind spots.
        made: the maps.
        pool: the pool's pictures.
        adversarial: the adversarial pictures.
        most: how many blind spots.

    >>> found = toys.blind_spots()
    >>> sets = (Seen(one, toys.drawn(one)) for one in (found.space.pool, found.space.adversarial))
    >>> made = atlas(found, toys.maps(), *sets, most=3)
    >>> len(made.thumbnails), made.sheet.shape
    (52, (288, 1920, 3))
    """
    points, first = made.first.places, len(found.space.training)
    shown = [
        _Shown(pool, place, points[first + place], f"spot {spot + 1}, of the pool")
        for spot in range(min(most, found.count))
        for place in found.pool_pictures(spot)
    ]
    numbers = [int(spot) for spot in found.spot_of_chosen]
    chosen = [
        _Shown(adversarial, place, made.chosen[place], f"{_spot(spot)}adversarial")
        for place, spot in enumerate(numbers)
    ]
    kept = _evenly(shown) + _evenly(chosen)
    plane = _Plane(np.concatenate([points, made.chosen]))
    sets = {"training": points[:first], "pool": points[first:], "adversarial": made.chosen}
    return Atlas(
        {name: plane.placed(places) for name, places in sets.items()},
        [plane.ring(one) for one in rings(found, made, most)],
        tuple(one.thumbnail(plane) for one in kept),
        sheet([one.seen.read(one.place) for one in kept]),
    )


@dataclass(frozen=True, eq=False)
class _Plane:
    """How a map's lengths become units of the page: upwards as in figures, with a margin."""

    every: Float[np.ndarray, "_ 2"]

    @property
    def scale(self) -> float:
        return (1 - 2 * MARGIN) * UNITS / float(np.ptp(self.every, axis=0).max() or 1.0)

    def placed(self, where: Float[np.ndarray, "_ 2"]) -> Float[np.ndarray, "_ 2"]:
        apart = MARGIN * UNITS + self.scale * (where - self.every.min(0))
        return np.stack([apart[:, 0], UNITS - apart[:, 1]], axis=1)

    def ring(self, one: Ring) -> Ring:
        ((x, y),) = self.placed(np.array([[one.x, one.y]]))
        return Ring(one.number, float(x), float(y), self.scale * one.radius)


@dataclass(frozen=True, eq=False)
class _Shown:
    """A picture to show: of which set, where on the map, and what it is."""

    seen: Seen
    place: int
    where: Float[np.ndarray, " 2"]
    kind: str

    def thumbnail(self, plane: _Plane) -> Thumbnail:
        ((x, y),) = plane.placed(self.where[None])
        said = told(self.kind, self.seen.words(self.place))
        return Thumbnail(round(float(x), 1), round(float(y), 1), said)


def _evenly(shown: list[_Shown]) -> list[_Shown]:
    """Return half of the most thumbnails at most, evenly chosen."""
    return shown[:: max(1, -(-2 * len(shown) // MOST))]


def _spot(number: int) -> str:
    return f"spot {number + 1}, " if number >= 0 else ""


def sheet(pictures: Sequence[Picture]) -> UInt8[np.ndarray, "rows columns 3"]:
    """Return pictures of `SIDE` pixels side by side, in rows of `TILES`.

    >>> sheet([np.zeros((96, 96, 3), np.uint8)] * 21).shape
    (192, 1920, 3)
    """
    rows = max(1, -(-len(pictures) // TILES))
    tiles: Pictures = np.zeros((rows * TILES, SIDE, SIDE, 3), np.uint8)
    tiles[: len(pictures)] = list(pictures) if len(pictures) else tiles[:0]
    in_rows = tiles.reshape(rows, TILES, SIDE, SIDE, 3).transpose(0, 2, 1, 3, 4)
    whole: np.ndarray = in_rows.reshape(rows * SIDE, TILES * SIDE, 3)
    return whole


def block(made: Atlas, *, convention: str, address: str = ADDRESS) -> Html:
    """Return the map, what stands under the pointer, and a range to step through the pictures.

    Args:
        made: of `atlas`.
        convention: what is shown.
        address: of a file, with {file} in it.

    >>> found = toys.blind_spots()
    >>> sets = (Seen(one, toys.drawn(one)) for one in (found.space.pool, found.space.adversarial))
    >>> texts(block(atlas(found, toys.maps(), *sets, most=3), convention="toys"), "title")
    ['Map of 100 training, 140 pool and 12 adversarial pictures']
    """
    counts = {name: len(places) for name, places in made.dots.items()}
    title = "Map of {training:,} training, {pool:,} pool and {adversarial:,} adversarial pictures"
    title = title.format(**counts)
    points = [[one.x, one.y, one.words] for one in made.thumbnails]
    rows = len(made.sheet) // SIDE
    return lines(
        f'<div class="rb-atlas" id="atlas" data-points="{text(json.dumps(points))}" '
        f'data-tiles="{TILES}" data-rows="{rows}">',
        f'<svg viewBox="0 0 {UNITS} {UNITS}" role="img" aria-labelledby="atlas-title">',
        f'<title id="atlas-title">{text(title)}</title>',
        *(_dots(name, places) for name, places in made.dots.items()),
        *(_circle(one) for one in made.rings),
        '<circle class="rb-here" r="14" hidden></circle></svg>',
        '<div class="rb-under"><p class="rb-keys">'
        + " ".join(f'<span class="rb-{name}">{text(name)}</span>' for name in made.dots)
        + "</p>",
        '<div class="rb-live-only" hidden><div class="rb-thumb" role="img" '
        f'style="background-image: url({text(address.format(file=FILE))})"></div>'
        '<p><output></output></p><label>Picture <input type="range" min="0" '
        f'max="{len(points) - 1}" value="0" step="1" autocomplete="off"></label></div>',
        '<p class="rb-still">With JavaScript, the picture under the pointer is shown here.</p>',
        "</div>",
        f'<p class="rb-convention"><span class="rb-label">Convention</span> {text(convention)}</p>',
        "</div>",
    )


def _dots(name: str, places: Float[np.ndarray, "_ 2"]) -> str:
    # One line of no length a dot: ten letters each, and one element for all.
    drawn = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in places)
    return f'<path class="rb-dots rb-{name}" d="{drawn}"></path>'


def _circle(one: Ring) -> str:
    radius = max(one.radius, 14.0)
    at = f'cx="{one.x:.0f}" cy="{one.y:.0f}" r="{radius:.0f}"'
    x, y = one.x + 0.75 * radius, one.y - 0.75 * radius
    return (
        f'<circle class="rb-spot" {at}></circle><text x="{x:.0f}" y="{y:.0f}">{one.number}</text>'
    )
