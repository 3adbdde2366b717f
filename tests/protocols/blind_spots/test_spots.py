"""Blind spots: the planted one is found with its adversarial pictures; numbers follow these."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.blind_spots.space import space
from robust_lib.protocols.blind_spots.spots import Settings, blind_spots
from tests.protocols.blind_spots import toys
from tests.protocols.blind_spots.toys import PLANTED, POOL, SPOTS, TRAINING


def test_the_planted_blind_spot_is_found_with_what_lies_in_it():
    found = toys.blind_spots()
    assert found.count == 1
    assert found.in_pool[-PLANTED:].all()
    assert not found.in_pool[:-PLANTED].any()
    assert not found.is_rare[:TRAINING].any()
    assert sorted(found.pool_pictures(0)) == list(range(POOL - PLANTED, POOL))
    # Eight of the pool's, and the one beside the sample that lies among them.
    assert sorted(found.chosen_pictures(0)) == [*range(2, 10), 10]
    assert found.in_chosen.tolist() == [False] * 2 + [True] * 9 + [False]
    assert found.spot_of_chosen.tolist() == [-1] * 2 + [0] * 9 + [-1]


def test_a_picture_in_both_sets_has_one_density():
    found = toys.blind_spots()
    own = found.space.own[:10]
    assert np.array_equal(found.ratio.counts[own], found.ratio_of_chosen.counts[:10])
    assert np.array_equal(found.ratio.p_values[own], found.ratio_of_chosen.p_values[:10])
    assert len(found.log_ratio_of_pool) == POOL


def test_where_both_are_alike_there_is_no_blind_spot():
    found = blind_spots(space(*toys.embeddings(apart=0.0)), SPOTS)
    assert found.count == 0
    assert not found.in_pool.any()
    assert (found.spot_of_chosen == -1).all()


def test_spots_are_numbered_by_their_adversarial_pictures():
    training, pool, chosen = toys.embeddings()
    # A larger one on the other side, without adversarial pictures but one.
    vectors = pool.vectors.copy()
    vectors[1:61, 0] -= 9
    moved = chosen.vectors.copy()
    moved[1, 0] -= 9
    found = blind_spots(
        space(
            training,
            toys.embedded("pool", pool.ids, vectors),
            toys.embedded("chosen", chosen.ids, moved),
        ),
        SPOTS,
    )
    assert found.count == 2
    assert [len(found.pool_pictures(spot)) for spot in range(2)] == [40, 60]
    assert [len(found.chosen_pictures(spot)) for spot in range(2)] == [9, 1]


def test_the_most_typical_picture_of_a_spot_comes_first():
    found = toys.blind_spots()
    first, last = (found.pool_pictures(0)[place] + TRAINING for place in (0, -1))
    inside = (found.spot[found.around] == 0).mean(1)
    assert inside[first] >= inside[last]


def test_another_seed_moves_chances_only_a_little():
    made = toys.blind_spots().space
    settings = Settings(neighbours=25, permutations=199, seed=1)
    assert abs(int(blind_spots(made, settings).in_pool.sum()) - PLANTED) <= 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"level": 0.0}, "between 0 and 1"),
        ({"permutations": 9}, "at least 19"),
        ({"samples": 0}, "resamples"),
    ],
)
def test_impossible_settings_are_refused(wrong, words):
    with pytest.raises(InputError, match=words):
        Settings(**wrong)


def test_more_neighbours_than_pictures_are_refused():
    with pytest.raises(InputError, match="1 to 239 neighbours"):
        blind_spots(toys.blind_spots().space, Settings(neighbours=300))
