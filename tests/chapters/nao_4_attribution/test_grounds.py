"""Backgrounds: the first picture of a place in which the detector sees nothing."""

import numpy as np
import pytest
from PIL import Image

from robust_book.chapters import nao_4_attribution as chapter
from robust_book.chapters.nao_4_attribution.grounds import Ground, grounds, in_words, used
from robust_lib.errors import DataError, InputError
from robust_lib.miniworld.ground_set import Grounds
from tests.boxed import Saying, boxes_of
from tests.chapters.pages import page as page_of
from tests.layouts import CLASSES

PICTURE = np.zeros((4, 4, 3), np.uint8)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter).run


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
    assert np.array_equal(found[0].picture, own.read(1, chapter.bare._AS_IT_IS))
    assert [one.name for one in used(found)] == [one.name for one in found if one.name != "forest"]


def test_what_is_said_of_them():
    sky, sea = Ground("sky", PICTURE, 0.0), Ground("sea", PICTURE, 0.4)
    assert in_words([sky]).startswith("in none of the 1")
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
    with pytest.raises(DataError, match="folder of pictures"):
        grounds(run, "mine", str(tmp_path / "nowhere"))
    (tmp_path / "cats" / "tabby").mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(tmp_path / "cats" / "tabby" / "a.png")
    with pytest.raises((InputError, DataError)):
        grounds(run, "mine", str(tmp_path / "cats"))


def test_a_profile_without_backgrounds_is_told(run):
    data = {role: name for role, name in run.profile.data.items() if role != "backgrounds"}
    object.__setattr__(run, "profile", run.profile.model_copy(update={"data": data}))
    with pytest.raises(InputError, match="Name a folder"):
        grounds(run, "mine")
