"""Settings of held-out subtypes: refused before a network is trained, or the networks' own."""

import numpy as np
import pytest

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import subtype_settings
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.run.start import start
from tests import tiny


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.project(tmp_path_factory.mktemp("subtypes"))


@pytest.fixture
def run(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return start(chapter.CHAPTER, "tiny")


def test_as_many_networks_as_the_paper_has_settings():
    names = [str(one) for one in chapter.CHAPTER.all_networks(load_profile("full_trained"))]
    assert names == [f"wrn40_2@some_a_class:{number}" for number in (1, 2, 3, 4)]


def test_all_numbers_that_leave_a_subtype_or_the_named_ones(run):
    assert subtype_settings.numbers(run) == (1, 2, 3, 4)
    assert subtype_settings.numbers(run, "[2, 1]") == (2, 1)
    assert subtype_settings.numbers(run, 2) == (2,)


@pytest.mark.parametrize("wrong", [[0], [5], "[1, 6]", ["1"], "two", [], [True], [1.0]])
def test_other_numbers_are_refused(run, wrong):
    with pytest.raises(InputError, match="each from 1 to 4, for each class of broad_icons_test"):
        subtype_settings.numbers(run, wrong)


def test_networks_are_asked_about_all_test_pictures(run):
    held = subtype_settings.unseen(run, (1, 2))
    said = subtype_settings.predictions(run, (1, 2))
    for number in (1, 2):
        ((name, (first,)),) = said[number].items()
        assert name == "wrn40_2_mini"
        assert len(first.correct) == len(run.images) == len(held[number])
    assert np.all(held[1] <= held[2])
    assert held[1].any()
    assert not held[2].all()


@pytest.mark.parametrize("other", ["resnet18_mini", "resnet20_mini", "torchvision/resnet18"])
def test_networks_that_learn_from_other_pictures_are_refused(made, monkeypatch, other):
    tiny.enter(made, monkeypatch)
    run = start(chapter.CHAPTER, "tiny", models=[other])
    with pytest.raises(InputError, match=r"trained here on broad_icons_train, .* got .*resnet"):
        subtype_settings.numbers(run)
