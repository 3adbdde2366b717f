"""Which pictures pages may show, and that a page of the real data has none that it may not."""

import base64
import io
import json
import re

import numpy as np
import pytest
from PIL import Image

from robust_book.chapters import inc_1_corruptions, inc_2_mce
from robust_book.chapters.inc_1_corruptions import showcase
from robust_book.page import Page
from robust_lib.config import withheld as shown
from robust_lib.config.manifests import dataset_names, digest, load_dataset
from robust_lib.config.profiles import load_profile
from robust_lib.run.start import start
from tests import tiny, trees


def test_all_that_says_it_may_not_be_passed_on_is_withheld():
    forbidden = ("may not be passed on", "ImageNet's terms", "stay under its terms", "that of imag")
    told = {name for name in dataset_names() for word in forbidden if word in licence(name)}
    assert {name for name in dataset_names() if shown.is_withheld(name)} >= told
    assert {"imagenet_val", "imagenet_100", "imagenet_a", "imagenet_o", "imagenet_c"} <= told


def licence(name):
    return " ".join(str(load_dataset(name).licence).split())


@pytest.mark.parametrize("profile", ["mini", "smoke", "gpu"])
def test_nothing_that_the_miniature_shows_is_withheld(profile):
    chosen = load_profile(profile)
    assert shown.restricted(chosen, chosen.data) == ()


def test_what_is_withheld_decides_no_prediction():
    manifest = load_dataset("imagenet_c")
    keys = ("withheld", "even", "side", "members_of")
    plain = manifest.model_copy(update=dict.fromkeys(keys))
    assert digest(plain) == digest(manifest)
    assert manifest.model_dump().keys().isdisjoint(keys)


def test_a_users_own_pictures_are_theirs_to_show():
    assert not shown.is_withheld("folder:holiday/pictures")


@pytest.fixture
def real(tmp_path, monkeypatch):
    """Four validation images in the real layout, one of each class, all in warning colours."""
    folder = tiny.real_layouts(tmp_path)
    for number, wnid in enumerate(trees.WNIDS, start=1):
        path = folder / f"data/imagenet_val/val/{wnid}/ILSVRC2012_val_{number:08d}.JPEG"
        path.parent.mkdir(parents=True)
        Image.new("RGB", (300, 260), (250, 20, 200)).save(path, quality=95)
    monkeypatch.delenv(shown.WITH_PICTURES, raising=False)
    return tiny.enter(folder, monkeypatch)


def images_page():
    run = start(inc_2_mce.CHAPTER, "full", models=["squeezenet1_1"], device="cpu", limit=4)
    page = Page(run)
    return page, str(inc_2_mce.images(page))


def pixels(markup):
    """The colours of all pictures that a block embeds."""
    found = re.findall(r"data:image/\w+;base64,([A-Za-z0-9+/=\s]+)", markup)
    assert found
    decoded = [Image.open(io.BytesIO(base64.b64decode(one))).convert("RGB") for one in found]
    return np.concatenate([np.asarray(one).reshape(-1, 3) for one in decoded])


def is_shown(markup):
    colours = pixels(markup).astype(int)
    return bool((colours[:, 0] - colours[:, 1] > 100).any())


def test_pictures_of_imagenet_are_grey_on_a_page(real):
    page, markup = images_page()
    assert not is_shown(markup)
    assert "images that may not be redistributed are grey" in str(page._figures)
    page.save()
    results = page.run.folder
    (record,) = (json.loads(one.read_text()) for one in (results / "results").glob("*.json"))
    assert record["pictures"] == "withheld"
    for file in (results / "figures").glob("*.png"):
        colours = np.asarray(Image.open(file).convert("RGB")).reshape(-1, 3).astype(int)
        assert not (colours[:, 0] - colours[:, 1] > 100).any()


def test_whoever_asks_sees_them(real, monkeypatch):
    monkeypatch.setenv(shown.WITH_PICTURES, "1")
    page, markup = images_page()
    assert is_shown(markup)
    page.save()
    (record,) = (page.run.folder / "results").glob("*.json")
    assert json.loads(record.read_text())["pictures"] == "shown"


def test_picture_files_are_grey_and_the_showcase_has_photographs_alone(real, monkeypatch):
    run = start(inc_1_corruptions.CHAPTER, "full")
    assert set(showcase.samples(run, 2)) == set(showcase.PHOTOGRAPHS)
    assert run.image_sets_used == {}
    page = Page(run)
    loud = np.full((32, 32, 3), (250, 20, 200), np.uint8)

    def written():
        (name,) = page.pictures({"one.webp": loud})
        page.save()
        return np.asarray(Image.open(run.folder / "figures" / name).convert("RGB")).astype(int)

    assert (written()[..., 0] - written()[..., 1] > 100).all()  # no restricted set was looked at
    run.image_set("imagenet_val")
    assert (written()[..., 0] - written()[..., 1] < 10).all()
    monkeypatch.setenv(shown.WITH_PICTURES, "1")
    assert len(showcase.samples(run, 2)) == len(showcase.PHOTOGRAPHS) + 2
