"""Networks whose answers are known, on as many pictures of seen and of unseen subtypes."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols import imagenet_22k_subtypes
from robust_lib.protocols.imagenet_22k_subtypes import MEAN, OVER_CLASSES, OVER_PICTURES
from robust_lib.results.compare import compare
from tests.protocols.imagenet_22k import subtype_answers

DATASETS = {"imagenet_22k_seen": "known", "imagenet_22k_unseen": "new"}


def rows(right, **changes):
    return imagenet_22k_subtypes.results(subtype_answers(right, **changes))


def claim(results):
    verdicts = compare(results, "inc-fig8", roles={}, datasets=DATASETS)
    (found,) = [one for one in verdicts if one.metric.startswith("accuracy[*]")]
    return found


def test_a_row_a_network_and_side_and_what_lies_between():
    found = rows({"mine": (240, 150)}, images=300)
    model = found.select(model="mine")
    assert model.row(metric="accuracy", dataset="known").value == pytest.approx(0.8)
    assert model.row(metric="accuracy", dataset="new").value == pytest.approx(0.5)
    assert model.row(metric="accuracy", dataset="ordinary").value == pytest.approx(0.8)
    for convention in (OVER_CLASSES, OVER_PICTURES):
        drop = model.row(metric="drop", convention=convention)
        assert drop.value == pytest.approx(0.3)
        assert drop.low - 1e-9 <= 0.3 <= drop.high + 1e-9
    assert found.row(metric="classes").value == 3
    assert [row.value for row in found.select(metric="subtypes").rows] == [6, 6]


def test_the_claim_holds_where_every_network_is_worse_on_unseen_subtypes():
    assert claim(rows({"a": (280, 150), "b": (250, 120)}, images=300)).verdict == "holds"


def test_the_claim_does_not_hold_where_one_is_better():
    found = claim(rows({"a": (280, 150), "b": (120, 250)}, images=300))
    assert found.verdict == "does not hold"
    assert "does not hold for 1 of 2" in found.arithmetic or "holds for 1" in found.arithmetic


def uneven(share):
    """Unseen answers of which one class of three has all the mistakes."""
    answers = subtype_answers({"mine": (300, 300)}, images=300)
    (one,) = answers.unseen.predictions["mine"]
    wrong = (one.labels == 0) & (np.arange(300) < 300 * share)
    predicted = np.where(wrong, 1, one.labels)
    logits = np.eye(3, dtype=np.float32)[predicted]
    said = type(one).from_logits(
        logits, ids=one.ids, labels=one.labels, model="mine", dataset="new"
    )
    unseen = type(answers.unseen)("new", 3, 5, {"mine": (said,)}, {"mine": (0.0,)})
    return subtype_answers({"mine": (300, 300)}, images=300, unseen=unseen)


def test_a_gap_in_one_class_alone_is_not_decided():
    """Over pictures it would be: a third of them is wrong. But another draw of classes has none."""
    found = imagenet_22k_subtypes.results(uneven(1.0))
    apart = found.row(model="mine", metric="drop", convention=OVER_PICTURES)
    together = found.row(model="mine", metric="drop", convention=OVER_CLASSES)
    assert apart.low > 0.2
    assert together.low == 0
    assert claim(found).verdict == "not decided"


def test_what_is_hard_about_a_class_is_taken_off():
    """Both sides miss the same class: neither accuracy is sure, but the gap is."""
    hard = uneven(1.0)
    both = subtype_answers(
        {"mine": (300, 300)}, images=300, unseen=hard.unseen, seen=_called(hard.unseen, "known")
    )
    found = imagenet_22k_subtypes.results(both)
    accuracy = found.row(model="mine", metric="accuracy", dataset="new")
    drop = found.row(model="mine", metric="drop", convention=OVER_CLASSES)
    assert accuracy.high - accuracy.low > 0.5
    assert (drop.low, drop.value, drop.high) == pytest.approx((0, 0, 0), abs=1e-9)


def _called(masked, name):
    return type(masked)(name, masked.classes, masked.outputs, masked.predictions, masked.unmasked)


def test_the_mean_over_networks_has_an_interval_of_its_own():
    found = rows({"a": (280, 160), "b": (250, 190)}, images=300)
    mean = found.row(metric="drop", convention=MEAN)
    assert mean.value == pytest.approx((120 + 60) / 2 / 300)
    assert (mean.model, mean.n) == (None, 2)
    assert 0 < mean.low <= mean.value <= mean.high


def test_several_seeds_go_from_the_least_to_the_greatest():
    found = rows({"mine": (200, 100)}, images=300, seeds=3)
    row = found.row(model="mine", metric="accuracy", dataset="new")
    assert (row.low, row.value, row.high) == pytest.approx((100 / 300, 101 / 300, 102 / 300))
    mean = found.row(metric="drop", convention=MEAN)
    assert (mean.low, mean.high) == pytest.approx((1 / 3, 1 / 3))


def test_the_clean_accuracy_is_that_of_the_network_before_it_was_tuned():
    first = subtype_answers({"tuned": (200, 100)}, images=300)
    plain = subtype_answers({"plain": (270, 0)}, images=300).clean
    found = imagenet_22k_subtypes.results(
        subtype_answers({"tuned": (200, 100)}, images=300, clean=plain, before={"tuned": "plain"})
    )
    row = found.row(model="tuned", dataset="ordinary")
    assert (row.value, row.convention) == (0.9, "before it was tuned")
    assert first.networks == ("tuned",)


def test_subtypes_are_ranked_by_what_all_networks_say():
    found = imagenet_22k_subtypes.of_subtypes(subtype_answers({"a": (12, 12), "b": (12, 6)}))
    assert sum(one.accuracy for one in found) == pytest.approx(6 * 0.75)
    worst = found[0]
    assert worst.accuracy == min(one.accuracy for one in found)
    label, share = worst.taken_for
    assert (label, share) == ((worst.label + 1) % 3, pytest.approx(1 - worst.accuracy))
    right = imagenet_22k_subtypes.of_subtypes(subtype_answers({"a": (12, 12)}))
    assert {one.taken_for for one in right} == {None}


def test_a_class_without_pictures_has_no_accuracy():
    answers = subtype_answers({"a": (12, 6)}, class_names=("candle", "key", "owl", "bee"))
    found = imagenet_22k_subtypes.by_class(answers, "unseen")
    assert np.isnan(found[3])
    assert found[:3].mean() == pytest.approx(0.5)


def test_a_subtype_on_both_sides_is_refused():
    same = tuple(f"kind {n % 3}" for n in range(12))
    with pytest.raises(InputError, match=r"kind 0.*sides \(3 are\)"):
        subtype_answers({"a": (12, 6)}, subtypes={"seen": same, "unseen": same})
