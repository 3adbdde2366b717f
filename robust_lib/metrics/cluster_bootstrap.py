"""Intervals for correlated images: whole clusters are resampled, not single images.

Images of one drawing, or of one subtype, are classified alike. Resampling them one by one
overstates the evidence.
"""

import numpy as np
from jaxtyping import Bool, Int

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.intervals import Draws


def clustered_rates(
    counted: Bool[np.ndarray, " images"],
    clusters: Int[np.ndarray, " own"],
    of: str,
    *,
    samples: int = 1000,
) -> Draws:
    """Return the share of images that count, in each resample of their clusters.

    Two sets of images of the same clusters see the same resamples, so that what is hard about a
    cluster is taken off in their difference.

    Args:
        clusters: the cluster of each, from 0; a number without images is no cluster.
        of: name of the clusters; the same name and clusters give the same resamples.

    Raises:
        InputError: no images, clusters of another number, or fewer than two samples.

    >>> right, drawing = np.array([True, True, False, False]), np.array([0, 0, 1, 1])
    >>> sorted(set(clustered_rates(right, drawing, "drawings", samples=50).tolist()))
    [0.0, 0.5, 1.0]
    """
    if not 0 < len(counted) == len(clusters) or samples < 2:
        raise InputError(
            f"Expected images, a cluster for each and at least two samples, but got {len(counted)} "
            f"images, {len(clusters)} clusters and {samples} samples."
        )
    known, own = np.unique(clusters, return_inverse=True)
    images, right = np.bincount(own), np.bincount(own, weights=counted)
    rng = seeds.generator("resampled clusters", of, *known.tolist())
    even = np.full(len(known), 1 / len(known))
    times = rng.multinomial(len(known), even, size=samples)
    return np.asarray((times @ right) / (times @ images), np.float64)
