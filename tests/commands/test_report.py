"""`robust report`: a line a claim, counted at the end, with the arithmetic only if asked for."""

import pytest

from robust_book.commands import report
from robust_lib import atomic, paths
from robust_lib.errors import RunError
from robust_lib.results.reported import reported
from robust_lib.results.verdicts import Verdict
from tests.commands import samples

NOBODY = dict.fromkeys(("model", "corruption", "severity", "k", "dataset"))


def verdict(**changes) -> dict:
    claim = {
        "item": "inc-tab1",
        "metric": "mce[alexnet] > mce[resnet50]",
        "status": "direction",
        "reported": "+",
        "unit": "none",
        "decimals": None,
        "sentence": "mCE falls from AlexNet to ResNet-50.",
        "paper": "76.7 % → 100 %",
        "here": "117.2 % [111.0, 123.0] → 100.0 %",
        "verdict": "does not hold",
        "arithmetic": "117.2 % < 100.0 %: does not hold",
        "locator": "App. E",
    }
    return Verdict(**(NOBODY | claim | changes)).record()


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "profile", lambda name: tmp_path / name)

    def write(*verdicts: dict) -> None:
        record = {"items": [{"item": "inc-tab1", "verdicts": list(verdicts)}]}
        atomic.write_json(tmp_path / "mini" / "results" / "inc_2_mce.json", record)

    return write


def test_a_claim_is_a_line_with_both_sides(results):
    results(verdict())
    line, *summary = report.lines("mini")
    assert line == (
        "inc-tab1               ✗ does not hold   mCE falls from AlexNet to ResNet-50. "
        "Paper: 76.7 % → 100 %. Here: 117.2 % [111.0, 123.0] → 100.0 %."
    )
    assert summary == ["Claims: 1 does not hold.", "Numbers: none."]


def test_the_page_prints_lines_as_the_command_does(results):
    claims = [one for name in ("inc-alexnet", "inc-claim-denoise") for one in reported(name)]
    told = [
        verdict(
            item=one.item, sentence=one.sentence, verdict=word, metric=f"{one.metric}, {word}",
            paper="1.0 % against 2.0 %", here=None if word == "missing" else "3.0 %",
        )
        for one in claims
        if one.is_claim
        for word in ("not decided", "premise fails", "missing", "by construction")
    ]  # fmt: skip
    words = ("not comparable", "missing", "as printed")
    numbers = [verdict(status="printed", metric="mce", verdict=word) for word in words]
    results(*told, *numbers)
    printed = "\n".join(report.lines("mini"))
    assert samples.strangers("robust report --profile smoke", printed) == []


def test_numbers_are_counted_and_told_only_with_the_arithmetic(results):
    number = verdict(status="printed", metric="mce", verdict="match", arithmetic="ours is theirs")
    results(verdict(), number)
    assert len(list(report.lines("mini"))) == 3
    whole = list(report.lines("mini", arithmetic=True))
    assert "    ours is theirs" in whole
    assert "    117.2 % against 100.0 % (claimed: smaller): does not hold" in whole
    assert whole[-1] == "Numbers: 1 match."


def test_a_claim_by_construction_is_counted_apart(results):
    follows = verdict(metric="a > b", status="construction", verdict="by construction")
    about = verdict(metric="1 < a < 2", status="range", verdict="not comparable")
    results(verdict(verdict="holds"), verdict(item="inc-fig2", verdict="missing"), follows, about)
    *_, claims, numbers = report.lines("mini")
    assert claims == "Claims: 1 holds, 1 not comparable, 1 by construction."  # of two, one
    assert numbers == "Numbers: none."


def test_a_profile_without_results_is_told_what_computes_them(results):
    with pytest.raises(RunError, match=r"`make book PROFILE=mini`.*compute"):
        list(report.lines("mini"))
