"""Blind spots: the planted one is found with its adversarial pictures; numbers follow these."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import Sample
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.blind_spots.spots import (
    Settings,
    blind_spots,
    mean_of_pictures,
    results,
    space,
)
from robust_lib.results.compare import compare
from tests.protocols.blind_spots import toys
from tests.protocols.blind_spots.toys import PLANTED, POOL, SPOTS, TRAINING, embedded, embeddings


def test_adversarial_pictures_are_found_in_the_pool_by_their_names():
    training, pool, chosen = embeddings()
    made = space(training, pool, chosen)
    places = [0, 1, *range(POOL - 8, POOL)]
    assert made.own.tolist() == [*(TRAINING + place for place in places), -1, -1]
    # The components are of training and pool; a picture of both sets lies at one place.
    np.testing.assert_allclose(made.points[made.own[:10]], made.chosen[:10], atol=1e-4)
    assert made.is_training.sum() == TRAINING
    assert made.is_training[:TRAINING].all()


def test_distances_are_those_of_the_embeddings_where_no_component_is_left_out():
    training, pool, chosen = embeddings()
    made = space(training, pool, chosen)
    both = np.concatenate([training.vectors, pool.vectors])
    for one in (0, 120):
        expected = np.linalg.norm(both - both[one], axis=1)
        found = np.linalg.norm(made.points - made.points[one], axis=1)
        np.testing.assert_allclose(found, expected, atol=1e-3)
    assert made.explained == pytest.approx(1)
    assert space(training, pool, chosen, 2).points.shape == (TRAINING + POOL, 2)
    assert space(training, pool, chosen, 2).explained < 0.9


def test_the_space_in_words():
    words = space(*embeddings(), components=6).convention
    assert words == (
        "6 numbers per image from net (images as they are), 6 principal components with 100 % of "
        "the variance"
    )


@pytest.mark.parametrize(
    "changes", [{"model": "other"}, {"preprocessing": Preprocessing(None, 8)}, {"size": 5}]
)
def test_embeddings_that_cannot_be_compared_are_refused(changes):
    training, pool, chosen = embeddings()
    size = changes.pop("size", 6)
    strange = embedded("pool", pool.ids, pool.vectors[:, :size], **changes)
    with pytest.raises(InputError, match=r"one network.*preprocessing"):
        space(training, strange, chosen)


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


HERE = {"nao": "chosen", "openimages": "pool"}


def verdict(found, datasets=HERE):
    """What the paper's direction comes to."""
    judged = compare(results(found, 1), "nao-fig5", roles={}, datasets=datasets)
    return next(one for one in judged if one.status == "direction")


def test_rows_are_means_and_shares():
    found = toys.blind_spots()
    rows = results(found, shown=1)
    density = rows.row(metric="training_density", dataset="chosen")
    assert density.value == pytest.approx(found.ratio_of_chosen.log_ratio.mean())
    assert density.low < density.value < density.high
    assert (density.n, density.n_full) == (12, 12)
    assert rows.row(metric="training_density", dataset="pool").value == pytest.approx(
        found.log_ratio_of_pool.mean()
    )
    assert rows.row(metric="share", dataset="pool").value == PLANTED / POOL
    assert rows.row(metric="share", dataset="chosen").value == 9 / 12
    assert rows.row(metric="clusters").value == 1
    assert rows.row(metric="embedding_size").value == 6


def test_intervals_are_of_resampled_pictures():
    found = toys.blind_spots()
    row = results(found, 1).row(metric="training_density", dataset="pool")
    values = found.log_ratio_of_pool
    error = values.std() / np.sqrt(len(values))
    assert row.draws.values().std() == pytest.approx(error, rel=0.3)
    assert len(row.draws.values()) == SPOTS.samples


@pytest.mark.parametrize(
    ("chosen", "word"),
    [(range(POOL - 30, POOL), "holds"), (range(40), "does not hold"), ([0, 1, 139], "not decided")],
)
def test_the_claim_comes_out_by_where_the_adversarial_pictures_lie(chosen, word):
    training, pool, _ = toys.embeddings()
    ids, vectors = [pool.ids[place] for place in chosen], pool.vectors[list(chosen)]
    found = blind_spots(space(training, pool, toys.embedded("chosen", ids, vectors)), SPOTS)
    assert verdict(found).verdict == word


def test_pictures_of_one_thing_are_drawn_together():
    """Thirty-five of ninety-four show a rhinoceros: its density is that of one thing."""
    values = np.repeat([1.0, 0.0], 20)
    alone = mean_of_pictures(values, "toys", 300)
    shared = mean_of_pictures(values, Sample("toys", ("rhino",) * 20 + ("owl",) * 20), 300)
    assert (alone.value, shared.value, shared.draws.of) == (0.5, 0.5, "toys")
    assert alone.high < 0.7
    assert (shared.low, shared.high) == (0.0, 1.0)
    found = toys.blind_spots()
    sets = found.space.adversarial, found.space.pool
    together = tuple(tuple(str(at // 3) for at in range(len(one))) for one in sets)
    for metric in ("training_density", "share"):
        one, other = (results(found, 1, of).select(metric=metric).rows for of in (TWO, together))
        assert [row.value for row in one] == [row.value for row in other]
        assert [row.low for row in one] != [row.low for row in other]


TWO = (None, None)
