"""Committed runs with several seeds: their words go before those of a run with fewer."""

from dataclasses import replace

import pytest

from robust_lib import atomic, paths
from robust_lib.results import committed
from robust_lib.results.verdicts import Verdict

OWN = Verdict(
    item="inc-tab1",
    model=None,
    corruption=None,
    severity=None,
    k=None,
    dataset=None,
    metric="mce[a] < mce[b]",
    status="direction",
    reported="+",
    unit="none",
    decimals=None,
    here="90 % against 80 %",
    verdict="does not hold",
    arithmetic="90 % < 80 %: does not hold",
    locator="sec. 3",
)
NUMBER = replace(OWN, metric="mce", status="printed", verdict="match")


@pytest.fixture
def commit(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "manifests", lambda: tmp_path)

    def write(seeds: int, *verdicts: Verdict) -> None:
        record = {
            "items": [{"verdicts": [one.record() for one in verdicts]}],
            "provenance": {"parameters": {"seeds": seeds, "limit": 9}},
        }
        atomic.write_json(tmp_path / "measured" / f"mini_{seeds}_seeds" / "inc_2_mce.json", record)

    return write


def test_several_seeds_outrank_one_and_both_are_told(commit):
    commit(
        3, replace(OWN, verdict="holds", here="70 % against 80 %", arithmetic="70 % < 80 %: holds")
    )
    claim, number = committed.outranked([OWN, NUMBER], "mini", "inc_2_mce", 1, {"limit": 9})
    assert claim.verdict == "holds"
    assert claim.here == (
        "70 % against 80 %, over 3 seeds; this run alone: 90 % against 80 % (does not hold)"
    )
    assert claim.arithmetic.startswith("3 seeds: 70 % < 80 %: holds. This run alone: 90 %")
    assert number == NUMBER


def test_a_run_with_as_many_seeds_speaks_for_itself(commit):
    commit(3, replace(OWN, verdict="holds"))
    assert committed.outranked([OWN], "mini", "inc_2_mce", 3, {"limit": 9}) == (OWN,)


def test_the_most_seeds_count(commit):
    commit(3, replace(OWN, verdict="holds"))
    commit(10, replace(OWN, verdict="not decided"))
    (claim,) = committed.outranked([OWN], "mini", "inc_2_mce", 1, {"limit": 9})
    assert claim.verdict == "not decided"


def test_a_run_with_other_parameters_keeps_its_words(commit):
    commit(3, replace(OWN, verdict="holds"))
    assert committed.outranked([OWN], "mini", "inc_2_mce", 1, {"limit": 8}) == (OWN,)


@pytest.mark.parametrize(
    ("profile", "notebook"), [("smoke", "inc_2_mce"), ("mini", "inc_4_icons50")]
)
def test_other_profiles_and_chapters_are_not_touched(commit, profile, notebook):
    commit(3, replace(OWN, verdict="holds"))
    assert committed.outranked([OWN], profile, notebook, 1, {"limit": 9}) == (OWN,)


def test_a_claim_that_the_committed_run_lacks_keeps_its_word(commit):
    commit(3, replace(OWN, verdict="missing"))
    assert committed.outranked([OWN], "mini", "inc_2_mce", 1, {"limit": 9}) == (OWN,)
