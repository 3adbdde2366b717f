"""The store of predictions: found by all that decides them, piece by piece, then as a whole."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.predict.store import PredictionStore, join
from robust_lib.preprocessing import Preprocessing
from tests.toys import Swatches, brightest


def answers(places):
    places = np.asarray(places)
    return {"predicted": places % 3, "confidence": np.full(len(places), 0.5, np.float32)}


@pytest.fixture
def kept(tmp_path):
    return PredictionStore(brightest(), Swatches(9), "reduced", "weights", Store(tmp_path))


def entries(kept):
    return len(list(kept.store.folder.rglob("*.json")))


def test_answers_come_back_for_the_same_images_in_the_same_order(kept):
    kept.pieces.put([2, 5, 8], answers([2, 5, 8]))
    found = kept.pieces.find([2, 5, 8])
    assert found.keys() == {"predicted", "confidence"}
    assert found["predicted"].tolist() == [2, 2, 2]
    assert kept.pieces.find([2, 5]) is None
    assert kept.pieces.find([5, 2, 8]) is None


@pytest.mark.parametrize(
    "change",
    [
        {"fingerprint": "other weights"},
        {"keep": "logits"},
        {"model": brightest("another name")},
        {"model": brightest(preprocessing=Preprocessing(16, 16))},
        {"dataset": Swatches(9, side=8)},
        {"dataset": Swatches(9, name="others")},
    ],
    ids=["weights", "kept", "name", "preprocessing", "pictures", "set"],
)
def test_what_decides_the_answers_is_part_of_their_key(kept, change):
    kept.pieces.put([0, 1], answers([0, 1]))
    assert kept.pieces.find([0, 1]) is not None
    assert replace(kept, **change).pieces.find([0, 1]) is None


def test_the_whole_takes_the_place_of_its_pieces(kept):
    pieces = [[0, 1, 2], [3, 4]]
    for piece in pieces:
        kept.pieces.put(piece, answers(piece))
    kept.pieces.close(pieces, answers(range(5)))
    assert kept.pieces.find(pieces[0]) is None
    assert kept.pieces.find(range(5))["predicted"].tolist() == [0, 1, 2, 0, 1]
    assert entries(kept) == 1


def test_a_single_piece_is_the_whole(kept):
    kept.pieces.put([0, 1], answers([0, 1]))
    kept.pieces.close([[0, 1]], answers([0, 1]))
    assert kept.pieces.find([0, 1]) is not None
    assert entries(kept) == 1


def test_without_a_store_nothing_is_kept(kept):
    bare = replace(kept, store=None)
    bare.pieces.put([0], answers([0]))
    bare.pieces.close([[0], [1]], answers([0, 1]))
    assert bare.pieces.find([0]) is None
    assert entries(kept) == 0


def test_predictions_have_the_labels_and_ids_of_their_images(kept):
    made = kept.predictions([4, 8], answers([4, 8]))
    assert made.ids == ("swatch4", "swatch8")
    assert made.labels.tolist() == [1, 2]
    assert made.correct.all()
    assert (made.model, made.dataset, made.fingerprint) == ("brightest", "swatches", "weights")
    assert made.digest == Swatches(9).digest


def test_pieces_are_joined_in_their_order():
    joined = join([answers([4, 1]), answers([2])])
    assert joined["predicted"].tolist() == [1, 1, 2]
    assert joined["confidence"].shape == (3,)
