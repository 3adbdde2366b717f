"""The chapter on attribution in the real layouts, with torchvision's Mask R-CNN drawing masks."""

import numpy as np
import pytest

from robust_book.chapters import nao_4_attribution as chapter
from robust_book.chapters.nao_4_attribution import costs, examples, numbers, studies
from robust_book.page import Page
from robust_lib.errors import InputError
from robust_lib.protocols.attribution import changes, shares
from robust_lib.run.start import start
from tests import photographs, tiny
from tests.photographs import MASKS

OWN, CALLED = "my_detector.py:build", "my_detector"
HOW = changes.Settings(score=0.5, samples=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.shared(tmp_path_factory, "photographs", photographs.project)


@pytest.fixture
def entered(folder, monkeypatch):
    monkeypatch.chdir(tiny.enter(folder, monkeypatch))
    return folder


def begun(model):
    return start(chapter.CHAPTER, "full", models=[model], device="cpu")


@pytest.mark.slow
def test_every_block_of_the_page_is_made(entered):
    run = begun(MASKS)
    page, many = Page(run), chapter.pictures_of(run, 2)  # of different sizes
    detectors = chapter.detectors(run, None, None, None)
    assert detectors == (MASKS,) * 3

    places = studies.grounds(run, MASKS, None)
    assert [one.name for one in places] == [
        "underwater", "beach", "forest", "road", "mountain", "sky",
    ]  # fmt: skip
    replaced = studies.replaced(run, MASKS, studies.used(places), HOW, many)
    assert [one.found.after.shape for one in replaced.values()] == [(2, 6), (2, 6)]
    results = numbers.background_rows(MASKS, replaced, studies.used(places))
    assert "six backgrounds" in str(chapter.replaced(page, results, replaced, places, MASKS))
    names = [ground.name for ground in studies.used(places)]
    shown = examples.changed(replaced, names, most=2)
    assert shown.columns == 7
    assert "cat 99 %" in shown.captions
    assert "<svg" in str(chapter.gallery(page, "fig-backgrounds", shown, "caption", "alt"))
    assert "mountain" in str(chapter.checked(page, results, places, replaced))

    way = shares.Settings(score=0.5, steps=2, most_steps=2, tolerance=0.9, moved=1, samples=20)
    attributed = studies.attributed(run, MASKS, way, many)
    for one in attributed.values():
        assert one.kept.any()
        inside, area = (one.numbers[name][one.kept] for name in ("inside", "area"))
        assert ((inside > 0) & (inside < 1) & (area > 0) & (area < 1)).all()
    inside = numbers.inside_rows(MASKS, attributed)
    assert "Random box" in str(chapter.inside(page, inside, attributed, MASKS))
    heat = examples.under_heat(run, MASKS, attributed)
    assert "inside" in heat.captions[0]
    chapter.gallery(page, "fig-heat", heat, "caption", "alt")

    swapped = studies.swapped(run, MASKS, HOW, many, swaps=3, repeats=1)
    moved = numbers.swap_rows(MASKS, swapped, swaps=3, repeats=1)
    assert "3 swaps" in str(chapter.swapped(page, moved, swapped, MASKS, swaps=3, patch=0.3333))
    found = costs.costs(run, replaced, swapped, attributed, detectors)
    assert found[0].asked == 6 * (5_000 + 7_936)  # six backgrounds of the surest of each picture
    assert "attributions" in str(chapter.cost(page, found))
    every = results + inside + moved
    named = numbers.key_numbers(every, replaced, swapped, attributed, detectors)
    assert named["ordinary_backgrounds"].text != "not measured"
    page.save(every, named)


def test_a_mask_is_that_of_the_box(entered):
    """Pictures are of different sizes, and a mask is as large as its own."""
    run = begun(MASKS)
    images = run.image_set("nao")
    predictions = studies._predictions(run, "nao", MASKS, 0.5, None)
    detector = run.detectors_of([MASKS])[MASKS][0]
    cutouts, kept = studies._cutouts(images, predictions, detector, 0.5)
    assert len(kept)
    for cutout, number in zip(cutouts, kept, strict=True):
        one = images.annotations[cutout.place]
        assert cutout.shape == (one.height, one.width)
        top, left = (ends.min() for ends in np.nonzero(cutout.mask))
        bottom, right = (ends.max() for ends in np.nonzero(cutout.mask))
        box = predictions.boxes[number]
        assert (left, top) >= (box[0] - 2, box[1] - 2)
        assert right <= box[2] + 2
        assert bottom <= box[3] + 2


def test_a_detector_without_masks_or_with_unknown_parts_is_told_in_one_paragraph(entered):
    settings = shares.Settings(score=0.5)
    with pytest.raises(InputError, match="Use another detector for integrated gradients") as told:
        studies.attributed(begun("my_detector.py:Truth"), "truth", settings, 1)
    assert "\n" not in str(told.value)
    run = begun(OWN)
    places = studies.used(studies.grounds(run, CALLED, None))
    with pytest.raises(InputError, match=r"Mask R-CNN.*backgrounds") as told:
        studies.replaced(run, CALLED, places, HOW, 1)
    assert "\n" not in str(told.value)


def test_backgrounds_that_are_missing_are_told(folder, tmp_path, monkeypatch):
    broken = tiny.copy(folder, tmp_path / "copy")
    monkeypatch.chdir(tiny.enter(broken, monkeypatch))
    (broken / "data" / "backgrounds").rename(tmp_path / "away")
    places = studies.grounds(begun(OWN), CALLED, None)
    assert places == ()  # the other two studies need none
    assert "`robust fetch backgrounds` shows where they belong" in studies.in_words(places)
