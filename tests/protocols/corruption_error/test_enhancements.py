"""Enhancements: who is compared with whom, paired differences, and claims that can fail."""

import numpy as np
import pytest

from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error import enhancements, normaliser
from robust_lib.protocols.corruption_error.enhancements import ITEMS, change, members, standard
from robust_lib.results.compare import compare
from robust_lib.vocabulary import COMMON
from tests import toys

NAMES = {
    "alexnet": "alexnet_mini",
    "resnet50": "resnet18_mini",
    "resnet50_tuned": "resnet18_mini_tuned",
    "resnet50_stability_1_1": "resnet18_mini_stability_1_1",
    "resnet50_stability_1_2": "resnet18_mini_stability_1_2",
    "resnet50_clahe": "resnet18_mini_clahe",
    "resnet50_tencrop": "resnet18_mini_tencrop",
    "resnet50_alike": "resnet34_mini",
    "densenet121": "densenet121_mini",
}
SEVERITIES = (1, 3)


def grid(lost, clean=0, seeds=1):
    """Of 100 pictures, networks lose so many a severity: a number, or by corruption."""

    def right(model, corruption, severity, seed):
        of_model = lost.get(model, 10)
        found = of_model if isinstance(of_model, int) else of_model.get(corruption, 10)
        base = clean if isinstance(clean, int) else clean.get(model, 0)
        return np.arange(100) < 90 - base - found * severity - seed

    return toys.grid(right, NAMES.values(), COMMON, SEVERITIES, seeds=seeds, dataset="few")


def results(lost, samples=60, **settings):
    made = grid(lost, **settings)
    divisor = normaliser.measured(made, "alexnet_mini")
    return enhancements.results(made, divisor, NAMES, samples=samples)


def judged(item, rows, **roles):
    """Return the words of an item's claims, in their order."""
    datasets = {"imagenet_val": "few", "imagenet_c": "few_c"}
    found = compare(rows, item, roles=NAMES | roles, datasets=datasets)
    return [one.verdict for one in found if one.status == "direction"]


def test_an_items_networks_are_those_that_the_run_has_in_its_order():
    run = list(NAMES.values())
    assert members("inc-claim-stability", NAMES, run) == {
        "resnet50": "resnet18_mini",
        "resnet50_tuned": "resnet18_mini_tuned",
        "resnet50_stability_1_1": "resnet18_mini_stability_1_1",
        "resnet50_stability_1_2": "resnet18_mini_stability_1_2",
    }
    assert list(members("inc-fig3", NAMES, run)) == ["resnet50_alike", "densenet121"]
    assert members("inc-fig3", NAMES, run[:2]) == {"resnet50": "resnet18_mini"}
    assert standard("inc-fig4", NAMES, run) == "resnet34_mini"
    assert standard("inc-claim-small", NAMES, run) is None


def test_numbers_are_those_of_the_protocol_under_every_item_that_needs_them():
    made = grid({"resnet18_mini": 8})
    divisor = normaliser.measured(made, "alexnet_mini")
    every = corruption_error.results(made, divisor, samples=20)
    rows = enhancements.results(made, divisor, NAMES, samples=20)
    assert {row.item for row in rows.rows} == set(ITEMS)
    for item in ("inc-claim-stability", "inc-claim-clahe", "inc-claim-tencrop"):
        mine = rows.row(item=item, model="resnet18_mini", metric="mce")
        theirs = every.row(model="resnet18_mini", metric="mce")
        assert (mine.value, mine.low, mine.high) == (theirs.value, theirs.low, theirs.high)
        assert len(rows.select(item=item, model="resnet18_mini", metric="ce")) == 15


def test_networks_without_a_part_stand_in_figure_4():
    made = grid({})
    divisor = normaliser.measured(made, "alexnet_mini")
    names = {paper: ours for paper, ours in NAMES.items() if paper != "densenet121"}
    rows = enhancements.results(made, divisor, names, samples=20)
    found = {row.item for row in rows.select(model="densenet121_mini").rows}
    assert found == {"inc-fig4"}


def test_a_change_is_paired():
    """Networks that err on the same pictures differ by exactly as much in every resample."""
    rows = results({"resnet18_mini": 8, "resnet18_mini_clahe": 8})
    of_item = rows.select(item="inc-claim-clahe")
    same = change(of_item, "resnet18_mini_clahe", "resnet18_mini", metric="mce")
    assert (same.value, same.low, same.high) == (0, 0, 0)
    own = of_item.row(model="resnet18_mini", metric="mce", corruption=None)
    assert own.high - own.low > 0
    assert change(of_item, "resnet18_mini", "nobody", metric="mce") is None


