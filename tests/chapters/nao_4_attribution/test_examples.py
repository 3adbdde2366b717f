"""Pictures of the studies: typical ones, with what the detector says of each."""

import numpy as np
import pytest

from robust_book.chapters import nao_4_attribution as chapter
from robust_book.chapters.nao_4_attribution import studies
from robust_book.chapters.nao_4_attribution.examples import Shown, changed, under_heat
from robust_lib.protocols.attribution.shares import Settings as ShareSettings
from tests.chapters.nao_4_attribution.toys import study
from tests.chapters.pages import page as page_of
from tests.layouts import Shapes
from tests.protocols.attribution.toys import changes

AS_IS = studies._AS_IT_IS


@pytest.fixture
def run(build):
    return page_of(chapter).run


def test_the_prediction_nearest_to_the_mean_is_shown_with_its_versions():
    found = study(changes([0.8, 0.8, 0.8], [[0.8, 0.8], [0.4, 0.0], [0.0, 0.0]], [0, 1, 0]))
    shown = changed({"ordinary": found}, ["here", "there"])
    assert shown.columns == 3
    assert shown.captions == ("dog 80 %", "here\ndog 40 %", "there\nno longer detected")
    original = Shapes().read(1, AS_IS)
    assert np.array_equal(shown.pictures[0], original)
    assert np.array_equal(shown.pictures[2], 255 - original)


def test_nothing_found_shows_nothing():
    assert changed({"ordinary": study(changes([], []))}, ["here"]).pictures == ()


def test_heat_is_shown_of_one_prediction_a_class(run):
    how = ShareSettings(score=0.0, steps=2, most_steps=2, moved=2, tolerance=0.999)
    found = studies.attributed(run, "talkative", how, 2)
    shown = under_heat(run, "talkative", found, most=2)
    kept = [int(one.kept.sum()) > 0 for one in found.values()]
    assert bool(shown.pictures) == any(kept)
    assert len(shown.pictures) == len(shown.captions)
    assert all(one.shape == (128, 128, 3) for one in shown.pictures)
    assert all("% inside" in one for one in shown.captions)


def test_pictures_of_different_sizes_are_shown_together():
    sizes = ((48, 64), (80, 64), (64, 96))
    pictures = tuple(np.zeros((*size, 3), np.uint8) for size in sizes)
    for turned in range(len(sizes)):  # one of them is looked at by the check, at random
        shown = Shown((*pictures[turned:], *pictures[:turned]), ("a", "b", "c"), 3)
    assert {one.shape[:2] for one in shown.pictures} == set(sizes)
