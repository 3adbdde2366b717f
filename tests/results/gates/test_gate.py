"""A gate: what rounds to the published number is the same, then pictures are counted."""

import pytest

from robust_lib.results.gates.gate import Gate


def gate(**changes):
    plain = {"model": "m", "dataset": "d", "metric": "accuracy", "source": "a paper"}
    plain |= {"value": 0.76130, "step": 0.00001, "tolerance": 0.0005, "pictures": 50000}
    return Gate(**plain | changes)


@pytest.mark.parametrize(
    ("right", "words"),
    [
        (38065, "same"),
        (38066, "within 1 picture (25 allowed)"),
        (38064, "within 1 picture (25 allowed)"),
        (38090, "within 25 pictures (25 allowed)"),
        (38091, "FAILED by 26 pictures (25 allowed)"),
        (38000, "FAILED by 65 pictures (25 allowed)"),
    ],
)
def test_pictures_are_counted_on_either_side(right, words):
    assert gate().judged(right / 50000).words == words


def test_all_that_rounds_to_a_coarse_number_is_the_same():
    coarse = gate(value=0.0187, step=0.0001, tolerance=0.001, pictures=7500)
    assert [coarse.judged(right / 7500).outcome for right in (140, 141, 147, 148, 149)] == [
        "same", "within", "within", "FAILED", "FAILED",
    ]  # fmt: skip
    assert coarse.allowed == "7 pictures"


def test_a_few_pictures_allow_none():
    assert gate(pictures=60, value=0.5).judged(29 / 60).words.startswith("FAILED by 1 picture (0")


def test_scores_that_count_no_pictures_are_held_in_points():
    score = gate(metric="map", value=0.379, step=0.001, tolerance=0.001, pictures=None)
    assert score.allowed == "0.1 points"
    assert [score.judged(value).words for value in (0.3794, 0.3799, 0.3768)] == [
        "same", "within 0.04 points (0.1 points allowed)",
        "FAILED by 0.17 points (0.1 points allowed)",
    ]  # fmt: skip
