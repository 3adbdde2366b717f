import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.cluster_bootstrap import clustered_rates
from robust_lib.metrics.intervals import percentiles, shared_rates

CLUSTERS = np.repeat(np.arange(20), 50)


def test_pictures_that_hang_together_are_less_evidence():
    """All pictures of a cluster are right or wrong: the interval is that of twenty."""
    right = CLUSTERS % 2 == 0
    low, high = percentiles(clustered_rates(right, CLUSTERS, "toys", samples=4000))
    apart = percentiles(shared_rates(right[None], "toys", samples=4000)[:, 0])
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 20), rel=0.1)
    assert high - low > 5 * (apart[1] - apart[0])


def test_clusters_of_one_picture_are_pictures():
    right = np.arange(400) % 4 > 0
    draws = clustered_rates(right, np.arange(400), "toys", samples=4000)
    assert draws.std() == pytest.approx(np.sqrt(0.75 * 0.25 / 400), rel=0.05)
    assert draws.mean() == pytest.approx(0.75, abs=0.002)


def test_the_same_clusters_are_resampled_together():
    """What differs between clusters alone is taken off in a difference of two sets."""
    easy = CLUSTERS % 2 == 0
    other = np.repeat(np.arange(20), 3)
    first = clustered_rates(easy, CLUSTERS, "toys")
    second = clustered_rates(other % 2 == 0, other, "toys")
    assert np.abs(first - second).max() < 1e-12
    assert np.abs(first - clustered_rates(easy, CLUSTERS, "others")).max() > 0.1


def test_an_obvious_loop_agrees():
    right, clusters = np.array([True, False, True, True, False]), np.array([0, 0, 4, 4, 9])
    possible = set()
    groups = [right[clusters == one] for one in (0, 4, 9)]
    for a in groups:
        for b in groups:
            for c in groups:
                possible.add(round(float(np.concatenate([a, b, c]).mean()), 9))
    found = {round(float(one), 9) for one in clustered_rates(right, clusters, "t", samples=2000)}
    assert found == possible


def test_what_cannot_be_resampled_is_refused():
    none = np.array([], bool)
    with pytest.raises(InputError, match="got 0 images, 0 clusters"):
        clustered_rates(none, none.astype(int), "toys")
    with pytest.raises(InputError, match="2 images, 1 clusters"):
        clustered_rates(np.array([True, False]), np.array([0]), "toys")
