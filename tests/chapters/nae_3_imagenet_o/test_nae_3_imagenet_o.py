"""The chapter on detection: its blocks, of known predictions, and the numbers in its prose."""

import pytest

from robust_book.chapters import nae_3_imagenet_o as chapter
from robust_book.chapters.nae_3_imagenet_o import low_level
from robust_lib.protocols.nae import detection
from tests.chapters.pages import page as page_of
from tests.chapters.toys import texts
from tests.protocols.nae.toys import NAMES, masked

RIGHT = {"chooser": 20, "small": 18, "large": 22, "plain": 20, "attentive": 20}
IN_DISTRIBUTION = masked("scenes_val_o", RIGHT, images=50)
OUT_OF_DISTRIBUTION = masked("scenes_o_filtered", RIGHT, images=10)
RESULTS = detection.results(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, NAMES, samples=100)


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter)


def test_the_page_describes_imagenet_o(page):
    assert page.run.description.startswith("Foreign scenes of the miniature world")


def test_all_networks_stand_above_chance(page):
    block = str(chapter.all_networks(page, RESULTS, IN_DISTRIBUTION, OUT_OF_DISTRIBUTION))
    assert "10 foreign and 50 ordinary pictures" in block


def test_confidences_are_drawn_in_percent(page):
    block = chapter.confidences(page, IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, "small")
    assert "confidence of the network (%)" in str(block)


def test_one_network_sees_each_earlier_set(page):
    found = chapter.on_each_set(page.run, "brightest")
    assert [one.dataset for one in found] == [
        page.run.profile.data[role] for role in low_level.OUT_OF_DISTRIBUTION
    ]
    sets = low_level.image_sets(page.run)
    measured = low_level.measure(sets, page.run.geometry, limit=20)
    detected = detection.by_set(found[0], found, "brightest")
    rows = low_level.results(measured, sets)
    block = str(chapter.earlier_sets(page, rows, measured, detected, 20))
    assert "At most 20 pictures a set" in block
    assert "Bernoulli noise" in block
    assert str(chapter.samples(page, sets)).count("<image") == 30
    alike = {one.name: (0.5, 0.75) for one in sets.values()}  # AUPR and AUROC of the network
    block = chapter.earlier_sets(page, rows, measured, alike, 20)
    assert texts(block, "td")[1:3] == ["75.0", "50.0"]


def test_scores_stand_beside_each_other():
    assert "Mahalanobis" in str(chapter.scores(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, "small"))


def test_related_networks_have_their_own_item(page):
    block = str(chapter.size_and_attention(page, RESULTS, OUT_OF_DISTRIBUTION))
    assert 'id="nae-fig11"' in block
    assert "As in the figure of all networks" in block
