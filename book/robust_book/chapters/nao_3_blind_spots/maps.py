"""The chapter's map and other maps, which show the stable features."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, UInt8

from robust_book.chapters.nao_3_blind_spots.pictures import Seen, told
from robust_book.figures.embedding_maps import Ring, ring
from robust_book.html.markup import Html, lines, text
from robust_lib.explain.embedding_map import Map, fit_map, kept_neighbours
from robust_lib.protocols.blind_spots.spots import BlindSpots
from robust_lib.types import Picture, Pictures

KEPT = 15  # nearest pictures that two maps are compared by
TIMES = 3  # more or fewer neighbours in other maps


@dataclass(frozen=True, eq=False)
class Maps:
    """The map of three sets, and other maps of the same images.

    Attributes:
        first: the chapter's map.
        chosen: positions of the adversarial images on it.
        others: change -> another map.
    """

    first: Map
    chosen: Float[np.ndarray, "adversarial 2"]
    others: Mapping[str, Map]


def maps(found: BlindSpots, neighbours: int | None, seed: int) -> Maps:
    """Return the map of training and pool images, with the adversarial ones on it, and other maps.

    The other maps have a third and three times as many neighbours, and another seed. The first two
    principal components depend on neither.

    Args:
        neighbours: number of UMAP's neighbours; None: the first two principal components.

    >>> made = maps(toys.blind_spots(), None, 0)
    >>> made.first.method, made.chosen.shape, list(made.others)
    ('first two principal components', (12, 2), [])
    """
    points = found.space.points
    first = fit_map(points, neighbours=neighbours, seed=seed)
    others: dict[str, Map] = {}
    if neighbours is not None and first.method.startswith("UMAP"):
        few, many = max(2, neighbours // TIMES), min(TIMES * neighbours, len(points) - 1)
        others[f"{few} neighbours"] = fit_map(points, neighbours=few, seed=seed)
        others[f"{many} neighbours"] = fit_map(points, neighbours=many, seed=seed)
        others[f"seed {seed + 1}"] = fit_map(points, neighbours=neighbours, seed=seed + 1)
    return Maps(first, first.place(found.space.chosen, found.space.own), others)


def rings(found: BlindSpots, made: Maps, most: int) -> list[Ring]:
    """Return the circles of the first blind spots, numbered from 1.

    >>> [one.number for one in rings(toys.blind_spots(), maps(toys.blind_spots(), None, 0), 3)]
    [1]
    """
    return [
        ring(spot + 1, made.first.places[found.spot == spot])
        for spot in range(min(most, found.count))
    ]


def kept_frame(found: BlindSpots, made: Maps) -> pd.DataFrame:
    """Return the share (%) of each image's nearest neighbours kept between maps and the embedding.

    >>> frame = kept_frame(toys.blind_spots(), maps(toys.blind_spots(), None, 0))
    >>> frame["Map"].tolist(), 0 < frame["Kept from the embedding"][0] < 100
    (['first two principal components', 'chance'], True)
    """
    points, first = found.space.points, made.first
    k = min(KEPT, len(points) - 1)

    def kept(one: Map, other: Float[np.ndarray, "_ size"]) -> float:
        return 100 * kept_neighbours(other, one.places, k)

    lines: list[dict[str, object]] = [
        {
            "Map": first.method,
            "Kept from the embedding": kept(first, points),
            "Kept from the map": None,
        }
    ]
    lines += [
        {
            "Map": title,
            "Kept from the embedding": kept(one, points),
            "Kept from the map": kept(one, first.places),
        }
        for title, one in made.others.items()
    ]
    chance = 100 * k / (len(points) - 1)
    lines.append({"Map": "chance", "Kept from the embedding": chance, "Kept from the map": chance})
    return pd.DataFrame(lines).astype(object)


ADDRESS = "_static/results/{file}"
FILE = "blind-spots.webp"
MOST = 400  # thumbnails
TILES = 20  # a row of the sheet
SIDE = 96  # pixels of a tile
UNITS = 1000  # of the map's side
MARGIN = 0.04  # of the side


@dataclass(frozen=True)
class Thumbnail:
    """An image on the map: its position and its caption."""

    x: float
    y: float
    words: str


@dataclass(frozen=True, eq=False)
class Atlas:
    """A map and the images that it shows.

    Attributes:
        dots: title of a set -> positions of its images, in units of the map.
        rings: circles of the blind spots.
        thumbnails: thumbnails of the images on the sheet, in its order.
        sheet: these images in rows.
    """

    dots: Mapping[str, Float[np.ndarray, "_ 2"]]
    rings: Sequence[Ring]
    thumbnails: tuple[Thumbnail, ...]
    sheet: Picture

    @property
    def files(self) -> Mapping[str, Picture]:
        """Return the file from which the page shows images."""
        return {FILE: self.sheet}


def atlas(found: BlindSpots, made: Maps, pool: Seen, adversarial: Seen, most: int) -> Atlas:
    """Return the map with the images of its first blind spots, and with adversarial ones.

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
    """Conversion of a map's lengths to units of the page: y points upwards, with a margin."""

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
    """An image to show: its set, its position on the map, and its title."""

    seen: Seen
    place: int
    where: Float[np.ndarray, " 2"]
    kind: str

    def thumbnail(self, plane: _Plane) -> Thumbnail:
        ((x, y),) = plane.placed(self.where[None])
        said = told(self.kind, self.seen.words(self.place))
        return Thumbnail(round(float(x), 1), round(float(y), 1), said)


def _evenly(shown: list[_Shown]) -> list[_Shown]:
    """Return evenly spaced images, at most half the maximum number of thumbnails."""
    return shown[:: max(1, -(-2 * len(shown) // MOST))]


def _spot(number: int) -> str:
    return f"spot {number + 1}, " if number >= 0 else ""


def sheet(pictures: Sequence[Picture]) -> UInt8[np.ndarray, "rows columns 3"]:
    """Return images of `SIDE` pixels side by side, in rows of `TILES`.

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
    """Return the map, the image under the pointer, and a slider through the images.

    >>> found = toys.blind_spots()
    >>> sets = (Seen(one, toys.drawn(one)) for one in (found.space.pool, found.space.adversarial))
    >>> texts(block(atlas(found, toys.maps(), *sets, most=3), convention="toys"), "title")
    ['Map of 100 training, 140 pool and 12 adversarial images']
    """
    counts = {name: len(places) for name, places in made.dots.items()}
    title = "Map of {training:,} training, {pool:,} pool and {adversarial:,} adversarial images"
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
        '<p><output></output></p><label>Image <input type="range" min="0" '
        f'max="{len(points) - 1}" value="0" step="1" autocomplete="off"></label></div>',
        '<p class="rb-still">With JavaScript, the image under the pointer is shown here.</p>',
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
