"""The map of the chapter, and others beside it: what a map shows that is not chance."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from robust_book.figures.embedding_maps import Ring, ring
from robust_lib.explain.embedding_map import Map, fit_map, kept_neighbours
from robust_lib.protocols.blind_spots.spots import BlindSpots

KEPT = 15  # nearest pictures that two maps are compared by
TIMES = 3  # more or fewer neighbours in other maps


@dataclass(frozen=True, eq=False)
class Maps:
    """The map of three sets, and other maps of the same pictures.

    Attributes:
        first: what the chapter shows.
        chosen: where the adversarial pictures lie on it.
        others: what was changed -> another map.
    """

    first: Map
    chosen: Float[np.ndarray, "adversarial 2"]
    others: Mapping[str, Map]


def maps(found: BlindSpots, neighbours: int | None, seed: int) -> Maps:
    """Return the map of training and pool pictures, the adversarial ones placed on it, and others.

    The others have a third and three times as many neighbours, and another seed; the first two
    principal components have neither.

    Args:
        found: the blind spots, whose space is mapped.
        neighbours: of UMAP; None: the first two principal components.
        seed: of UMAP.

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
    """Return which share (%) of each picture's nearest stays, from map to map and from the space.

    >>> frame = kept_frame(toys.blind_spots(), maps(toys.blind_spots(), None, 0))
    >>> frame["Map"].tolist(), 0 < frame["Kept of the embedding"][0] < 100
    (['first two principal components', 'chance'], True)
    """
    points, first = found.space.points, made.first
    k = min(KEPT, len(points) - 1)

    def kept(one: Map, other: Float[np.ndarray, "_ size"]) -> float:
        return 100 * kept_neighbours(other, one.places, k)

    lines: list[dict[str, object]] = [
        {"Map": first.method, "Kept of the embedding": kept(first, points), "Kept of the map": None}
    ]
    lines += [
        {
            "Map": title,
            "Kept of the embedding": kept(one, points),
            "Kept of the map": kept(one, first.places),
        }
        for title, one in made.others.items()
    ]
    chance = 100 * k / (len(points) - 1)
    lines.append({"Map": "chance", "Kept of the embedding": chance, "Kept of the map": chance})
    return pd.DataFrame(lines).astype(object)
