"""Predictions: what they refuse, and the way to a file and back."""

import numpy as np
import pytest

from robust_lib.errors import DataError, InputError
from robust_lib.predict.classify import predict
from robust_lib.predict.predictions import Predictions, decide
from tests.toys import Swatches, brightest, permuted, unchecked

LOGITS = np.array([[0.0, 1.0, 2.0], [3.0, 3.0, 0.0]], np.float32)


def made(**changes):
    settings = {
        "model": "mine",
        "dataset": "two",
        "ids": ("a", "b"),
        "labels": np.array([2, 1]),
        "logits": LOGITS,
        "predicted": np.array([2, 0]),
        "confidence": np.array([0.6652, 0.4878], np.float32),
    }
    return Predictions(**settings | changes)


def test_decisions_by_hand():
    predicted, confidence = decide(LOGITS)
    assert predicted.tolist() == [2, 0]  # the first of two equal logits
    np.testing.assert_allclose(confidence, [0.66524, 0.48785], atol=1e-5)
    assert decide(np.array([[1e4, -1e4]], np.float32))[1] == 1


def test_which_images_are_correct():
    said = made()
    assert said.correct.tolist() == [True, False]
    assert len(said) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ids": ("a",)}, "one entry per image"),
        ({"ids": ("a", "a")}, "'a' occurs twice"),
        ({"labels": np.array([1])}, "one entry per image"),
        ({"confidence": np.array([0.5, 1.5], np.float32)}, r"in \[0, 1\]"),
        ({"confidence": np.array([0.5, np.nan], np.float32)}, r"in \[0, 1\]"),
        ({"logits": LOGITS[:1]}, "one entry per image"),
        ({"logits": LOGITS * np.float32(np.nan)}, "NaN"),
        ({"predicted": np.array([0, 0])}, "argmax"),
    ],
)
def test_what_cannot_be(changes, message):
    with unchecked(), pytest.raises(InputError, match=message):
        made(**changes)


@pytest.mark.parametrize("keep", ["logits", "reduced"])
def test_to_a_file_and_back(tmp_path, keep):
    said = predict(brightest(), Swatches(), keep=keep)
    said.save(tmp_path / "said.npz")
    back = Predictions.load(tmp_path / "said.npz")
    for name in ("model", "dataset", "ids", "fingerprint", "digest"):
        assert getattr(back, name) == getattr(said, name)
    for name in ("labels", "logits", "predicted", "confidence"):
        assert np.array_equal(getattr(back, name), getattr(said, name))
    assert [path.name for path in tmp_path.iterdir()] == ["said.npz"]


def test_logits_of_ones_own_in_any_order(tmp_path):
    said = predict(brightest(), permuted(Swatches(), range(29, -1, -1)))
    np.savez(tmp_path / "mine.npz", ids=np.array(said.ids), logits=said.logits.astype(np.float64))
    mine = Predictions.load(tmp_path / "mine.npz")
    assert mine.model == "mine"
    assert (mine.labels == -1).all()
    assert not mine.correct.any()
    aligned = mine.aligned(Swatches())
    assert aligned.ids == Swatches().ids
    assert aligned.correct.all()
    assert (aligned.dataset, aligned.digest) == ("swatches", Swatches().digest)


def test_predictions_for_other_images_are_refused():
    said = predict(brightest(), Swatches(count=20))
    with pytest.raises(InputError, match=r"10.*missing \(e\.g\. \['swatch20'\]\).*0"):
        said.aligned(Swatches())
    with pytest.raises(InputError, match=r"0.*missing.*10.*images"):
        said.aligned(Swatches(count=10))


def test_files_that_hold_no_predictions(tmp_path):
    path = tmp_path / "mine.npz"
    with pytest.raises(DataError, match="no such file"):
        Predictions.load(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match=r"numpy\.savez"):
        Predictions.load(path)
    path.write_bytes(b"not numpy at all")
    with pytest.raises(DataError, match=r"numpy\.savez"):
        Predictions.load(path)
    with path.open("wb") as file:
        np.save(file, np.ones(3))
    with pytest.raises(DataError, match=r"numpy\.savez"):
        Predictions.load(path)
    np.savez(path, ids=np.array([{}]), logits=LOGITS)
    with pytest.raises(DataError, match="plain arrays"):
        Predictions.load(path)
    np.savez(path, logits=LOGITS)
    with pytest.raises(DataError, match="found logits"):
        Predictions.load(path)
    np.savez(path, ids=np.array(["a"]), logits=LOGITS[0])
    with pytest.raises(DataError, match=r"\(3,\)"):
        Predictions.load(path)


def test_equally_sure_images_are_not_ranked_by_the_order_of_the_files():
    ids, sure = tuple(f"{one:03d}" for one in range(100)), np.ones(100, np.float32)
    sure[7] = 0.5
    said = Predictions("m", "d", ids, np.zeros(100, int), None, np.zeros(100, int), sure)
    back = Predictions("m", "d", ids[::-1], said.labels, None, said.predicted, sure[::-1].copy())
    ranked = [ids[place] for place in said.by_confidence]
    assert ranked == [back.ids[place] for place in back.by_confidence]
    assert ranked[-1] == "007"
    assert ranked[:99] != sorted(ranked[:99])
