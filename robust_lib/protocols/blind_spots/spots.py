"""Blind spots: regions where training images are significantly rarer than the pool's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int64

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.density_ratio import (
    OUTSIDE,
    DensityRatio,
    density_ratio,
    nearest,
    region_of,
    regions,
)
from robust_lib.protocols.blind_spots.space import Space


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of the search for blind spots.

    Attributes:
        neighbours: of an image, among which training images are counted.
        level: chance of one false alarm among all images, at most.
        least: images in a dense group, of which each blind spot has one.

    Raises:
        InputError: impossible numbers.
    """

    neighbours: int = 50
    level: float = 0.05
    least: int = 10
    permutations: int = 999
    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise InputError(f"Expected a level between 0 and 1, but got {self.level:g}.")
        if min(self.permutations, self.samples) < 1 or (self.permutations + 1) * self.level < 1:
            raise InputError(
                f"Expected enough shufflings for a level of {self.level:g}, at least "
                f"{int(np.ceil(1 / self.level)) - 1}, and resamples, but got {self.permutations} "
                f"and {self.samples}."
            )

    @property
    def words(self) -> str:
        """Return the conventions as text.

        >>> Settings().words.partition(";")[0]
        '50 nearest of the training and pool pictures, itself left out'
        """
        return (
            f"{self.neighbours} nearest of the training and pool pictures, itself left out; the "
            "density ratio is corrected for the sizes of both samples; rare: fewer training "
            f"pictures than anywhere in {100 * (1 - self.level):g} % of {self.permutations:,} "
            "shufflings of both samples"
        )


@dataclass(frozen=True, eq=False)
class BlindSpots:
    """Where a training set is rare, and the adversarial images there.

    Spots are numbered from 0 by how many adversarial pictures lie in them, then by their size.

    Attributes:
        around: each point's nearest neighbours among the points.
        ratio: of densities, at the points.
        ratio_of_chosen: of densities, at the adversarial pictures.
        spot: the blind spot of each point; -1: none.
        spot_of_chosen: the blind spot of each adversarial image; -1: none.
    """

    space: Space
    settings: Settings
    around: Int64[np.ndarray, "pictures neighbours"]
    ratio: DensityRatio
    ratio_of_chosen: DensityRatio
    spot: Int64[np.ndarray, " pictures"]
    spot_of_chosen: Int64[np.ndarray, " adversarial"]

    @property
    def is_rare(self) -> Bool[np.ndarray, " pictures"]:
        """Return around which points training pictures are rare."""
        return self.ratio.is_rare(self.settings.level)

    @property
    def in_pool(self) -> Bool[np.ndarray, " pool"]:
        """Return around which pictures of the pool training pictures are rare."""
        return self.is_rare[len(self.space.training) :]

    @property
    def in_chosen(self) -> Bool[np.ndarray, " adversarial"]:
        """Return around which adversarial pictures training pictures are rare."""
        return self.ratio_of_chosen.is_rare(self.settings.level)

    @property
    def log_ratio_of_pool(self) -> Float[np.ndarray, " pool"]:
        """Return the logarithm of the density ratio at each picture of the pool."""
        return self.ratio.log_ratio[len(self.space.training) :]

    @property
    def count(self) -> int:
        """Return the number of blind spots."""
        return int(self.spot.max(initial=OUTSIDE)) + 1

    def pool_pictures(self, spot: int) -> Sequence[int]:
        """Return the places in the pool of a spot's pictures, the most typical first.

        These have most of their nearest neighbours in the spot.
        """
        places = np.flatnonzero(self.spot == spot)
        places = places[places >= len(self.space.training)]
        inside = (self.spot[self.around[places]] == spot).mean(1)
        return [int(one) for one in places[np.argsort(-inside, kind="stable")] - self._first]

    def chosen_pictures(self, spot: int) -> Sequence[int]:
        """Return the places of a spot's adversarial pictures, fewest training pictures first."""
        places = np.flatnonzero(self.spot_of_chosen == spot)
        order = np.argsort(self.ratio_of_chosen.log_ratio[places], kind="stable")
        return [int(one) for one in places[order]]

    @property
    def _first(self) -> int:
        return len(self.space.training)


def blind_spots(space: Space, settings: Settings) -> BlindSpots:
    """Return where training pictures are significantly rarer than pictures of the pool.

    An adversarial picture around which they are rare is in the spot of the nearest point in one.

    Raises:
        InputError: as many neighbours as there are pictures.

    >>> found = blind_spots(toys.blind_spots().space, toys.SPOTS)
    >>> found.count, len(found.pool_pictures(0)), len(found.chosen_pictures(0))
    (1, 40, 9)
    """
    every = np.arange(len(space.points))
    k = settings.neighbours
    around = nearest(space.points, space.points, k, every)
    around_chosen = nearest(space.chosen, space.points, k, space.own)
    rng = seeds.generator("shuffled samples", settings.seed, *map(len, (space.points, around)))
    # One test of all: the smallest share is that of any picture that is looked at.
    found = density_ratio(
        np.concatenate([around, around_chosen]),
        space.is_training,
        rng=rng,
        permutations=settings.permutations,
    )
    ratio, ratio_of_chosen = (
        DensityRatio(found.counts[part], found.log_ratio[part], found.p_values[part])
        for part in (slice(len(every)), slice(len(every), None))
    )
    rare, rare_chosen = (one.is_rare(settings.level) for one in (ratio, ratio_of_chosen))
    spot, spot_of_chosen = (np.full(len(one), OUTSIDE) for one in (rare, rare_chosen))
    if rare.any():
        spot[rare] = regions(space.points[rare], settings.least)
        spot_of_chosen[rare_chosen] = region_of(
            space.chosen[rare_chosen], space.points[rare], spot[rare]
        )
    held = np.bincount(spot_of_chosen[rare_chosen], minlength=int(spot.max(initial=OUTSIDE)) + 1)
    number = np.empty(len(held) + 1, np.int64)  # the last is that of -1
    number[np.argsort(-held, kind="stable")] = np.arange(len(held))
    number[-1] = OUTSIDE
    return BlindSpots(
        space, settings, around, ratio, ratio_of_chosen, number[spot], number[spot_of_chosen]
    )
