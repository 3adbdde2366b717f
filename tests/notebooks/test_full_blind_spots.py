"""The chapter on blind spots in the real layouts: three sets of photographs, nothing planted."""

import pytest

from robust_book.chapters import nao_3_blind_spots as chapter
from robust_book.chapters.nao_3_blind_spots import maps, planted
from robust_book.chapters.nao_3_blind_spots import pictures as shown
from robust_book.page import Page
from robust_lib.errors import DataError, InputError
from robust_lib.protocols.blind_spots.spots import Settings
from robust_lib.protocols.blind_spots.spots import results as results_of
from robust_lib.run.start import start
from tests import photographs, tiny, trees

NETWORK = "bit_resnet50"
HOW = Settings(neighbours=5, permutations=99, samples=20, least=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.shared(tmp_path_factory, "photographs", photographs.project)


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(tiny.enter(folder, monkeypatch))
    return start(chapter.CHAPTER, "full", device="cpu")


@pytest.mark.slow
def test_every_block_of_the_page_is_made(run):
    page = Page(run)
    training, pool, adversarial = sets = chapter.seen(run, NETWORK, 10)
    assert [len(one.embeddings) for one in sets] == [10, 10, 6]  # all the adversarial ones
    assert training.embeddings.vectors.shape == (10, 2048)
    found = chapter.spots(sets, HOW)
    made = maps.maps(found, 5, 0)
    assert set(made.others) == {"2 neighbours", "15 neighbours", "seed 1"}
    results = results_of(found, min(3, found.count))
    block = str(chapter.three_maps(page, results, found, made, 3))
    assert "n = 10 training images, 10 of the pool and 6 adversarial" in block
    inside = maps.atlas(found, made, pool, adversarial, 3)
    assert len(inside.thumbnails) >= 6
    assert any("Shark*" in one.words for one in inside.thumbnails)
    assert any("adversarial: cat" in one.words for one in inside.thumbnails)
    assert "<svg" in str(chapter.explorer(page, inside))
    assert str(chapter.gallery(page, shown.galleries(found, pool, adversarial, 3)))
    there = planted.planted(training, pool, adversarial)
    assert there is None
    rows = planted.results(found, there)
    assert not rows.rows
    assert "not composed" in str(chapter.beside_planted(page, found, rows, there, 3))
    assert "seed 1" in str(chapter.sensitivity(page, found, made, 3))
    named = chapter.key_numbers(results, found, made) | planted.key_numbers(rows, there)
    assert named["grounds_recall"].text == "not known"
    assert named["network"].text == "BiT ResNet-50"
    page.save(results + rows, named)


def test_pictures_of_the_release_are_found_again_in_the_pool(run):
    found = chapter.spots(chapter.seen(run, NETWORK, 100), HOW)
    assert len(found.space.pool) == 6 + photographs.OTHERS
    assert (found.space.own >= 0).all()


def test_without_umap_the_map_is_made_of_components(run, monkeypatch):
    monkeypatch.setattr("robust_lib.explain.embedding_map.has_umap", lambda: False)
    found = chapter.spots(chapter.seen(run, NETWORK, 10), HOW)
    made = maps.maps(found, 15, 0)
    assert made.first.method == "first two principal components"
    block = str(chapter.sensitivity(Page(run), found, made, 3))
    assert "first two principal components" in block
    assert chapter.key_numbers(results_of(found, 0), found, made)["kept_by_seed"].text == (
        "not measured"
    )


def test_as_many_neighbours_as_pictures_are_told_in_one_paragraph(run):
    with pytest.raises(InputError, match="fewer than the 20 images") as told:
        chapter.spots(chapter.seen(run, NETWORK, 10), Settings())
    assert "\n" not in str(told.value)


def test_missing_data_are_told_in_one_paragraph(folder, tmp_path, monkeypatch):
    broken = tiny.copy(folder, tmp_path / "copy")
    monkeypatch.chdir(tiny.enter(broken, monkeypatch))
    images = broken / "data" / "openimages_train" / "images"
    images.rename(tmp_path / "away")
    with pytest.raises(DataError, match="openimages_train") as told:
        chapter.seen(start(chapter.CHAPTER, "full", device="cpu"), NETWORK, 10)
    assert "\n" not in str(told.value)
    for file in (tmp_path / "away").iterdir():  # OpenImages' words, and none of its ids
        trees.save(images / f"holiday {file.name}")
    with pytest.raises(DataError, match="has none for any") as told:
        chapter.seen(start(chapter.CHAPTER, "full", device="cpu"), NETWORK, 10)
    assert "\n" not in str(told.value)