def test_lower_errors_are_counted_with_an_interval():
    better = dict.fromkeys(COMMON[:13], 4)
    rows = results({"resnet18_mini_clahe": better})
    row = rows.row(model="resnet18_mini_clahe", metric="lower_ces")
    assert (row.value, row.low, row.high) == (13, 13, 15), "two are equal, and may be lower yet"
    close = results({"resnet18_mini_clahe": 9, "resnet18_mini": 10})
    row = close.row(model="resnet18_mini_clahe", metric="lower_ces")
    assert row.value == 15
    assert row.low <= 15


def test_several_seeds_are_draws_of_their_own():
    rows = results({"resnet18_mini_clahe": 4}, seeds=3)
    row = rows.row(model="resnet18_mini_clahe", metric="lower_ces")
    assert (row.value, row.low, row.high) == (15, 15, 15)


@pytest.mark.parametrize(
    ("lost", "words"),
    [({}, "not decided"), ({"low": 4}, "does not hold"), ({"high": 16}, "holds")],
    ids=["equal", "better", "worse"],
)
def test_the_claim_on_stability_training_can_come_out_in_every_way(lost, words):
    how = {"low": 4, "high": 16}
    (which,) = lost or ("equal",)
    value = how.get(which, 10)
    trained = ("resnet18_mini_stability_1_1", "resnet18_mini_stability_1_2")
    rows = results(dict.fromkeys(trained, value))
    first, *noises = judged("inc-claim-stability", rows)
    # Equal to the last picture: a tie says neither that noise is raised nor that it is not.
    assert [first, *set(noises)] == [words, words]


def test_one_network_that_does_better_is_enough_against_the_claim():
    rows = results({"resnet18_mini_stability_1_1": 16, "resnet18_mini_stability_1_2": 4})
    assert judged("inc-claim-stability", rows)[0] == "does not hold"


def test_the_claims_on_equalisation_can_hold_and_fail():
    better = results({"resnet18_mini_clahe": 4}, clean={"resnet18_mini": 8})
    assert judged("inc-claim-clahe", better) == ["holds", "holds", "holds"]
    worse = results({"resnet18_mini_clahe": 16}, clean={"resnet18_mini_clahe": 8})
    assert judged("inc-claim-clahe", worse) == ["does not hold"] * 3


def test_ten_crops_may_help_accuracy_alone_or_robustness_beyond_it():
    accurate = results({}, clean={"resnet18_mini": 8})
    assert judged("inc-claim-tencrop", accurate)[0] == "holds"
    fewer = {"resnet18_mini": 8}
    robust = results({"resnet18_mini": 18, "resnet18_mini_tencrop": 1}, clean=fewer)
    assert judged("inc-claim-tencrop", robust) == ["holds", "does not hold"]
    # Where accuracy gains nothing, there is no gain to outpace.
    worse = results({"resnet18_mini_tencrop": 1}, clean={"resnet18_mini_tencrop": 8})
    assert judged("inc-claim-tencrop", worse) == ["does not hold", "premise fails"]


def test_figures_set_networks_against_the_one_that_was_trained_alike():
    rows = results({"densenet121_mini": 5, "resnet18_mini": 2})
    alike = judged("inc-fig4", rows, resnet50="resnet34_mini")
    assert alike[0] == "holds"
    assert judged("inc-fig4", rows)[0] == "does not hold"


def test_ten_crops_are_set_against_the_central_one_where_a_run_has_it():
    item = "inc-claim-tencrop"
    names = {"resnet50": "a", "resnet50_onecrop": "b", "resnet50_tencrop": "c"}
    assert enhancements.standard(item, names, ["a", "b", "c"]) == "b"
    assert enhancements.standard(item, names, ["a", "c"]) == "a"
    assert list(enhancements.members(item, names, ["a", "b", "c"]).values()) == ["a", "b", "c"]
    assert list(enhancements.members(item, names, ["a", "c"]).values()) == ["a", "c"]
    assert enhancements.standard("inc-claim-clahe", names, ["a", "b", "c"]) == "a"
