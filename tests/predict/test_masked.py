"""Masks: which outputs count, and what is left of an answer without the others."""

import numpy as np
import pytest
import torch

from robust_lib.predict import masked
from robust_lib.predict.predictions import Predictions
from robust_lib.types import UNKNOWN
from tests.toys import Misbehaving, Swatches, brightest


def test_the_mask_comes_before_the_softmax_and_the_argmax():
    """Softmax first and choosing afterwards would leave a confidence of 0.002."""
    logits = np.array([[1.0, 7.0, 0.0]], np.float32)
    whole = Predictions.from_logits(
        logits, ids=("a",), labels=np.array([0]), model="net", dataset="hard"
    )
    narrow = masked.masked(whole, (0, 2))
    assert whole.predicted.tolist() == [1]
    assert narrow.predicted.tolist() == [0]
    assert narrow.correct.tolist() == [True]
    assert float(narrow.confidence[0]) == pytest.approx(np.e / (np.e + 1), abs=1e-6)


def test_outputs_are_put_in_the_order_of_the_classes():
    logits = np.array([[0.0, 1.0, 2.0, 3.0]], np.float32)
    whole = Predictions.from_logits(
        logits, ids=("a",), labels=np.array([1]), model="net", dataset="hard"
    )
    assert masked.masked(whole, (3, 1)).logits.tolist() == [[3.0, 1.0]]
    assert masked.masked(whole, (0, 1, 2, 3)) is whole


def each(*outputs):
    """One output a class."""
    return [(output,) for output in outputs]


def wide(images):
    """Five outputs: the swatches' three channels stand at 4, 0 and 2; 1 is always the largest."""
    bright = 10 * images.mean((2, 3))
    ones = torch.ones(len(images))
    return torch.stack([bright[:, 1], 99 * ones, bright[:, 2], 0 * ones, bright[:, 0]], 1)


def test_a_network_of_more_classes_is_right_among_those_that_count_and_wrong_unmasked():
    images = Swatches(count=9)
    models = {
        "wide": (Misbehaving(wide, name="wide", classes="many", outputs=5),),
        "narrow": (brightest("narrow"),),
    }
    told = masked.predict_masked(
        models, images, {"wide": each(4, 0, 2), "narrow": each(0, 1, 2)}, store=None, progress=False
    )
    assert told.predictions["wide"][0].correct.all()
    assert told.predictions["narrow"][0].correct.all()
    assert told.unmasked == {"wide": (0.0,)}
    assert (told.classes, told.outputs, told.n) == (3, 5, "9")
    assert told.convention == "3 of 5 outputs, the others masked before the softmax"


def test_the_first_of_the_other_outputs_that_is_preferred_is_kept():
    """Of the others, 1 and 3, the first always wins; without it, none does."""
    models = {"wide": (Misbehaving(wide, name="wide", classes="many", outputs=5),)}
    images = Swatches(count=9)
    told = masked.predict_masked(
        models, images, {"wide": each(4, 0, 2)}, store=None, progress=False
    )
    assert told.rivals["wide"][0].tolist() == [0] * 9
    with_it = masked.predict_masked(
        models, images, {"wide": [(4,), (0,), (2, 1)]}, store=None, progress=False
    )
    assert with_it.rivals["wide"][0].tolist() == [UNKNOWN] * 9


def test_networks_of_the_very_classes_are_not_masked():
    told = masked.predict_masked(
        {"narrow": (brightest("narrow"),)},
        Swatches(count=6),
        {"narrow": each(0, 1, 2)},
        store=None,
        progress=False,
    )
    assert told.convention == "all 3 outputs"
    assert told.unmasked == {}


@pytest.mark.parametrize("how", ["max", "sum"])
def test_wider_classes_are_scored_as_by_hand(how):
    logits = np.log(np.array([[0.3, 0.25, 0.4, 0.05], [0.1, 0.2, 0.1, 0.6]], np.float32))
    whole = Predictions.from_logits(
        logits, ids=("a", "b"), labels=np.array([0, 1]), model="net", dataset="wide"
    )
    found = masked.pooled(whole, [(0, 1), (2,)], how)  # the fourth output is of no class
    assert found.predicted.tolist() == ([1, 0] if how == "max" else [0, 0])
    shares = [0.4 / 0.7, 0.2 / 0.3] if how == "max" else [0.55 / 0.95, 0.3 / 0.4]
    np.testing.assert_allclose(found.confidence, shares, rtol=1e-5)


def test_the_convention_says_how_wider_classes_are_scored():
    models = {"wide": (Misbehaving(wide, name="wide", classes="many", outputs=5),)}
    groups = {"wide": [(4, 3), (0,), (2,)]}
    told = masked.predict_masked(models, Swatches(count=9), groups, store=None, progress=False)
    assert told.convention == "3 classes, each by the largest logit of its outputs, of up to 5"
    assert told.unmasked == {"wide": (0.0,)}
    summed = masked.predict_masked(
        models, Swatches(count=9), groups, how="sum", store=None, progress=False
    )
    assert "summed probabilities" in summed.convention
