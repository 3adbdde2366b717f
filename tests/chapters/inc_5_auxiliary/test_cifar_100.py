"""Held-out subtypes: settings that are refused, and errors as lines, tables and pictures."""

import json

import numpy as np
import pytest

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import cifar_100
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.protocols import cifar_100_subtypes as protocol
from robust_lib.run.start import start
from tests import tiny
from tests.chapters import pages, toys
from tests.protocols.icons import BIRD, HAT, ICONS
from tests.protocols.subtypes import NETWORK, said, subtypes, unseen


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.project(tmp_path_factory.mktemp("subtypes"))


@pytest.fixture
def run(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return start(chapter.CHAPTER, "tiny")


@pytest.fixture
def page(build):
    return pages.page(chapter, "toys")


def test_as_many_networks_as_the_paper_has_settings():
    names = [str(one) for one in chapter.CHAPTER.all_networks(load_profile("full_trained"))]
    assert names == [f"wrn40_2@some_a_class:{number}" for number in (1, 2, 3, 4)]
    assert chapter.CHAPTER.role == "cifar100_test"


def test_all_numbers_that_leave_a_subtype_or_the_named_ones(run):
    assert cifar_100.settings(run) == (1, 2, 3, 4)
    assert cifar_100.settings(run, "[2, 1]") == (2, 1)
    assert cifar_100.settings(run, 2) == (2,)
    for wrong in ([0], [5], "[1, 6]", ["1"], "two", [], [True], [1.0]):
        with pytest.raises(InputError, match=r"1.*4.*class.*broad_icons_te"):
            cifar_100.settings(run, wrong)


def test_networks_are_asked_about_all_test_pictures(run):
    held = cifar_100.unseen(run, (1, 2))
    found = cifar_100.predictions(run, (1, 2))
    for number in (1, 2):
        ((name, (first,)),) = found[number].items()
        assert name == "wrn40_2_mini"
        assert first.model.startswith(f"wrn40_2_mini@some_a_class:{number}")
        assert len(first.correct) == len(run.images) == len(held[number])
    assert np.all(held[1] <= held[2])
    assert held[1].any()
    assert not held[2].all()


def test_networks_that_learn_from_other_pictures_are_refused(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    for other in ("resnet18_mini", "resnet20_mini", "torchvision/resnet18"):
        run = start(chapter.CHAPTER, "tiny", models=[other])
        with pytest.raises(InputError, match=r"trained.*broad_icons_train.*resnet"):
            cifar_100.settings(run)


def test_the_item_is_judged_and_saved(page):
    dataset = page.run.images.name
    rows = protocol.results(*subtypes(seen_wrong=0, unseen_wrong=4), dataset, samples=50)
    block = cifar_100.errors(page, rows)
    assert "the paper's mean, held-out subtypes" in toys.texts(block, "text")
    assert toys.texts(block, "td")[:3] == ["0.0 [0.0, 16.8]", "20", "100.0 [69.2, 100.0]"]
    assert "held-out subtypes from 100 to 100 %" in str(block)
    page.save(rows, cifar_100.key_numbers(rows, dataset))
    saved = json.loads((page.run.folder / "results" / "inc_5_auxiliary.json").read_text("utf-8"))
    (item,) = saved["items"]
    assert (item["item"], item["verdict"]) == ("inc-cifar100", "holds")
    assert saved["numbers"]["inc_5_auxiliary.unseen"]["text"] == "100.0 %"


def test_the_worst_subtypes_are_shown_under_what_they_were_taken_for(page):
    words = toys.texts(cifar_100.worst(page, *subtypes(seen_wrong=0, unseen_wrong=4)), "text")
    assert any("Bird, not Hat" in word for word in words)
    known = toys.texts(cifar_100.worst(page, *subtypes(seen_wrong=0, unseen_wrong=0)), "text")
    assert not any(", not " in word for word in known)


def test_lines_have_settings_and_the_table_the_mean_too():
    rows = protocol.results(*subtypes(seen_wrong=2, unseen_wrong=3), "toys", samples=20)
    lines = cifar_100.error_lines(rows, "toys")
    assert {name: sorted(line) for name, line in lines.items()} == {
        "seen subtypes": [1, 2],
        "held-out subtypes": [1, 2],
    }
    assert lines["held-out subtypes"][2][0] == 75
    frame = cifar_100.errors_frame(rows, "toys")
    assert frame["Held out"].tolist() == ["1", "2", "mean"]
    assert frame["Held-out subtypes"][0].value == lines["held-out subtypes"][1][0]
    assert frame["Images, unseen"].tolist() == [10, 20, 20]


def test_the_papers_means_are_the_printed_ones():
    assert cifar_100.paper_means() == {"seen subtypes": 13.2, "held-out subtypes": 59.7}


def test_a_subtype_is_counted_apart_where_it_is_held_out(page):
    held = unseen(ICONS)
    icons = ICONS.icons
    # The network errs on one subtype, and only where that is held out.
    (first,) = {
        icons[place].motif for place in np.flatnonzero(held[1]) if icons[place].label == BIRD
    }
    is_first = np.array([icon.motif == first for icon in icons])
    by_number = {number: {NETWORK: (said(ICONS, held[number] & is_first),)} for number in held}
    frame = cifar_100.subtypes_frame(ICONS, by_number, held)
    worst = frame.iloc[0]
    assert (worst["Subtype"], worst["Error"]) == (first.replace("_", " "), 100.0)
    assert (worst["Taken for"], worst["Held out with"], worst["Predictions"]) == ("Hat", "1, 2", 10)
    assert frame["Error"].tolist()[1:] == [0.0] * (len(frame) - 1)
    assert len(frame) == 4  # two of three subtypes of two classes; the third is always seen
    heads = toys.texts(cifar_100.by_subtype(page, by_number, held), "th")
    assert heads[:6] == ["Class", "Subtype", "Held out with", "Predictions", "Error", "Taken for"]


def test_classes_count_every_answer_on_its_side(page):
    by_number, held = subtypes(seen_wrong=2, unseen_wrong=3)
    frame = cifar_100.classes_frame(ICONS, by_number, held).set_index("Class")
    for label, name in ((BIRD, "Bird"), (HAT, "Hat")):
        for column, is_held in (("Seen subtypes", False), ("Held-out subtypes", True)):
            answers = [
                not by_number[number][NETWORK][0].correct[place]
                for number, mask in held.items()
                for place in range(len(ICONS))
                if ICONS.labels[place] == label and mask[place] == is_held
            ]
            assert frame.loc[name, column] == 100 * sum(answers) / len(answers)
    assert frame["Held-out subtypes"].is_monotonic_decreasing
    cells = toys.texts(cifar_100.by_class(page, *subtypes(seen_wrong=0, unseen_wrong=4)), "td")
    assert cells[:4] == ["0.0", "100.0", "Hat", "0.0"]  # seen, held out, taken for; the next


def test_several_networks_are_named():
    by_number, held = subtypes(seen_wrong=0, unseen_wrong=4)
    both = {number: {**found, "other": found[NETWORK]} for number, found in by_number.items()}
    rows = protocol.results(both, held, "toys", samples=20)
    assert set(cifar_100.errors_frame(rows, "toys")["Network"]) == {
        "Wide ResNet-like", "other",
    }  # fmt: skip
    assert "other, held-out subtypes" in cifar_100.error_lines(rows, "toys")


def test_the_gap_in_the_prose_is_paired():
    rows = protocol.results(*subtypes(seen_wrong=1, unseen_wrong=4), "toys", samples=200)
    found = cifar_100.key_numbers(rows, "toys")
    assert (found["seen"].text, found["unseen"].text) == ("10.0 %", "100.0 %")
    assert found["gap"].text.startswith("90.0 [")
    assert found["gap"].n == 20
    assert (found["fewest"].text, found["most"].text) == ("100.0 %", "100.0 %")
