"""The chapter on ICONS-50: its blocks, of icons and networks that are known."""

import json

import pytest

from robust_book.chapters import inc_4_icons50 as chapter
from robust_book.page import Page
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.protocols import surface_variation
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.start import start
from tests import tiny
from tests.chapters.toys import texts
from tests.protocols.icons import BIRD, HAT, ICONS, predicted_on


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.project(tmp_path_factory.mktemp("icons"))


@pytest.fixture
def run(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return start(chapter.CHAPTER, "tiny")


def accuracies(run, *protocols):
    """Equal accuracies of the first network in some protocols."""
    parts = surface_variation.parts(run.images.name)
    return Results.of(
        Row(
            item="inc-icons-style", dataset=parts[name], model="resnet20_mini", metric="accuracy",
            value=0.5, low=0.4, high=0.6, n=10, n_full=10,
        )
        for name in protocols
    )  # fmt: skip


def test_our_parts_of_the_icons_stand_for_the_papers_in_all_three_items(run):
    page = Page(run)
    rows = accuracies(run, "style", "version", "subtype")
    hold_outs = surface_variation.protocols()
    style = chapter.style(page, rows, hold_outs.values(), "exact")
    assert "Held out: style:microsoft, version, subtypes; exact match; last epoch." in str(style)
    assert "40.0" in texts(chapter.version(page, rows), "td")[1]
    found = chapter.predictions(run, ["random"])["random"]["resnet20_mini"]
    chapter.subtype(page, rows, {"random": found})
    page.save(rows)
    saved = json.loads((run.folder / "results" / "inc_4_icons50.json").read_text("utf-8"))
    for item, part in zip(saved["items"], ("style", "version", "subtype"), strict=True):
        mine = next(v for v in item["verdicts"] if v["model"] == "resnet20")
        assert (mine["our_dataset"], mine["verdict"]) == (f"icons50_open_{part}", "not comparable")
        assert item["verdict"] == ("not comparable" if part == "subtype" else "not decided")


def test_the_sample_and_the_classes_stand_beside_the_papers(run):
    page = Page(run)
    facts = surface_variation.facts(chapter.icons(run), *run.recipe)
    assert f"icons50_open, {len(run.images):,} icons at 32 pixels" in str(
        chapter.sample(page, facts)
    )
    assert "Subtypes that differ only in skin tone" in str(chapter.classes(page, facts))
    assert "Taken besides" in str(chapter.side_effects(run, "google"))


def test_a_sample_shows_a_class_by_several_vendors():
    places = chapter.sampled(ICONS, classes=2, each=3)
    icons = [ICONS.icons[place] for place in places]
    assert [icon.label for icon in icons] == [BIRD] * 3 + [HAT] * 3
    assert {icon.style for icon in icons[:3]} == {"google", "microsoft", "openmoji"}
    assert [icon.style for icon in icons[3:]] == ["google", "microsoft", "openmoji"]


def test_mistakes_come_first_among_the_predicted():
    places, captions = chapter.ranked(predicted_on("style:microsoft", 2), ICONS, BIRD, most=4)
    assert captions == ["Hat", "Hat", "\N{CHECK MARK} Bird", "\N{CHECK MARK} Bird"]
    assert [ICONS.icons[place].style for place in places] == ["microsoft"] * 4


def test_a_class_that_is_not_held_out_has_nothing_to_show():
    with pytest.raises(InputError, match="icons of the class Airplane among those held out"):
        chapter.ranked(predicted_on("style:microsoft", 2), ICONS, 0)


def test_what_cannot_be_held_out_is_refused_before_a_network_is_trained(run):
    with pytest.raises(InputError, match="style to be one of google, microsoft, mozilla"):
        chapter.held_out(run, "apple", "exact")
    with pytest.raises(InputError, match="match to be one of authors, exact"):
        chapter.held_out(run, "google", "author")
    with pytest.raises(InputError, match=r"hold-out.*style:VENDOR"):
        chapter.predictions(run, ["random", "colour"])


def test_the_original_icons_are_held_out_as_their_authors_did(run):
    """So were the published numbers made; open icons, which nobody published, by the exact rule."""
    assert chapter.rule(run, None) == "exact"
    assert chapter.rule(run, "authors") == "authors"
    mini, full = (chapter.per_hold_out(["net"], load_profile(name)) for name in ("mini", "full"))
    authors = [f"net@{one}:authors" for one in ("style:microsoft", "version", "subtypes")]
    assert [str(one) for one in full[:3]] == authors
    assert str(mini[0]) == "net@style:microsoft"


def test_vendors_are_those_of_the_icons_or_the_named_ones(run):
    assert chapter.vendors(run) == ["google", "microsoft", "mozilla"]
    assert chapter.vendors(run, ["google"]) == ["google"]
    assert chapter.vendors(run, '["google"]') == ["google"]
    with pytest.raises(InputError, match="style to be one of google, microsoft, mozilla"):
        chapter.vendors(run, ["lg"])


def test_a_class_is_known_by_its_name(run):
    assert run.images.class_names[chapter.label_of(run, "Hat")] == "Hat"
    with pytest.raises(InputError, match="a class to be one of Airplane"):
        chapter.label_of(run, "hat")


def test_networks_predict_what_they_were_not_trained_on(run):
    (found,) = chapter.predictions(run, ["style:microsoft"]).values()
    assert list(found) == list(chapter.model_names(run)) == ["resnet20_mini"]
    (predictions,) = found["resnet20_mini"]
    assert predictions.ids == tuple(name for name in run.images.ids if "microsoft" in name)
    assert predictions.model == "resnet20_mini@style:microsoft"
