"""NAO's construction and mAP: what a shark is, who stays, and which rule forgives most."""

from robust_book.course import nao
from robust_lib.results.table import Results
from tests.course.planted import hold, row, says


def test_mistakes_are_named_and_nothing_is_revealed():
    assert hold(nao) >= 8


def test_answers_by_hand():
    given = {"own_only": "hard false positive", "with_shark": "Egregious misclassification"}
    told = says(nao, "nao_1_construction", 2, given)
    assert {state for state, _ in told.values()} == {"right"}
    told = says(nao, "nao_1_construction", 2, {"own_only": "no candidate", "with_shark": "fish"})
    assert (
        told["own_only"][1] == "it is another one. Which objects are there, if the shark is none?"
    )
    assert told["with_shark"][1].startswith("there is no such name here")
    told = says(nao, "nao_1_construction", 3, {"of_five": True, "of_four": True})
    assert [state for state, _ in told.values()] == ["right", "not yet"]
    told = says(nao, "nao_2_map", 2, {"with_the_shark": 1 / 3, "without_it": 1.0})
    assert told["with_the_shark"][0] == "right"
    assert told["without_it"][1] == "classes of which nothing is found were left out of the mean."
    told = says(nao, "nao_2_map", 3, {"costs": 1.0, "forgiven": 0.5})
    assert told["costs"][1] == "that is the mAP if the shark is forgiven."
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
    heading = "Without all that finds no object"
    assert says(nao, "nao_2_map", 1, {"rule": heading}, rows)["rule"][0] == "right"
    told = says(nao, "nao_2_map", 1, {"rule": "overlap"}, rows)["rule"]
    assert told[1] == "that one forgives least."
    assert "rows" in says(nao, "nao_2_map", 1, {"rule": "crowd"}, rows)["rule"][1]
    assert says(nao, "nao_2_map", 1, {"rule": "x"}, Results())["rule"][0] == "not in this run"
