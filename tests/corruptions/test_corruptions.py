"""The contract of corrupt(): shapes, keys, errors."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest
import torch

from robust_lib.corruptions import convention, corrupt, is_canonical
from robust_lib.corruptions.levels import truncate
from robust_lib.corruptions.table import CORRUPTIONS
from robust_lib.errors import InputError
from robust_lib.vocabulary import CATEGORIES, NAMES, OWN, SEVERITIES

DETERMINISTIC = {
    "defocus_blur",
    "zoom_blur",
    "brightness",
    "contrast",
    "pixelate",
    "jpeg_compression",
    "gaussian_blur",
    "saturate",
}
KEYS = ["n01/a.png", "n01/b.png", 7, "7"]


@pytest.fixture(scope="module")
def small(images):
    """Four pictures of 64 px."""
    return torch.nn.functional.interpolate(images[:4], (64, 64), mode="area")


def test_names():
    assert [name for names in CATEGORIES.values() for name in names] == list(NAMES)
    published = set(NAMES) - set(OWN)
    assert {name for name in published if not CORRUPTIONS[name].random} == DETERMINISTIC


@pytest.mark.parametrize("name", NAMES)
def test_every_corruption_returns_other_pictures_of_the_same_kind(name, small):
    before = small.clone()
    for severity in SEVERITIES:
        after = corrupt(small, name, severity, keys=KEYS)
        assert after.shape == small.shape
        assert after.dtype == torch.float32
        assert after.is_contiguous()
        assert after.min() >= 0
        assert after.max() <= 1
        apart = (after - small).abs().amax((1, 2, 3))
        assert (apart > 0.02).all()
    assert torch.equal(small, before)  # the input is not written to


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(32, 32), (48, 70), (97, 33), (300, 260)])
def test_any_size_from_32_pixels(name, size, images):
    batch = torch.nn.functional.interpolate(images[:2], size, mode="area")
    for severity in (1, 5):
        after = corrupt(batch, name, severity, keys=[0, 1])
        assert after.shape == batch.shape
        assert torch.isfinite(after).all()
        assert not torch.equal(after, batch)


@pytest.mark.parametrize("name", NAMES)
def test_an_image_depends_on_its_key_alone(name, images):
    batch = torch.nn.functional.interpolate(images, (64, 64), mode="area").repeat(6, 1, 1, 1)
    keys = [f"image {i}" for i in range(len(batch))]
    together = corrupt(batch, name, 4, keys=keys)
    order = list(range(len(batch)))[::-2]
    others = corrupt(batch[order], name, 4, keys=[keys[i] for i in order])
    assert torch.equal(others, together[order])
    alone = corrupt(batch[50:51], name, 4, keys=keys[50:51])
    assert torch.equal(alone, together[50:51])
    if CORRUPTIONS[name].random:  # the same picture under another key, and under another seed
        assert not torch.equal(together[0], together[9])
        assert not torch.equal(corrupt(batch[:1], name, 4, keys=keys[:1], seed=1), together[:1])


def test_severities_draw_independently(small):
    grey = torch.full_like(small, 0.5)
    first, second = (corrupt(grey, "gaussian_noise", s, keys=KEYS) - 0.5 for s in (1, 2))
    assert abs(np.corrcoef(first.flatten(), second.flatten())[0, 1]) < 0.02


def test_whole_numbers_of_any_kind_are_the_same_key(small):
    plain = corrupt(small, "fog", 1, keys=[1, 2, 3, 4])
    assert torch.equal(corrupt(small, "fog", 1, keys=list(np.arange(1, 5))), plain)
    texts = corrupt(small, "fog", 1, keys=["1", "2", "3", "4"])
    assert not torch.equal(texts, plain)


SCRIPT = """
import hashlib, torch
from robust_lib.corruptions import corrupt
from robust_lib.corruptions.levels import truncate
images = torch.linspace(0, 1, 2 * 3 * 48 * 48).view(2, 3, 48, 48)
for name in ("gaussian_noise", "shot_noise", "glass_blur", "snow", "elastic_transform"):
    levels = truncate(corrupt(images, name, 3, keys=["a", 2], seed=5))
    print(hashlib.sha256(levels.numpy().tobytes()).hexdigest())
"""


def test_another_process_gives_the_same_pixels():
    there = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    ).stdout.split()
    images = torch.linspace(0, 1, 2 * 3 * 48 * 48).view(2, 3, 48, 48)
    here = [
        hashlib.sha256(
            truncate(corrupt(images, name, 3, keys=["a", 2], seed=5)).numpy().tobytes()
        ).hexdigest()
        for name in ("gaussian_noise", "shot_noise", "glass_blur", "snow", "elastic_transform")
    ]
    assert here == there


def test_strides_do_not_matter(small):
    turned = small.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
    for name in ("motion_blur", "pixelate", "glass_blur", "contrast"):
        straight = corrupt(small, name, 2, keys=KEYS)
        assert torch.equal(corrupt(turned, name, 2, keys=KEYS), straight)


def test_no_images():
    assert corrupt(torch.zeros(0, 3, 64, 64), "snow", 1, keys=[]).shape == (0, 3, 64, 64)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "gausian_noise"}, "gaussian_noise, shot_noise"),
        ({"severity": 0}, "severity to be one of 1, 2, 3, 4, 5, but got 0"),
        ({"severity": 6}, "but got 6"),
        ({"severity": True}, "but got True"),
        ({"keys": ["a"]}, "one key for each of the 2 images, but got 1"),
        ({"keys": "ab"}, "one string"),
        ({"images": torch.zeros(2, 3, 64, 64, dtype=torch.uint8)}, "float32.*images.float.. / 255"),
        ({"images": torch.zeros(2, 3, 64, 64, dtype=torch.float64)}, "but got torch.float64"),
        ({"images": torch.zeros(2, 1, 64, 64)}, "Repeat a grey channel"),
        ({"images": torch.zeros(2, 64, 64, 3)}, "move a last colour axis"),
        ({"images": torch.zeros(3, 64, 64)}, "shape .n, 3, height, width."),
        ({"images": torch.zeros(2, 3, 64, 31)}, "at least 32 px"),
        ({"images": torch.full((2, 3, 64, 64), 1.01)}, "values from 1.01 to 1.01"),
        ({"images": torch.full((2, 3, 64, 64), -0.1)}, "before any normalisation"),
        ({"images": torch.full((2, 3, 64, 64), torch.nan)}, "nan"),
    ],
)
def test_errors_say_what_was_expected(change, words):
    call = {"images": torch.zeros(2, 3, 64, 64), "name": "fog", "severity": 1, "keys": ["a", "b"]}
    call |= change
    with pytest.raises(InputError, match=words):
        corrupt(call["images"], call["name"], call["severity"], keys=call["keys"])


def test_other_keys_are_refused():
    with pytest.raises(InputError, match=r"text or a whole number, but got True"):
        corrupt(torch.zeros(1, 3, 64, 64), "fog", 1, keys=[True])


def test_conventions_name_what_is_not_the_benchmarks(monkeypatch, tmp_path, frost_folder):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    assert not is_canonical("frost")
    assert "not canonical" in convention("frost")
    (tmp_path / "frost_textures").symlink_to(frost_folder)
    assert is_canonical("frost")
    assert convention("frost") == "as published"
    assert all(is_canonical(name) for name in NAMES)
    assert "ImageMagick" in convention("motion_blur")
    with pytest.raises(InputError, match="but got fogg"):
        convention("fogg")
