"""Accuracy on ImageNet-A and on ordinary pictures as rows, and its verdicts."""

import pytest

from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.protocols.nae import accuracy
from robust_lib.results.compare import compare
from tests.protocols.nae.toys import NAMES, masked

RIGHT = {"chooser": 0, "tuned": 0, "small": 3, "large": 6, "plain": 2, "attentive": 8,
         "scratch": 4, "attacked": 5}  # fmt: skip
IMAGENET_A = masked("imagenet_a", RIGHT)
IMAGENET_VAL = masked(
    "imagenet_val_a", dict.fromkeys(RIGHT, 20) | {"attacked": 18, "attentive": 21}
)
RESULTS = accuracy.results(IMAGENET_A, IMAGENET_VAL, NAMES)


def value(item, model, dataset="imagenet_a", metric="accuracy"):
    return RESULTS.row(item=item, model=model, dataset=dataset, metric=metric).value


def test_every_item_shows_its_networks():
    found = {
        item: {row.model for row in RESULTS.select(item=item).rows}
        for item in ("nae-fig2", "nae-fig8", "nae-fig9", "nae-fig10")
    }
    assert found == {
        "nae-fig2": {"chooser", "small", "large", "plain", "attentive"},
        "nae-fig8": {"scratch", "attacked"},
        "nae-fig9": {"plain", "attentive"},
        "nae-fig10": {"small", "large"},
    }


def test_values_intervals_and_counts():
    row = RESULTS.row(item="nae-fig10", model="large", dataset="imagenet_a", metric="accuracy")
    assert row.value == pytest.approx(6 / 30)
    assert (row.low, row.high) == pytest.approx(clopper_pearson(6, 30))
    assert (row.n, row.n_full) == (30, 30)
    assert "3 of 5 outputs" in row.convention


def test_differences_have_the_sign_that_their_name_says():
    assert value("nae-fig2", "large", metric="drop") == pytest.approx((20 - 6) / 30)
    assert value("nae-fig9", "attentive", metric="gain") == pytest.approx((8 - 2) / 30)
    ordinary = value("nae-fig9", "attentive", "imagenet_val_a", "gain")
    assert ordinary == pytest.approx(1 / 30)


def verdicts(item):
    found = compare(RESULTS, item, roles=NAMES)
    return {one.metric: one.verdict for one in found if one.status == "direction"}


def test_claims_are_judged_on_the_right_numbers():
    attention = verdicts("nae-fig9")
    assert set(attention.values()) == {"holds"}
    robust = [verdict for verdict in verdicts("nae-fig8").values() if verdict != "missing"]
    assert robust == ["premise fails"]  # one picture of thirty does not show that there is a gain
    size = verdicts("nae-fig10")
    assert size["accuracy[resnet152] > accuracy[resnet34]"] == "not decided"  # three pictures


def test_the_accuracy_without_a_mask_stands_beside_the_number():
    found = accuracy.mask_effect(IMAGENET_A)
    assert found["large"] == (pytest.approx(6 / 30), 0.0)


def test_several_seeds_have_a_mean_and_two_ends():
    right = {"small": 3, "large": 6}
    pair = (masked(name, right, seeds=3) for name in ("imagenet_a", "imagenet_val_a"))
    row = accuracy.results(*pair, NAMES).row(
        item="nae-fig10", model="small", metric="accuracy", dataset="imagenet_a"
    )
    assert (row.value, row.low, row.high) == pytest.approx((4 / 30, 3 / 30, 5 / 30))
