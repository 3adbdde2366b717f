"""The three studies on shapes that a detector finds by their colour alone."""

import numpy as np
import pytest
from PIL import Image

from robust_book.chapters import nao_4_attribution as chapter
from robust_book.chapters.nao_4_attribution import examples, studies
from robust_book.chapters.nao_4_attribution.studies import Ground, grounds, in_words, used
from robust_book.page import Page
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.errors import DataError, InputError
from robust_lib.miniworld.ground_set import Grounds
from robust_lib.protocols.attribution.changes import Settings
from robust_lib.protocols.attribution.shares import Settings as ShareSettings
from robust_lib.run.image_kinds import as_objects
from tests.boxed import Saying, boxes_of
from tests.layouts import CLASSES

HOW = Settings(score=0.5, samples=200)
AS_IS = studies._AS_IT_IS


def test_backgrounds_mean_nothing_to_a_detector_that_goes_by_colour(run):
    places = studies.grounds(run, "mine")
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
    places = studies.grounds(run, "mine")
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
    found = studies.replaced(run, "mine", studies.grounds(run, "mine"), HOW, None)
    assert found["ordinary"].left_out == 1
    assert found["adversarial"].left_out == 0
    assert 0 not in found["ordinary"].found.before.images


def test_pictures_without_masks_need_a_detector_that_draws_them(run):
    images = run.image_set("coco_val")
    images.__dict__["_drawn"] = tuple(
        (picture, Objects(64, 64, one.boxes, one.classes)) for picture, one in images._drawn
    )
    with pytest.raises(InputError, match="Use a Mask R-CNN"):
        studies.replaced(run, "mine", studies.grounds(run, "mine"), HOW, None)


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
    places = studies.grounds(run, "mine")
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
    with pytest.raises(InputError, match="Use another detector"):
        studies.attributed(run, "mine", how, 2)
    found = studies.attributed(run, "talkative", ShareSettings(
        score=0.0, steps=2, most_steps=2, moved=2, tolerance=0.9), 1)  # fmt: skip
    assert list(found) == ["ordinary", "adversarial"]
    assert len(np.unique(found["ordinary"].of.images)) == 1


PICTURE = np.zeros((4, 4, 3), np.uint8)


def seeing(run, monkeypatch, scores):
    """Let the run's detector see something in bare pictures, one score a picture."""
    from robust_lib.predict.detect import detect

    told = iter(scores)

    def found(images, networks=None):
        assert images.class_names == CLASSES  # it is asked for its own classes
        answer = lambda image: boxes_of((1.0, 1.0, 20.0, 20.0, 0, next(told)))  # noqa: E731
        one = Saying(answer, classes=images.classes, outputs=len(CLASSES))
        return {"mine": (detect(one, images, batch_size=1),)}

    run.__dict__["detect"] = found


def test_the_first_bare_picture_of_each_place_is_taken(run, monkeypatch):
    run._sets["backgrounds"] = Grounds("bare", 2, 32)
    scores = [0.3, 0.06] + [0.06, 0.3] + [0.9, 0.4] + [0.06] * 6
    seeing(run, monkeypatch, scores)
    found = grounds(run, "mine")
    assert [one.name for one in found][:3] == ["underwater", "beach", "forest"]
    assert [one.passed_over for one in found] == [1, 0, 1, 0, 0, 0]
    assert [one.is_bare for one in found] == [True, True, False, True, True, True]
    assert found[2].surest == pytest.approx(0.4)  # the least of two offenders
    own = run._sets["backgrounds"]
    assert np.array_equal(found[0].picture, own.read(1, studies._AS_IT_IS))
    assert [one.name for one in used(found)] == [one.name for one in found if one.name != "forest"]


def test_what_is_said_of_them():
    sky, sea = Ground("sky", PICTURE, 0.0), Ground("sea", PICTURE, 0.4)
    assert in_words([sky]).startswith("on none of the 1")
    assert "left out is sea" in in_words([sky, sea])
    assert "against the paper's rule" in in_words([sea])
    assert used([sea]) == (sea,)


def test_a_folder_of_ones_own(run, tmp_path):
    for name, colour in (("sky", (90, 150, 250)), ("beach", (230, 200, 150))):
        (tmp_path / "mine" / name).mkdir(parents=True)
        Image.new("RGB", (50, 40), colour).save(tmp_path / "mine" / name / "a.png")
    found = grounds(run, "mine", str(tmp_path / "mine"))
    assert [one.name for one in found] == ["beach", "sky"]
    assert found[1].picture.shape == (40, 50, 3)
    assert tuple(found[1].picture[0, 0]) == (90, 150, 250)


def test_folders_of_other_names_are_refused(run, tmp_path):
    (tmp_path / "mine" / "moonscape").mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(tmp_path / "mine" / "moonscape" / "a.png")
    with pytest.raises(DataError, match="moonscape"):
        grounds(run, "mine", str(tmp_path / "mine"))
    with pytest.raises(DataError, match="folder of images"):
        grounds(run, "mine", str(tmp_path / "nowhere"))
    (tmp_path / "cats" / "tabby").mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(tmp_path / "cats" / "tabby" / "a.png")
    with pytest.raises((InputError, DataError)):
        grounds(run, "mine", str(tmp_path / "cats"))


def test_without_backgrounds_the_study_is_left_out_and_says_so(run):
    data = {role: name for role, name in run.profile.data.items() if role != "backgrounds"}
    for without in (data, data | {"backgrounds": "backgrounds"}):  # no role, or no images
        object.__setattr__(run, "profile", run.profile.model_copy(update={"data": without}))
        places = grounds(run, "mine")
        found = studies.replaced(run, "mine", places, HOW, None)
        assert (places, found) == ((), {})
        rows = chapter.numbers.background_rows("mine", found, places)
        block = str(chapter.replaced(Page(run), rows, found, places, "mine"))
        assert "This study is left out, because there are no images of backgrounds" in block
        assert "There is no prediction to show" in str(
            chapter.gallery(Page(run), "fig-none", examples.changed(found, []), "", "")
        )
        assert "Background" in str(chapter.checked(Page(run), rows, places, found))
