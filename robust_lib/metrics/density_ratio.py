"""Regions where one sample is rare relative to another, with a permutation test.

For each point, we look at its k nearest images from a training set and a pool together. Where both
are equally dense, the share of training images among them equals the overall share; where it is
smaller, the training set has a blind spot [nao, sec. 4.3]. Some shares are small by chance alone,
more so with more points. Therefore the smallest share is compared with the smallest share after the
labels "training" and "pool" are shuffled, which bounds the probability of a single false alarm.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Int64
from scipy import sparse

from robust_lib.errors import InputError

Points = Float[np.ndarray, "_ size"]
Neighbours = Int64[np.ndarray, "points neighbours"]
"""Indices of each point's nearest neighbours among the images of both samples, nearest first."""

OUTSIDE = -1
"""The index of a missing neighbour, and the region of a point that is in no region."""

_AT_ONCE = 256  # permutations held at once


@dataclass(frozen=True, eq=False)
class DensityRatio:
    """The density of a training set around each point, relative to a pool.

    Attributes:
        counts: number of training images among each point's nearest neighbours.
        log_ratio: natural logarithm of the training set's density over the pool's; 0 if equal.
        p_values: (points,), the share of permutations, the given order included, in which some
            point has at most as many training images around it.
    """

    counts: Int64[np.ndarray, " points"]
    log_ratio: Float[np.ndarray, " points"]
    p_values: Float[np.ndarray, " points"]

    def is_rare(self, level: float = 0.05) -> Bool[np.ndarray, " points"]:
        """Return around which points training images are rare.

        Args:
            level: maximum probability of a false alarm among all points.
        """
        return self.p_values <= level


def nearest(
    points: Points, among: Points, k: int, own: Int[np.ndarray, " _"] | None = None
) -> Neighbours:
    """Return the k nearest neighbours of each point, by Euclidean distance.

    Args:
        own: the index of each point in `among`, so that it is excluded; -1 if it is not among them.

    Raises:
        InputError: k below one, or not below the number of points to choose from.

    >>> line = np.array([[0.0], [1.0], [3.0]])
    >>> nearest(line, line, 1, own=np.arange(3)).tolist()
    [[1], [0], [1]]
    """
    if not 1 <= k < len(among):
        raise InputError(
            f"Expected from 1 to {len(among) - 1} neighbours, fewer than the {len(among)} images "
            f"from which they are chosen, but got {k}."
        )
    from sklearn.neighbors import (
        NearestNeighbors,
    )  # half a second, which other chapters need not wait for

    finder = NearestNeighbors(algorithm="brute").fit(among)
    found = finder.kneighbors(points, k + 1, return_distance=False).astype(np.int64)
    places = np.full(len(points), OUTSIDE) if own is None else own
    dropped = found == places[:, None]
    dropped[~dropped.any(1), -1] = True  # of a point that is none of them, the farthest goes
    kept: Neighbours = found[~dropped].reshape(len(points), k)
    return kept


