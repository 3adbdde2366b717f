"""ImageNet-A and -O: the funnel of a run, masks, scores that are tried, calibration."""

import numpy as np
import pytest

from robust_book.course import nae
from robust_lib.results.table import Results
from tests.course.planted import hold, row, says


def test_mistakes_are_named_and_nothing_is_revealed():
    assert hold(nae) >= 14


def funnel(*counts):
    return Results.of(
        row(item="nae-funnel", metric="images", dataset=f"pool/{name}", value=float(value), n=None,
            n_full=None)
        for name, value in zip(("downloaded", *nae.STEPS), counts, strict=True)
    )  # fmt: skip


def test_the_greediest_step_is_that_of_the_run_by_share_and_not_by_count():
    rows = funnel(100, 60, 50, 5)  # forty fall first, but nine of ten at the end
    assert says(nae, "nae_1_construction", 1, {"step": "selected"}, rows)["step"][0] == "right"
    told = says(nae, "nae_1_construction", 1, {"step": "filtered"}, rows)["step"]
    assert "share relative to the previous step" in told[1]
    assert says(nae, "nae_1_construction", 1, {"step": "nothing"}, rows)["step"][0] == "not yet"
    empty = funnel(100, 0, 0, 0)
    assert says(nae, "nae_1_construction", 1, {"step": "x"}, empty)["step"][0] == "not in this run"


def test_answers_by_hand():
    assert says(nae, "nae_1_construction", 2, {"shortlisted": 3})["shortlisted"][0] == "right"
    given = {"without_mask": 1, "with_mask": 4, "confidence": 0.731}
    told = says(nae, "nae_2_imagenet_a", 2, given)
    assert {state for state, _ in told.values()} == {"right"}
    told = says(nae, "nae_2_imagenet_a", 2, {"with_mask": 1, "confidence": 0.6})
    assert told["with_mask"][1].startswith("that is its place among the two")
    assert told["confidence"][1].startswith("logits were divided directly, without")
    given = {"found_aupr": 0.5, "found_auroc": 2 / 3, "constant_aupr": 0.25}
    told = says(nae, "nae_3_imagenet_o", 2, given)
    assert {state for state, _ in told.values()} == {"right"}
    told = says(nae, "nae_4_calibration", 2, {"authors": 0, "all_bins": 0.283})
    assert {state for state, _ in told.values()} == {"right"}
    assert "root is missing" in says(nae, "nae_4_calibration", 2, {"all_bins": 0.08})["all_bins"][1]


@pytest.mark.parametrize(
    ("losses", "told"),
    [
        ((1.0, 1.2, 1.5), ""),
        ((1.0, 0.9, 0.5), "one step lowers the loss"),
        ((1.0, 1.4, 1.2), "ten steps raise the loss by less than one"),
        ((1.0, 1.01, 9.0), "ten steps raise it a hundredfold"),
    ],
)
def test_an_attack_raises_the_loss(losses, told):
    found = says(nae, "nae_2_imagenet_a", 3, {"losses": losses})["losses"]
    assert found[1].startswith(told)
    assert (found[0] == "right") is (told == "")


def two(logits):
    return np.sort(logits, axis=1)[:, -2:]


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (lambda logits: two(logits)[:, 0] - two(logits)[:, 1], ""),
        (lambda logits: two(logits)[:, 1] - two(logits)[:, 0], ""),
        (
            lambda logits: logits.max(1) - logits.min(1),
            "it is the difference between the largest and",
        ),
        (lambda logits: logits[:, -1] - logits[:, -2], "it uses the last two columns"),
        (lambda logits: -logits.max(1), "it is a different score"),
        (lambda logits: logits.max(), "the function should return a score for each image"),
        (3, "the answer should be the function itself"),
    ],
)
def test_a_score_is_tried(score, told):
    found = says(nae, "nae_3_imagenet_o", 3, {"margin": score})["margin"]
    assert found[1].startswith(told)
    assert (found[0] == "right") is (told == "")


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        (((0.3, 0.1), (0.6, 0.61)), ""),
        (((0.3, 0.3), (0.6, 0.6)), "the calibration error did not change"),
        (((0.3, 0.6), (0.1, 0.6)), "AURRA hardly depends"),
        (((30, 10), (60, 61)), "the answers should be fractions"),
    ],
)
def test_softer_answers_move_one_number_and_not_the_other(pairs, told):
    found = says(nae, "nae_4_calibration", 3, {"before_and_after": pairs})["before_and_after"]
    assert found[1].startswith(told)
    assert (found[0] == "right") is (told == "")
