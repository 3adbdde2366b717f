"""Shares of attributions: an answer that heeds a box alone, others left out, stored numbers."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from robust_lib.cache import Store
from robust_lib.errors import InputError
from robust_lib.explain import integrated_gradients as ig
from robust_lib.metrics.boxes import Detections
from robust_lib.protocols.attribution import shares as module
from robust_lib.protocols.attribution.shares import Settings, attributed, rows, shares
from robust_lib.results.table import Results
from tests.boxed import talkative
from tests.layouts import Shapes
from tests.protocols.attribution import toys

HOW = Settings(score=0.0, steps=4, most_steps=4, tolerance=0.5, moved=8)


@pytest.fixture
def heeds(monkeypatch):
    """A detector whose logit is the sum of the pixels in a corner, whatever box is asked for."""
    monkeypatch.setattr(
        module, "fixed_places", lambda detector, image, boxes, classes: (0,) * len(boxes)
    )

    def logits(detector, images, places):
        corner = images[:, :, :32, :32].sum((1, 2, 3))
        return corner[:, None, None].expand(-1, len(places), 3)

    monkeypatch.setattr(module, "logits_at", logits)
    return talkative()


def predictions(*boxes):
    """Boxes of class 1 in the first picture."""
    many = len(boxes)
    none = np.zeros(many, np.int64)
    return Detections(none, none + 1, np.array(boxes, np.float32), np.ones(many))


def test_what_lies_in_the_box_that_is_heeded(heeds):
    whole = shares(heeds, Shapes(), predictions((0, 0, 32, 32)), HOW)
    assert whole.numbers["inside"] == pytest.approx([1.0])
    assert whole.numbers["area"] == pytest.approx([0.25])
    assert whole.numbers["random"][0] < 0.6
    assert whole.kept.all()
    assert whole.largest_error < 1e-4
    far = shares(heeds, Shapes(), predictions((32, 32, 64, 64)), HOW)
    assert far.numbers["inside"] == pytest.approx([0.0])


def test_other_objects_boxes_count_nowhere(heeds):
    """The left half of what is heeded lies in the other object's box."""
    both = shares(heeds, Shapes(), predictions((16, 0, 64, 16), (0, 0, 16, 32)), HOW)
    image = Shapes().read(0, module._AS_IT_IS).astype(float).sum(-1)
    right = image[:32, 16:32]
    assert both.numbers["inside"][0] == pytest.approx(right[:16].sum() / right.sum(), rel=1e-4)
    assert both.numbers["area"][0] == pytest.approx(48 * 16 / (64 * 64 - 16 * 32))
    signed = both.numbers["signed_inside"] / both.numbers["signed_all"]
    assert signed[0] == pytest.approx(both.numbers["inside"][0])  # nothing speaks against it


def test_numbers_of_a_real_detector_are_stored_and_found_again(tmp_path, monkeypatch):
    detector, store = talkative(), Store(tmp_path)
    images = Shapes()
    picture = torch.from_numpy(images.read(0, module._AS_IT_IS)).permute(2, 0, 1).float() / 255
    boxes, classes, scores = (part[:3] for part in detector([picture])[0])
    found = Detections(np.zeros(len(boxes), np.int64), classes, boxes, scores)
    first = shares(detector, images, found, HOW, store)
    assert ((first.numbers["inside"] >= 0) & (first.numbers["inside"] <= 1)).all()
    by_hand = attributed(detector, picture, found, HOW)
    others = np.zeros((64, 64), bool)
    for box in boxes[1:]:
        others |= ig.pixels_of(box.astype(float), 64, 64)
    own = ig.pixels_of(boxes[0].astype(float), 64, 64)
    expected = ig.share_inside(by_hand.heat[0], own, others)
    assert first.numbers["inside"][0] == pytest.approx(expected, rel=1e-5, nan_ok=True)

    monkeypatch.setattr(ig, "within", lambda *given, **named: pytest.fail("computed again"))
    again = shares(detector, images, found, replace(HOW, samples=7), store)
    assert np.array_equal(again.numbers["inside"], first.numbers["inside"], equal_nan=True)
    with pytest.raises(pytest.fail.Exception):
        shares(detector, images, found, replace(HOW, steps=3), store)


def test_a_prediction_that_is_not_found_again_is_left_out(tmp_path):
    found = shares(talkative(), Shapes(), predictions((1, 2, 3, 4.5)), HOW)
    assert np.isnan(found.numbers["error"]).all()
    assert not found.kept.any()
    assert found.largest_error == 0


def test_large_errors_are_left_out():
    found = toys.shares([0.9, 0.1, 0.3], error=[0.01, 0.2, 0.04])
    assert found.kept.tolist() == [True, False, True]
    assert found.means("inside").values[0] == pytest.approx(0.6)
    assert found.largest_error == pytest.approx(0.04)


def test_impossible_settings_are_refused():
    for wrong in ({"steps": 0}, {"moved": 0}, {"tolerance": 1.0}, {"tolerance": 0.0}):
        with pytest.raises(InputError, match="tolerance between 0 and"):
            Settings(score=0.5, **wrong)


def table(*given, **named):
    return Results.of(rows("mine", toys.shares(*given, **named)))


def test_classes_count_alike_however_many_objects_they_have():
    made = table([0.9, 0.7, 0.2], classes=[0, 0, 1])
    assert made.row(metric="attribution_inside", dataset="toys/cat").value == pytest.approx(0.8)
    assert made.row(metric="attribution_inside", dataset="toys").value == pytest.approx(0.5)
    assert made.row(metric="attribution_inside", dataset="toys/cat").n == 2
    assert made.row(metric="classes_mostly_inside", dataset="toys").value == 0.5
    assert made.row(metric="classes_mostly_inside_signed", dataset="toys").value == 0.5
    assert made.row(metric="random_inside", dataset="toys").value == pytest.approx(0.25)
    assert made.row(metric="gain", dataset="toys").value == pytest.approx(0.25)
    assert made.row(metric="signed_inside", dataset="toys/dog").value == pytest.approx(0.4)
    assert made.row(metric="area_inside", dataset="toys").value == pytest.approx(0.2)


def test_intervals_are_over_pictures():
    rng = np.random.default_rng(0)
    made = table(rng.uniform(0.3, 0.9, 40), classes=[at % 2 for at in range(40)])
    row = made.row(metric="attribution_inside", dataset="toys")
    assert row.low < row.value < row.high
    apart = made.row(metric="gain", dataset="toys")  # paired: the random share is the same for all
    assert apart.high - apart.low == pytest.approx(row.high - row.low, rel=1e-6)


def test_a_class_in_the_balance_makes_the_count_uncertain():
    made = table([0.9] * 10 + [0.2, 0.8, 0.55, 0.49] * 3, classes=[0] * 10 + [1] * 12)
    row = made.row(metric="classes_mostly_inside", dataset="toys")
    assert row.value == 1.0
    assert row.low == 0.5


def test_nothing_that_counts_has_no_rows():
    assert rows("mine", toys.shares([0.9], error=[0.9])) == []