def density_ratio(
    neighbours: Neighbours,
    training: Bool[np.ndarray, " pictures"],
    *,
    rng: np.random.Generator,
    permutations: int = 999,
) -> DensityRatio:
    """Return the density of a training set around each point, with a test for rarity.

    Densities are estimated from nearest neighbours: c of the k around a point are training images.
    The ratio is corrected for the sizes of both samples, and half an image is added to either side,
    so that it is finite.

    Args:
        training: which images of both samples are training images.

    Raises:
        InputError: images of one sample alone, indices that do not exist, or no permutation.

    >>> rng = np.random.default_rng(0)
    >>> pool = np.concatenate([rng.normal(size=(150, 2)), rng.normal(9, 1, size=(50, 2))])
    >>> every = np.concatenate([rng.normal(size=(200, 2)), pool])
    >>> around = nearest(every, every, 20, own=np.arange(400))
    >>> found = density_ratio(around, np.arange(400) < 200, rng=rng, permutations=199)
    >>> np.flatnonzero(found.is_rare()).tolist() == list(range(350, 400))
    True
    """
    of_training, of_pool = int(training.sum()), int((~training).sum())
    if not of_training or not of_pool:
        raise InputError(
            f"Expected images of a training set and of a pool, but got {of_training} and {of_pool}."
        )
    if neighbours.size and not 0 <= neighbours.min() <= neighbours.max() < len(training):
        raise InputError(
            f"Expected positions from 0 to {len(training) - 1}, but got {neighbours.min()} to "
            f"{neighbours.max()}."
        )
    if permutations < 1:
        raise InputError(f"Expected at least one permutation, but got {permutations}.")
    k = neighbours.shape[1]
    counts = training[neighbours].sum(1)
    ratio = np.log((counts + 0.5) / (k - counts + 0.5)) - np.log(of_training / of_pool)
    smallest = np.sort(_smallest(neighbours, training, rng, permutations))
    as_few = np.searchsorted(smallest, counts, side="right")
    return DensityRatio(counts, ratio, (1 + as_few) / (1 + permutations))


def regions(points: Points, least: int = 10) -> Int64[np.ndarray, " _"]:
    """Return the region of each point, numbered from the largest: a dense group and nearby points.

    Groups are found by HDBSCAN, which leaves out points between them; such a point joins the group
    of its nearest grouped point. If there are fewer than two groups, all points form one region.

    Args:
        least: minimum number of points per group.

    Raises:
        InputError: groups of fewer than two points.

    >>> line = np.concatenate([np.linspace(0, 1, 9), np.linspace(7, 8, 6), [3.0]])[:, None]
    >>> regions(line, least=3).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0]
    """
    if least < 2:
        raise InputError(f"Expected groups of at least two points, but got {least}.")
    if len(points) < 2 * least:
        return np.zeros(len(points), np.int64)
    from sklearn.cluster import HDBSCAN

    group = HDBSCAN(min_cluster_size=least, copy=True).fit_predict(points)
    inside = group >= 0
    if not inside.any():
        return np.zeros(len(points), np.int64)
    group = region_of(points, points[inside], group[inside].astype(np.int64))
    rank = np.empty(int(group.max()) + 1, np.int64)
    rank[np.argsort(-np.bincount(group), kind="stable")] = np.arange(len(rank))
    found: np.ndarray = rank[group]
    return found


def region_of(
    points: Points, known: Float[np.ndarray, "known size"], region: Int64[np.ndarray, " known"]
) -> Int64[np.ndarray, " _"]:
    """Return, for each point, the region of the nearest known point.

    >>> region_of(np.array([[1.0], [9.0]]), np.array([[0.0], [7.0]]), np.array([4, 2])).tolist()
    [4, 2]
    """
    if not len(points):
        return np.zeros(0, np.int64)
    from sklearn.neighbors import NearestNeighbors

    finder = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(known)
    found: np.ndarray = region[finder.kneighbors(points, return_distance=False)[:, 0]]
    return found


def _smallest(
    neighbours: Neighbours,
    training: Bool[np.ndarray, " pictures"],
    rng: np.random.Generator,
    permutations: int,
) -> Int[np.ndarray, " permutations"]:
    """Return, after each shuffling, the fewest training images around any point."""
    near = _graph(neighbours, len(training))
    found = []
    for start in range(0, permutations, _AT_ONCE):
        count = min(_AT_ONCE, permutations - start)
        names = rng.permuted(np.tile(training, (count, 1)), axis=1).astype(np.float32)
        found.append((near @ names.T).min(0))
    return np.concatenate(found).astype(np.int64)


def _graph(neighbours: Neighbours, pictures: int) -> "sparse.csr_array[np.float32]":
    """Return a matrix with a one where an image is among a point's neighbours."""
    points, k = neighbours.shape
    ones = np.ones(points * k, np.float32)
    starts = np.arange(points + 1) * k
    return sparse.csr_array((ones, neighbours.ravel(), starts), shape=(points, pictures))
