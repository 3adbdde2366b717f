"""What is drawn ahead: the profile's own pictures and parts of them, no others."""

import numpy as np
import pytest
from PIL import Image

from robust_book.commands.draw import AS_THEY_ARE, drawn, is_drawn
from robust_book.figures import contact_sheets
from robust_lib.errors import InputError
from robust_lib.miniworld.layout_grounds import KINDS
from robust_lib.run.chapter import Chapter
from robust_lib.run.start import start
from tests import tiny


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.project(tmp_path_factory.mktemp("draw"))


@pytest.fixture
def run(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return start(Chapter("draw"), "tiny")


def test_scenes_icons_and_parts_of_them_are_drawn_and_nothing_else():
    assert all(map(is_drawn, ("scenes_val", "scenes_val_a", "icons50_open", "scenes_textures")))
    assert all(map(is_drawn, ("clips_val", "clips_train_large")))
    assert not any(map(is_drawn, ("imagenet_val", "scenes_a_filtered", "folder:/somewhere")))


def test_a_role_is_drawn_with_its_contact_sheets(run):
    assert list(drawn(run, ["imagenet_val"])) == ["imagenet_val: 24 images."]
    sheets = sorted(path.name for path in (run.folder / "figures").iterdir())
    assert sheets
    before = tiny.files(run.folder)
    assert list(drawn(run, ["imagenet_val"])) == ["imagenet_val: 24 images."]
    assert tiny.files(run.folder) == before


def test_the_pool_of_photographs_is_drawn_with_a_contact_sheet(run):
    assert list(drawn(run, ["openimages"])) == ["openimages: 200 images."]
    sheet = np.asarray(Image.open(run.folder / "figures" / "contact-sheet-photographs.png"))
    assert sheet.shape == (32 * len(KINDS), 32 * contact_sheets.PHOTOGRAPHS, 3)
    pool = run.image_set("openimages")
    first = sheet[32 * list(KINDS).index(pool.truth(0).ground) :][:32, :32]
    assert np.array_equal(first, pool.read(0, AS_THEY_ARE))


def test_an_unknown_role_is_refused_before_anything_is_drawn(run):
    with pytest.raises(InputError, match="a role to be one of"):
        next(drawn(run, ["textures", "paintings"]))
