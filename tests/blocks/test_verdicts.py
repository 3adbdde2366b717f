"""The words of a verdict and the chip that shows them."""

import pytest

from robust_lib.errors import InputError
from robust_lib.html.verdict_chip import VERDICTS, chip, overall, tally
from robust_lib.results import compare


def records(*words: str) -> list[dict[str, str]]:
    return [{"verdict": word} for word in words]


def test_the_words_are_those_of_the_comparison_in_its_order():
    assert tuple(VERDICTS)[: len(compare.VERDICTS)] == compare.VERDICTS


def test_a_direction_that_fails_comes_before_all_others():
    assert overall(records("holds", "match", "does not hold", "missing")) == "does not hold"
    assert overall(records("not comparable", "within interval")) == "within interval"
    assert overall([]) == "shown"


def test_the_tally_counts_in_the_same_order():
    said = tally(records("missing", "holds", "holds"))
    assert said == "2 holds, 1 missing"


def test_a_chip_tells_its_verdict_without_colour():
    made = chip("holds", "inc-tab1", "#inc-tab1").markup
    assert made.startswith('<a class="rb-chip rb-for" href="#inc-tab1"')
    assert "✓" in made
    assert "inc-tab1 <b>holds</b>" in made
    assert chip("missing").markup.startswith("<span")


def test_a_chip_escapes_its_label():
    assert "<script>" not in chip("holds", "<script>").markup


def test_an_unknown_word_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"verdict to be one of does not hold, .* but got good"):
        chip("good")
