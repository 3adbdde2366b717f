"""The maps of the chapter: what is changed in the others, and what they keep."""

import numpy as np
import pytest

from robust_book.chapters.nao_3_blind_spots import maps as module
from robust_book.chapters.nao_3_blind_spots.maps import kept_frame, maps, rings
from robust_lib.explain.embedding_map import Map
from tests.protocols.blind_spots import toys


class Turned:
    """Places points as the map of two of their numbers, turned by the seed."""

    def transform(self, points):
        return points[:, :2] + 100


@pytest.fixture
def asked(monkeypatch):
    calls = []

    def fit_map(points, *, neighbours, seed):
        calls.append((neighbours, seed))
        places = points[:, seed : seed + 2]
        return Map(places, f"UMAP, {neighbours} neighbours, seed {seed}", Turned())

    monkeypatch.setattr(module, "fit_map", fit_map)
    return calls


def test_other_maps_have_other_neighbours_and_another_seed(asked):
    made = maps(toys.blind_spots(), 15, 0)
    assert asked == [(15, 0), (5, 0), (45, 0), (15, 1)]
    assert list(made.others) == ["5 neighbours", "45 neighbours", "seed 1"]


def test_neighbours_stay_within_what_there_is(asked):
    maps(toys.blind_spots(), 4, 0)
    maps(toys.blind_spots(), 200, 0)
    assert [one for one, _ in asked] == [4, 2, 12, 4, 200, 66, 239, 200]


def test_adversarial_pictures_lie_where_they_lie_in_the_pool_and_new_ones_are_placed(asked):
    found = toys.blind_spots()
    made = maps(found, 15, 0)
    own = found.space.own
    assert np.array_equal(made.chosen[:10], made.first.places[own[:10]])
    np.testing.assert_allclose(made.chosen[10:], found.space.chosen[10:, :2] + 100)


def test_what_is_kept_is_between_chance_and_all(asked):
    frame = kept_frame(toys.blind_spots(), maps(toys.blind_spots(), 15, 0))
    assert frame["Map"].tolist()[1:] == ["5 neighbours", "45 neighbours", "seed 1", "chance"]
    kept = frame.set_index("Map")["Kept of the map"]
    assert kept["5 neighbours"] == 100  # the same places
    assert kept["chance"] < kept["seed 1"] < 100
    assert kept["chance"] == pytest.approx(100 * 15 / 239)


def test_rings_are_where_their_pictures_are():
    found = toys.blind_spots()
    made = maps(found, None, 0)
    (one,) = rings(found, made, 3)
    places = made.first.places[found.spot == 0]
    assert one.number == 1
    assert (np.hypot(*(places - (one.x, one.y)).T) <= one.radius + 1e-9).mean() >= 0.75
    assert rings(found, made, 0) == []
