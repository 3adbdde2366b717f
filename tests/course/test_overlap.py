"""Overlaps: the score by hand, its wrong normaliser, and the means of a run."""

from robust_book.course import overlap
from robust_lib.results.table import Results
from tests.course.planted import hold, row, says


def test_mistakes_are_named_and_nothing_is_revealed():
    assert hold(overlap) >= 10


def test_the_score_by_hand_and_by_the_wrong_gain():
    right = 0.5 * (0.1 / 0.4 + 0.2 / 0.3)
    assert says(overlap, "overlap_1_matrix", 2, {"score": right})["score"][0] == "right"
    for wrong, told in (
        (2 * right, "it is the sum of the two shares"),
        (0.5 * (0.5 / 0.8 + 0.7 / 0.8), "the standard network's robustness was not subtracted"),
        (0.3 / 0.7, "the gains were averaged before"),
        (7.0, "the result is a different number"),
    ):
        assert says(overlap, "overlap_1_matrix", 2, {"score": wrong})["score"][1].startswith(told)


def test_changes_have_signs():
    given = {"first_change": 0.2, "second_change": -0.2, "mean_ce": 0.7}
    told = says(overlap, "overlap_2_balance_and_cover", 2, given)
    assert told["first_change"][1].startswith("its sign is reversed")
    assert told["second_change"][1] == "it is the change under the first corruption."
    assert told["mean_ce"][1] == "it is the standard network's."


def test_least_and_most_overlap_are_the_runs_over_architectures():
    rows = Results.of(
        row(metric="mean_overlap", corruption=name, model=model, value=value)
        for model, values in {"a": (0.1, 0.5, 0.3), "b": (0.2, 0.3, 0.6)}.items()
        for name, value in zip(("fog", "snow", "frost"), values, strict=True)
    )
    told = says(overlap, "overlap_1_matrix", 1, {"fewest": "fog"}, rows)
    assert told["fewest"][0] == "right"
    told = says(overlap, "overlap_2_balance_and_cover", 1, {"first_to_go": "frost"}, rows)
    assert told["first_to_go"][0] == "right"
    told = says(overlap, "overlap_1_matrix", 1, {"fewest": "frost"}, rows)
    assert told["fewest"][1] == "that one overlaps most."
    told = says(overlap, "overlap_1_matrix", 1, {"fewest": "fog"}, Results())
    assert told["fewest"][0] == "not in this run"
