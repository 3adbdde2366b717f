"""The explorer: complete without a script, and everything that the script needs is in it."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from robust_book.chapters.inc_1_corruptions.explorer import explorer
from robust_book.chapters.inc_1_corruptions.showcase import FILE, Sample
from robust_lib.config.corruption_cards import catalogue
from robust_lib.errors import InputError
from robust_lib.vocabulary import CATEGORIES, NAMES, corruption_title

SHOWN = {
    "china": Sample("China", np.zeros((224, 224, 3), np.uint8)),
    "bell_0": Sample("Bell <&>", np.zeros((64, 64, 3), np.uint8)),
}


class Elements(HTMLParser):
    """Tags with their attributes, and what is still open at the end."""

    def __init__(self, markup):
        super().__init__()
        self.found, self.open = [], []
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in ("img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag, **wanted):
        return [a for t, a in self.found if t == tag and wanted.items() <= a.items()]


def made(**given):
    chosen = {"picture": "china", "corruption": "fog", "severity": 3, "convention": "n < 1"}
    return str(explorer(SHOWN, catalogue(), CATEGORIES, **chosen | given))


def test_it_is_well_formed_and_escapes_what_it_is_given():
    markup = made()
    assert Elements(markup).open == []
    assert "Bell &lt;&amp;&gt; (64 px)" in markup
    assert "n &lt; 1" in markup


def test_every_corruption_can_be_chosen_by_a_native_control_with_a_name():
    markup = made()
    radios = Elements(markup).all("input", type="radio", name="explorer-corruption")
    assert [radio["value"] for radio in radios] == list(NAMES)
    assert [radio["value"] for radio in radios if "checked" in radio] == ["fog"]
    for name in catalogue():
        label = re.search(
            rf'<label class="rb-choice"[^>]*><input [^>]*value="{name}".*?</label>', markup
        )
        assert f"<span>{corruption_title(name)}</span>" in label.group()
    families = re.findall(r"<fieldset class=\"rb-family\"><legend>(\w+)</legend>", markup)
    assert families == [family.capitalize() for family in CATEGORIES]


def test_every_picture_can_be_chosen_and_coarse_ones_are_marked():
    radios = Elements(made(picture="bell_0")).all("input", name="explorer-picture")
    assert [(r["value"], "checked" in r, "data-coarse" in r) for r in radios] == [
        ("china", False, False),
        ("bell_0", True, True),
    ]


def test_the_severity_is_a_labelled_range():
    elements = Elements(made(severity=4))
    (slider,) = elements.all("input", type="range")
    assert (slider["min"], slider["max"], slider["step"], slider["value"]) == ("1", "5", "1", "4")
    assert elements.all("label", **{"for": slider["id"]})


def test_without_a_script_there_is_a_sheet_of_all_corruptions():
    elements = Elements(made(severity=2))
    (controls,) = elements.all("div", **{"class": "rb-controls"})
    assert "hidden" in controls
    addresses = [image["src"] for image in elements.all("img")]
    sheet = [f"_static/results/showcase-china-{name}-2.webp" for name in NAMES]
    assert addresses[2:] == sheet
    assert all(image["loading"] == "lazy" for image in elements.all("img"))
    assert "China, severity 2 of 5." in made(severity=2)


def test_the_script_finds_addresses_and_constants():
    elements = Elements(made())
    (home,) = elements.all("div", id="explorer")
    assert home["data-address"] == f"_static/results/{FILE}"
    told = [
        json.loads(label["data-told"]) for label in elements.all("label", **{"class": "rb-choice"})
    ]
    assert len(told) == len(NAMES)
    assert {len(by_severity) for by_severity in told} == {5}
    assert told[NAMES.index("fog")][2] == (
        "strength 2.5, decay of the variations 1.7 (224 pixels). AlexNet errs on 84 % of images"
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"picture": "cat"}, "Expected picture to be one of china, bell_0, but got cat."),
        ({"severity": 0}, "Expected severity to be one of 1, 2, 3, 4, 5, but got 0."),
        ({"corruption": "rain"}, "Expected corruption to be one of gaussian_noise, "),
    ],
)
def test_what_cannot_be_shown_first_is_refused(given, words):
    with pytest.raises(InputError, match=re.escape(words)):
        made(**given)
