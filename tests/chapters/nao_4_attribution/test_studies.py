"""The three studies on shapes that a detector finds by their colour alone."""

import numpy as np
import pytest

from robust_book.chapters import nao_4_attribution as chapter
from robust_book.chapters.nao_4_attribution import grounds, studies
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.errors import InputError
from robust_lib.protocols.attribution.changes import Settings
from robust_lib.protocols.attribution.shares import Settings as ShareSettings
from robust_lib.run.image_kinds import as_objects
from tests.chapters.pages import page as page_of

HOW = Settings(score=0.5, samples=200)
AS_IS = studies._AS_IT_IS


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter).run


def test_backgrounds_mean_nothing_to_a_detector_that_goes_by_colour(run):
    places = grounds.grounds(run, "mine")
    found = studies.replaced(run, "mine", places, HOW, None)
    for study in found.values():
        assert study.found.versions == tuple(one.name for one in places)
        assert not study.found.lost.any()
        assert np.allclose(study.found.after, 0.85)
        (noise,) = study.controls.values()
        assert noise.lost.mean() > 0.9  # hidden under grey noise, the colour is gone
    pictures = {int(place) for place in found["ordinary"].found.before.images}
    empty = {at for at, one in enumerate(as_objects(run.image_set("coco_val"))) if not len(one)}
    assert pictures == set(range(12)) - empty


def test_objects_are_cut_out_exactly_where_masks_are_known(run):
    places = grounds.grounds(run, "mine")
    study = studies.replaced(run, "mine", places, HOW, None)["ordinary"]
    base, objects = study.made.base, as_objects(run.image_set("coco_val"))
    first = int(study.found.before.images[0])
    mask = objects[first].masks[0]
    shown = study.made.read(0, AS_IS)
    assert np.array_equal(shown[mask], base.read(first, AS_IS)[mask])
    assert np.array_equal(shown[~mask], places[0].picture[~mask])


def test_predictions_without_a_mask_are_counted(run):
    images = run.image_set("coco_val")
    objects = list(images.annotations)
    nothing = np.zeros((0, 64, 64), bool)
    far = Foreign(np.zeros((0, 4), np.float32), (), nothing)
    kept = objects[0]
    objects[0] = Objects(64, 64, kept.boxes[:0], kept.classes[:0], masks=nothing, foreign=far)
    images.__dict__["_drawn"] = tuple(
        (picture, one) for (picture, _), one in zip(images._drawn, objects, strict=True)
    )
    found = studies.replaced(run, "mine", grounds.grounds(run, "mine"), HOW, None)
    assert found["ordinary"].left_out == 1
    assert found["adversarial"].left_out == 0
    assert 0 not in found["ordinary"].found.before.images


def test_pictures_without_masks_need_a_detector_that_draws_them(run):
    images = run.image_set("coco_val")
    images.__dict__["_drawn"] = tuple(
        (picture, Objects(64, 64, one.boxes, one.classes)) for picture, one in images._drawn
    )
    with pytest.raises(InputError, match="Name a Mask R-CNN"):
        studies.replaced(run, "mine", grounds.grounds(run, "mine"), HOW, None)


def test_swaps_leave_colours_where_they_are(run):
    found = studies.swapped(run, "mine", HOW, None, repeats=3)["adversarial"]
    assert found.found.after.shape[1] == 3
    assert set(found.controls) == {"layouts_nao/shuffle", "layouts_nao/noise"}
    shuffled, noise = (found.controls[f"layouts_nao/{name}"] for name in ("shuffle", "noise"))
    assert found.found.lost.mean() < 0.35  # boxes shrink where a patch of ground gets in
    assert noise.lost.mean() > 0.9
    assert shuffled.after.shape[1] == studies.CONTROL


def test_fewer_pictures_lie_in_more(run):
    few, more = (
        set(studies.swapped(run, "mine", HOW, many, repeats=1)["ordinary"].found.before.images)
        for many in (3, 6)
    )
    assert len(few) == 3
    assert few < more


def test_a_detector_that_sees_nothing_leaves_nothing_to_study(run):
    nobody = Settings(score=0.99, samples=200)
    places = grounds.grounds(run, "mine")
    for found in (
        studies.replaced(run, "mine", places, nobody, None),
        studies.swapped(run, "mine", nobody, None),
    ):
        assert found["ordinary"].found.after.size == 0
    rows = chapter.numbers.background_rows(
        "mine", studies.replaced(run, "mine", places, nobody, 2), places
    )
    assert {row.metric for row in rows.rows} == {"backgrounds", "threshold"}


def test_attributions_need_a_detector_whose_places_can_be_fixed(run):
    how = ShareSettings(score=0.5, steps=2, most_steps=2, moved=2)
    with pytest.raises(InputError, match="Name another detector"):
        studies.attributed(run, "mine", how, 2)
    found = studies.attributed(run, "talkative", ShareSettings(
        score=0.0, steps=2, most_steps=2, moved=2, tolerance=0.9), 1)  # fmt: skip
    assert list(found) == ["ordinary", "adversarial"]
    assert len(np.unique(found["ordinary"].of.images)) == 1
