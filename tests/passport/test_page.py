"""The page of a passport stands alone, escapes what it is told, and shows what may be shown."""

import re

from robust_book.passport.page import page


def test_a_page_needs_nothing_beside_it(passports):
    _, folder = passports["one"]
    made = (folder / "passport.html").read_text("utf-8")
    assert made.startswith("<!doctype html>")
    assert not re.search(r'(src|href)="(?!data:|#)', made)
    assert "@import" not in made
    assert 'src="data:image/jpeg' in made


def test_every_number_of_the_plate_has_its_n_and_interval(passports):
    passport = passports["one"][0].passport
    made = page(passport)
    for section in passport.sections:
        for headline in section.headlines:
            assert headline.title in made
            assert f"<b>{100 * headline.number.value:.1f}</b>" in made
    assert made.count('<td class="n">') == sum(len(one.headlines) for one in passport.sections)


def test_worst_and_best_are_told_apart(passports):
    made = page(passports["one"][0].passport, passports["one"][0].pictures)
    assert "worst: the most confident mistakes</h3>" in made
    assert "best: the most confident correct predictions</h3>" in made


def test_public_weights_have_a_mark_of_their_own_and_a_word_in_the_legend(passports):
    made = page(passports["one"][0].passport)
    assert '<rect class="public"' in made
    assert '<circle class="paper"' in made
    assert "public weights, as others measured them" in made


def test_pictures_that_may_not_be_shown_are_not(passports):
    made = page(passports["one"][0].passport)
    assert "data:image" not in made
    assert "do not permit showing them" in made


def test_names_are_escaped_and_reasons_shown(passports):
    passport = passports["one"][0].passport
    made = page(passport.model_copy(update={"model": "<b>mine</b>"}))
    assert "<b>mine</b>" not in made
    assert "&lt;b&gt;mine" in made
    assert "It is for detectors" in made


def test_papers_numbers_are_called_not_comparable_outside_of_full(passports):
    passport = passports["one"][0].passport
    assert "not comparable" in page(passport)
    for name in ("imagenet_val", "imagenet_a", "nao"):
        made = passport.made.model_copy(update={"datasets": {name: ""}})
        assert "not comparable" not in page(passport.model_copy(update={"made": made}))
