"""The blocks on unseen subtypes, of networks whose answers are known."""

import pytest

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import unseen_subtypes
from robust_book.engine.needs import needs
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.protocols import unseen_subtypes as protocol
from tests.chapters import pages, toys


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return pages.page(chapter, "toys")


def answers(right=(27, 15), **changes):
    return toys.subtype_answers({"mine": right, "other": (24, 12)}, images=30, **changes)


def test_figure_8_has_two_dots_a_network_and_a_verdict(page):
    said = answers()
    block = unseen_subtypes.gap(page, page.run, protocol.results(said), said)
    assert toys.texts(block, "text")[:2] == [
        "accuracy on ordinary pictures (%)",
        "accuracy on subtypes (%)",
    ]
    assert "6 seen subtypes" in str(block)
    assert "left out" not in str(block)
    (claim,) = [one for one in page._items["inc-fig8"]["verdicts"] if "accuracy" in one["metric"]]
    assert claim["verdict"] in ("holds", "not decided")
    assert claim["sentence"].startswith("Unseen subtypes")


def test_subtypes_of_two_classes_are_told_of(page):
    said = answers(shared=7)
    block = unseen_subtypes.gap(page, page.run, protocol.results(said), said)
    assert "7 subtypes that belong to two classes are left out" in str(block)


def test_classes_are_ranked_by_their_gap():
    table = unseen_subtypes.class_by_class(answers())
    gaps = [float(one.replace("\N{MINUS SIGN}", "-")) for one in toys.texts(table, "td")[2::5]]
    assert gaps == sorted(gaps, reverse=True)


def test_the_gallery_begins_each_row_with_a_seen_subtype(page):
    block = unseen_subtypes.worst(page, page.run, answers((30, 0)))
    texts = toys.texts(block, "text")
    assert sum(text.endswith(", seen") for text in texts) == unseen_subtypes.WORST
    assert any(text.startswith("→") for text in texts)


def test_the_chapter_needs_no_training_for_it_in_the_miniature():
    """All networks are those of the corruption benchmark, which other chapters train."""
    mini = load_profile("mini")
    assert mini.networks["imagenet_22k"] == mini.networks["imagenet_c"]
    for part in (unseen_subtypes.TUNED, unseen_subtypes.BEFORE):
        assert set(map(str, needs(part, mini).trained)) == set(mini.networks["imagenet_c"].values())
    found = needs(unseen_subtypes.TUNED, mini)
    assert {"scenes_familiar", "scenes_unfamiliar"} <= set(found.datasets)


def test_the_full_profile_tunes_each_network_of_the_benchmark():
    full = load_profile("full_trained")
    assert set(full.networks["imagenet_22k"]) == set(full.networks["imagenet_c"])
    trained = needs(unseen_subtypes.TUNED, full).trained
    assert [str(one) for one in trained] == [f"{name}_22k" for name in full.networks["imagenet_c"]]


def test_pictures_of_unknown_subtypes_are_refused(page):
    with pytest.raises(InputError, match="Expected composed scenes"):
        unseen_subtypes.answers(page.run, page.run)
