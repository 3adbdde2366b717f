"""Blind spots: regions where training images are significantly rarer than the pool's [nao, fig. 5].

Training, pool and adversarial images are in one embedding space; in the paper, OpenImages is the
pool, COCO the training set [nao, sec. 4.3].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import PurePosixPath

import numpy as np
from jaxtyping import Bool, Float, Int64

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.explain.embedding_map import principal_components
from robust_lib.metrics.density_ratio import (
    OUTSIDE,
    DensityRatio,
    density_ratio,
    nearest,
    region_of,
    regions,
)
from robust_lib.metrics.intervals import Sample, percentiles, shared_rates
from robust_lib.predict.embed import Embeddings
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results

COMPONENTS = 50

ITEM = "nao-fig5"
DENSITY = "mean natural logarithm of the training set's density over the pool's, 0 where equal"
PLANE = 2


@dataclass(frozen=True, eq=False)
class Space:
    """Training images, a pool of images, and adversarial images, in principal components.

    Attributes:
        training: embeddings of the detectors' training images.
        pool: embeddings of a sample of all images.
        adversarial: embeddings of the pool's adversarial images.
        points: the training images, followed by the pool's.
        chosen: the adversarial images.
        own: index of each adversarial image in `points`; -1 if it is not in the sample.
        explained: share of the variance of `points` that the components explain.
    """

    training: Embeddings
    pool: Embeddings
    adversarial: Embeddings
    points: Float[np.ndarray, "pictures components"]
    chosen: Float[np.ndarray, "adversarial components"]
    own: Int64[np.ndarray, " adversarial"]
    explained: float

    @property
    def is_training(self) -> Bool[np.ndarray, " pictures"]:
        """Return which of the points are training images."""
        return np.arange(len(self.points)) < len(self.training)

    @property
    def convention(self) -> str:
        """Return the description of the space."""
        size, components = self.training.vectors.shape[1], self.points.shape[1]
        shown = self.training.preprocessing.words
        return (
            f"{size:,} numbers per image from {self.training.model} (images {shown}), "
            f"{components} principal components with {100 * self.explained:.0f} % of the variance"
        )


def space(
    training: Embeddings, pool: Embeddings, adversarial: Embeddings, components: int = COMPONENTS
) -> Space:
    """Return three sets of images in the principal components of the first two.

    Args:
        adversarial: adversarial images, identified in the pool by their names.

    Raises:
        InputError: embeddings from different networks, or of images that were preprocessed
            differently.

    >>> made = space(*toys.embeddings())
    >>> len(made.points), len(made.chosen), int((made.own >= 0).sum())
    (240, 12, 10)
    """
    sets = (training, pool, adversarial)
    if len({(one.model, one.preprocessing, one.vectors.shape[1]) for one in sets}) > 1:
        told = "; ".join(f"{one.dataset}: {one.model}, {one.preprocessing.words}" for one in sets)
        raise InputError(
            f"Expected embeddings of one network with the same preprocessing, but got {told}."
        )
    both = np.concatenate([training.vectors, pool.vectors])
    found = principal_components(both, components)
    at = {_stem(name): len(training) + place for place, name in enumerate(pool.ids)}
    own = np.array([at.get(_stem(name), OUTSIDE) for name in adversarial.ids], np.int64)
    points, chosen = found.of(both), found.of(adversarial.vectors)
    return Space(training, pool, adversarial, points, chosen, own, found.explained)


def _stem(name: str) -> str:
    """Return an image's name without folder and file type, which differ between its copies."""
    return PurePosixPath(name).stem


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of the search for blind spots.

    Attributes:
        neighbours: number of nearest neighbours among which training images are counted.
        level: maximum probability of a false alarm among all images.
        least: minimum number of images in the dense group of a blind spot.

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
                f"Expected enough permutations for a level of {self.level:g}, at least "
                f"{int(np.ceil(1 / self.level)) - 1}, and resamples, but got {self.permutations} "
                f"and {self.samples}."
            )

    @property
    def words(self) -> str:
        """Return the conventions as text.

        >>> Settings().words.partition(";")[0]
        '50 nearest of the other training and pool images'
        """
        return (
            f"{self.neighbours} nearest of the other training and pool images; the "
            "density ratio is corrected for the sizes of both samples; rare: fewer training "
            f"images than anywhere in {100 * (1 - self.level):g} % of {self.permutations:,} "
            "permutations of both samples"
        )


