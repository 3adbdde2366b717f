"""NAO: what a shark is, which rule forgives most, masks, and the class that backgrounds move."""

import numpy as np
import pytest

from robust_book.course import nao
from robust_lib.results.table import Results
from tests.course.planted import hold, row, says


def test_mistakes_are_named_and_nothing_is_revealed():
    assert hold(nao) >= 20


def test_answers_by_hand():
    given = {"own_only": "hard false positive", "with_shark": "Egregious misclassification"}
    told = says(nao, "nao_1_construction", 2, given)
    assert {state for state, _ in told.values()} == {"right"}
    told = says(nao, "nao_1_construction", 2, {"own_only": "no candidate", "with_shark": "fish"})
    assert (
        told["own_only"][1] == "the right answer is a different one. Which objects remain if the "
        "shark does not count as one?"
    )
    assert told["with_shark"][1].startswith("there is no such name here")
    told = says(nao, "nao_1_construction", 3, {"of_five": True, "of_four": True})
    assert [state for state, _ in told.values()] == ["right", "not yet"]
    told = says(nao, "nao_2_map", 2, {"with_the_shark": 1 / 3, "without_it": 1.0})
    assert told["with_the_shark"][0] == "right"
    assert told["without_it"][1] == "classes without any detection were left out of the mean."
    told = says(nao, "nao_2_map", 3, {"costs": 1.0, "forgiven": 0.5})
    assert told["costs"][1] == "that is the mAP if the shark is ignored."
    assert told["forgiven"][1] == "that is the mAP with the shark's box counted."


def test_the_kindest_rule_is_that_of_the_run():
    rows = Results.of(
        row(metric="map_without_ood", dataset=dataset, model=model, value=value)
        for model, values in {"a": (0.1, 0.1, 0.3, 0.2), "b": (0.1, 0.1, 0.2, 0.4)}.items()
        for dataset, value in zip(
            ("nao", "nao/overlap", "nao/crowd", "nao/found"), values, strict=True
        )
    )
    assert says(nao, "nao_2_map", 1, {"rule": "found"}, rows)["rule"][0] == "right"
    heading = "Without boxes that match no object"
    assert says(nao, "nao_2_map", 1, {"rule": heading}, rows)["rule"][0] == "right"
    told = says(nao, "nao_2_map", 1, {"rule": "overlap"}, rows)["rule"]
    assert told[1] == "this rule has the lowest mAP."
    assert "rows" in says(nao, "nao_2_map", 1, {"rule": "crowd"}, rows)["rule"][1]
    assert says(nao, "nao_2_map", 1, {"rule": "x"}, Results())["rule"][0] == "not in this run"


def test_density_ratios_by_hand():
    equal, twice = np.log(5.5 / 45.5), np.log(5.5 / 45.5) - np.log(2)
    told = says(nao, "nao_3_blind_spots", 2, {"equal": equal, "twice": twice})
    assert {state for state, _ in told.values()} == {"right"}
    given = {"equal": np.log(5 / 45), "twice": np.log(5.5 / 45.5) + np.log(2)}
    told = says(nao, "nao_3_blind_spots", 2, given)
    assert told["equal"][1] == "the half image on each side is missing."
    assert told["twice"][1].startswith("each image of a larger sample has less weight")


def masks(before, after, dtype=bool):
    return tuple(np.arange(400) >= 400 - count for count in (before, after)) if dtype is bool else (
        np.zeros(400), np.zeros(400),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        (masks(0, 30), ""),
        (masks(60, 90), "there are blind spots within one distribution"),
        (masks(0, 10), "not all moved images are found"),
        (masks(0, 370), "most images are rare"),
        (masks(0, 0, float), "the answer should be two masks"),
    ],
)
def test_what_was_moved_is_rare_and_nothing_was_before(pair, told):
    found = says(nao, "nao_3_blind_spots", 3, {"rare_pictures": pair})["rare_pictures"]
    assert found[1].startswith(told)
    assert (found[0] == "right") is (told == "")


def test_the_class_that_backgrounds_move_most_is_that_of_the_run():
    changes = {"": 0.2, "/cat": 0.1, "/dog": 0.4, "/noise": 0.9, "/backgrounds/sky": 0.8}
    rows = Results.of(
        row(item="nao-fig6", metric="probability_change", dataset=f"val{name}", value=value)
        for name, value in changes.items()
    )
    told = says(nao, "nao_4_attribution", 1, {"most_changed": "dog"}, rows)
    assert told["most_changed"][0] == "right"
    told = says(nao, "nao_4_attribution", 1, {"most_changed": "cat"}, rows)
    assert told["most_changed"][1] == "here, backgrounds matter least."
    told = says(nao, "nao_4_attribution", 1, {"most_changed": "noise"}, rows)
    assert told["most_changed"][1].startswith("there is no such name here")
    told = says(nao, "nao_4_attribution", 1, {"most_changed": "cat"}, Results(rows.rows[:2]))
    assert told["most_changed"][0] == "not in this run"


def test_shares_by_hand():
    told = says(nao, "nao_4_attribution", 2, {"in_left_half": 1, "moved_box": 0.51})
    assert {state for state, _ in told.values()} == {"right"}
    told = says(nao, "nao_4_attribution", 3, {"halves": 6 / 4, "tenths": 0.058})
    assert told["tenths"][0] == "right"
    assert told["halves"][1].startswith("the six patches may overlap")
