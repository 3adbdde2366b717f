"""Maps: what is near stays near, the same at each call, with UMAP and without it."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.explain import embedding_map
from robust_lib.explain.embedding_map import fit_map, kept_neighbours, principal_components
from tests.toys import unchecked


def two_clouds(count=60, size=6):
    points = seeds.generator("clouds", count, size).normal(size=(count, size))
    points[count // 2 :, 0] += 12
    return points


def test_components_keep_the_distances_of_what_lies_in_fewer_dimensions():
    flat = two_clouds(size=3)
    hidden = flat @ seeds.generator("turned").normal(size=(3, 40))
    found = principal_components(hidden.astype(np.float32), 3)
    assert found.explained == pytest.approx(1)
    places = found.of(hidden.astype(np.float32))
    apart = [np.linalg.norm(one[:, None] - one[None], axis=2) for one in (hidden, places)]
    np.testing.assert_allclose(*apart, rtol=1e-4, atol=1e-4)
    spread = places.std(0)
    assert (np.diff(spread) < 0).all()  # the largest first


def test_no_more_components_than_there_are_numbers_or_pictures():
    points = two_clouds(10, 6)
    assert principal_components(points, 50).of(points).shape == (10, 6)
    few = two_clouds(4, 6)
    assert principal_components(few, 50).of(few).shape == (4, 4)


@pytest.mark.slow
def test_with_umap_neighbours_stay_and_the_map_is_the_same_again():
    points = two_clouds()
    first, again = (fit_map(points, neighbours=8, seed=3) for _ in range(2))
    assert np.array_equal(first.places, again.places)
    assert first.method == "UMAP, 8 neighbours, seed 3"
    assert kept_neighbours(points, first.places, 8) > 3 * 8 / 60
    # What is new lies where its likes lie; what is known, where it was.
    new = points[[0, 59]] + 1e-3
    centres = [first.places[half].mean(0) for half in (slice(30), slice(30, 60))]
    placed = first.place(np.concatenate([new, points[:1]]), own=np.array([-1, -1, 0]))
    nearer = np.linalg.norm(placed[:2, None] - np.stack(centres), axis=2).argmin(1)
    assert nearer.tolist() == [0, 1]
    assert np.array_equal(placed[2], first.places[0])
    # Otherwise each process compiles for ten seconds.
    assert embedding_map._umap().layouts.rdist.stats.cache_path


@pytest.mark.parametrize("asked", [None, 8])
def test_without_umap_the_map_is_two_principal_components_and_says_so(asked, monkeypatch):
    monkeypatch.setattr(embedding_map, "has_umap", lambda: False)
    points = two_clouds()
    found = fit_map(points, neighbours=asked)
    assert found.method == "first two principal components"
    np.testing.assert_allclose(abs(found.places), abs(principal_components(points, 2).of(points)))
    np.testing.assert_allclose(found.place(points[:5]), found.places[:5])


def test_kept_neighbours_are_those_of_a_loop():
    one, other = two_clouds(20, 3), two_clouds(21, 3)[:20]
    shares = []
    for place in range(20):
        both = [
            set(np.argsort(np.linalg.norm(points - points[place], axis=1))[1:5])
            for points in (one, other)
        ]
        shares.append(len(both[0] & both[1]) / 4)
    assert kept_neighbours(one, other, 4) == pytest.approx(np.mean(shares))
    assert kept_neighbours(one, 5 - 2 * one, 4) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: principal_components(np.zeros((1, 4))), "two images"),
        (lambda: principal_components(np.zeros((5, 4)), 0), "one component"),
        (lambda: fit_map(np.zeros((5, 4)), neighbours=5), "2 to 4"),
        (lambda: fit_map(np.zeros((5, 4)), neighbours=1), "got 1"),
        (lambda: kept_neighbours(np.zeros((5, 2)), np.zeros((4, 2))), "5 and 4"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with unchecked(), pytest.raises(InputError, match=words):
        call()
