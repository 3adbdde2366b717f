"""Masks: which outputs count, and what is left of an answer without the others."""

import numpy as np
import pytest
import torch

from robust_lib.predict import masked
from robust_lib.predict.predictions import Predictions
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
        models, images, {"wide": (4, 0, 2), "narrow": (0, 1, 2)}, store=None, progress=False
    )
    assert told.predictions["wide"][0].correct.all()
    assert told.predictions["narrow"][0].correct.all()
    assert told.unmasked == {"wide": (0.0,)}
    assert (told.classes, told.outputs, told.n) == (3, 5, "9")
    assert told.convention == "3 of 5 outputs, the others masked before the softmax"


def test_networks_of_the_very_classes_are_not_masked():
    told = masked.predict_masked(
        {"narrow": (brightest("narrow"),)},
        Swatches(count=6),
        {"narrow": (0, 1, 2)},
        store=None,
        progress=False,
    )
    assert told.convention == "all 3 outputs"
    assert told.unmasked == {}