@dataclass(frozen=True, eq=False)
class BlindSpots:
    """The regions where a training set is rare, and the adversarial images in them.

    Spots are numbered from 0, those with the most adversarial images first, then by size.

    Attributes:
        around: each point's nearest neighbours among the points.
        ratio: density ratio at each point.
        ratio_of_chosen: density ratio at each adversarial image.
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
        """Return around which points training images are rare."""
        return self.ratio.is_rare(self.settings.level)

    @property
    def in_pool(self) -> Bool[np.ndarray, " pool"]:
        """Return around which images of the pool training images are rare."""
        return self.is_rare[len(self.space.training) :]

    @property
    def in_chosen(self) -> Bool[np.ndarray, " adversarial"]:
        """Return around which adversarial images training images are rare."""
        return self.ratio_of_chosen.is_rare(self.settings.level)

    @property
    def log_ratio_of_pool(self) -> Float[np.ndarray, " pool"]:
        """Return the logarithm of the density ratio at each image of the pool."""
        return self.ratio.log_ratio[len(self.space.training) :]

    @property
    def count(self) -> int:
        """Return the number of blind spots."""
        return int(self.spot.max(initial=OUTSIDE)) + 1

    def pool_pictures(self, spot: int) -> Sequence[int]:
        """Return the indices, within the pool, of a spot's images, the most typical first.

        The most typical images have the most nearest neighbours in the spot.
        """
        places = np.flatnonzero(self.spot == spot)
        places = places[places >= len(self.space.training)]
        inside = (self.spot[self.around[places]] == spot).mean(1)
        return [int(one) for one in places[np.argsort(-inside, kind="stable")] - self._first]

    def chosen_pictures(self, spot: int) -> Sequence[int]:
        """Return the indices of a spot's adversarial images, the lowest training density first."""
        places = np.flatnonzero(self.spot_of_chosen == spot)
        order = np.argsort(self.ratio_of_chosen.log_ratio[places], kind="stable")
        return [int(one) for one in places[order]]

    @property
    def _first(self) -> int:
        return len(self.space.training)


def blind_spots(space: Space, settings: Settings) -> BlindSpots:
    """Return the regions where training images are significantly rarer than the pool's.

    An adversarial image around which training images are rare belongs to the spot of the nearest
    point that is in one.

    Raises:
        InputError: the number of neighbours is not below the number of images.

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


Together = tuple[str, ...] | None
"""The group of each image, such as the OOD object that it shows; None: each is its own group."""


def results(
    found: BlindSpots, shown: int, together: tuple[Together, Together] = (None, None)
) -> Results:
    """Return the numbers of Figure 5 as rows.

    Training density is measured at the adversarial images and at the pool's images. Intervals come
    from resampled images; the space and the shares around each image stay fixed.

    Args:
        together: groups of the adversarial images and of the pool's; whole groups are resampled.

    >>> rows = results(toys.blind_spots(), shown=1)
    >>> densities = rows.select(metric="training_density").rows
    >>> [row.dataset for row in densities], densities[0].value < densities[1].value
    (['chosen', 'pool'], True)
    """
    space, settings = found.space, found.settings
    chosen, pool = space.adversarial.dataset, space.pool.dataset
    ours, all_others = (Sample(*one) for one in zip((chosen, pool), together, strict=True))
    convention = f"{DENSITY}; {settings.words}; {space.convention}"
    row = partial(Row.of, item=ITEM, metric="training_density", convention=convention)
    share = partial(Row.of, item=ITEM, metric="share", convention=f"in blind spots; {convention}")
    mean = partial(mean_of_pictures, samples=settings.samples)
    fact = partial(Row, item=ITEM, dataset=chosen)
    return Results.of(
        [
            row(
                mean_of_pictures(found.ratio_of_chosen.log_ratio, ours, settings.samples),
                dataset=chosen,
            ),
            row(mean(found.log_ratio_of_pool, all_others), dataset=pool),
            share(Estimate.of_rate([found.in_chosen], images=ours), dataset=chosen),
            share(Estimate.of_rate([found.in_pool], images=all_others), dataset=pool),
            fact(metric="clusters", value=float(shown), convention="shown as examples"),
            fact(
                metric="embedding_size",
                value=float(space.training.vectors.shape[1]),
                model=space.training.model,
            ),
            fact(metric="projected_size", value=float(PLANE), model=space.training.model),
        ]
    )


def mean_of_pictures(
    values: Float[np.ndarray, " pictures"], pictures: str | Sample, samples: int
) -> Estimate:
    """Return a mean over images, with an interval over resampled images.

    Args:
        pictures: the sample of images: those of the same data set share their resamples, and whole
            groups are drawn.

    >>> found = mean_of_pictures(np.array([0.0, 1.0]), "toys", 50)
    >>> found.value, found.low, found.high
    (0.5, 0.0, 1.0)
    """
    sample = Sample.of(pictures)
    drawn = cache(partial(_drawn, values, sample, samples))
    return Estimate.over(
        [float(values.mean())],
        lambda: percentiles(drawn()),
        n=len(values),
        draws=Draws(sample.name, drawn),
    )


def _drawn(
    values: Float[np.ndarray, " pictures"], sample: Sample, samples: int
) -> Float[np.ndarray, " draws"]:
    if sample.together is not None:
        return np.asarray(shared_rates(values[None], sample, samples=samples)[:, 0])
    rng = seeds.generator("resamples of pictures", sample.name, len(values))
    return np.array([rng.choice(values, len(values)).mean() for _ in range(samples)])
