"""The chip that shows a verdict."""

import pytest

from robust_book.html.verdict_chip import chip
from robust_lib.errors import InputError
from robust_lib.results.verdicts import VERDICTS


def test_a_chip_tells_its_verdict_without_colour():
    made = chip("holds", "inc-tab1", "#inc-tab1").markup
    assert made.startswith('<a class="rb-chip rb-for" href="#inc-tab1"')
    assert "✓" in made
    assert "inc-tab1 <b>holds</b>" in made
    assert chip("missing").markup.startswith("<span")


@pytest.mark.parametrize("word", VERDICTS)
def test_each_verdict_has_its_colour_sign_and_meaning(word):
    made, about = chip(word).markup, VERDICTS[word]
    assert f'class="rb-chip rb-{about.stance}" title="' in made
    assert made.endswith(f'aria-hidden="true">{about.sign}</span> {word}</span>')


def test_a_chip_escapes_its_label():
    assert "<script>" not in chip("holds", "<script>").markup


def test_an_unknown_word_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"verdict to be one of does not hold, .* but got good"):
        chip("good")
