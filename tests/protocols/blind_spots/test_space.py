"""Three sets in one space: the same for all, and adversarial pictures found in the pool."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.blind_spots.space import space
from tests.protocols.blind_spots.toys import POOL, TRAINING, embedded, embeddings


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
        "6 numbers a picture from net (pictures as they are), 6 principal components with 100 % of "
        "the variance"
    )


@pytest.mark.parametrize(
    "changes", [{"model": "other"}, {"preprocessing": Preprocessing(None, 8)}, {"size": 5}]
)
def test_embeddings_that_cannot_be_compared_are_refused(changes):
    training, pool, chosen = embeddings()
    size = changes.pop("size", 6)
    strange = embedded("pool", pool.ids, pool.vectors[:, :size], **changes)
    with pytest.raises(InputError, match="one network, shown alike"):
        space(training, strange, chosen)
