"""Verdicts: their words, how those of an item add up, and that they are saved and read back."""

import json

import pytest

from robust_lib.errors import InputError
from robust_lib.results.verdicts import VERDICTS, Verdict, meaning, overall, tally


def verdict(word: str, **changes) -> Verdict:
    columns = {
        "item": "inc-tab1",
        "model": "resnet50",
        "corruption": None,
        "severity": None,
        "k": None,
        "dataset": "imagenet_c",
        "metric": "mce",
        "status": "printed",
        "reported": "76.7",
        "unit": "percent",
        "decimals": 1,
        "verdict": word,
        "arithmetic": "made up",
        "locator": "Table 1",
    }
    return Verdict(**columns | changes)


def verdicts(*words: str) -> list[Verdict]:
    return [verdict(word) for word in words]


@pytest.mark.parametrize(
    ("words", "word"),
    [
        ([], "shown"),
        (["missing", "missing"], "missing"),
        (["missing", "not comparable"], "not comparable"),
        (["as printed", "as printed"], "as printed"),
        (["missing", "as printed"], "missing"),
        (["not comparable", "match"], "match"),
        (["match", "within interval"], "within interval"),
        (["match", "holds", "not comparable"], "holds"),
        (["by construction", "not decided"], "not decided"),
        (["match", "holds", "differs"], "differs"),
        (["differs", "does not hold", "holds"], "does not hold"),
    ],
)
def test_an_item_carries_its_most_telling_verdict(words, word):
    assert overall(verdicts(*words)) == word


def test_verdicts_are_counted_in_words_the_most_telling_first():
    assert tally(verdicts("missing", "match", "holds", "match")) == "1 holds, 2 match, 1 missing"
    assert tally([]) == ""


def test_those_that_speak_against_the_paper_come_first():
    told = [one.stance for one in VERDICTS.values() if one.stance in ("against", "for")]
    first = [one.stance for one in VERDICTS.values()][: len(told)]
    assert first == told == sorted(told)


def test_each_word_has_a_sign_of_its_own():
    assert len({one.sign for one in VERDICTS.values()}) == len(VERDICTS)


def test_an_unknown_word_is_refused_with_the_known_ones():
    message = r"verdict to be one of does not hold, .* but got good\."
    with pytest.raises(InputError, match=message):
        meaning("good")
    with pytest.raises(InputError, match=message):
        verdict("good")


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"ours": 0.76689, "low": 0.75, "high": 0.8, "decimals": 1}, "76.7 % [75.0, 80.0]"),
        ({"ours": 0.0005, "reported": "10^-4", "status": "setting", "unit": "none"}, "0.0005"),
        ({"ours": 8 / 255, "reported": "8/255", "status": "setting", "unit": "none"}, "0.03137"),
        ({"ours": 1 / 6, "decimals": 2, "status": "setting"}, "16.67 %"),
        ({"ours": 4000.0, "reported": "1.9 million", "unit": "count", "decimals": 1}, "4,000"),
        ({"ours": None}, "–"),
    ],
)
def test_our_number_has_the_digits_that_it_needs_beside_the_printed_one(changes, shown):
    assert verdict("not comparable", **{"decimals": 0} | changes).found == shown


def test_a_verdict_survives_being_saved():
    one = verdict("match", ours=0.767, low=0.7, high=0.8, n=10, difference=0.0)
    assert Verdict(**json.loads(json.dumps(one.record()))) == one
