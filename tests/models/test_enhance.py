"""Pictures made easier: noise is found and taken away, contrast evened out, no more."""

import cv2
import numpy as np
import pytest
import torch

from robust_lib.config.enhancements import Wrapper
from robust_lib.errors import InputError
from robust_lib.models.enhance import changed, denoise, equalise, noise_level


@pytest.fixture
def photograph():
    """Return a smooth 8-bit picture with an edge, and no noise."""
    y, x = np.mgrid[:96, :96] / 96
    picture = np.stack([0.2 + 0.3 * x, 0.3 + 0.2 * y, 0.4 + 0.1 * x * y], -1)
    picture[30:60, 40:70] += 0.25
    return (picture * 255).astype(np.uint8)


def noisy(picture, sigma):
    noise = np.random.default_rng(0).normal(0, sigma, picture.shape)
    return np.clip(picture + 255 * noise, 0, 255).round().astype(np.uint8)


def test_equalisation_raises_contrast_and_keeps_colour(photograph):
    flat = (photograph * 0.3 + 80).astype(np.uint8)
    equalised = equalise(flat)
    lightness = [cv2.cvtColor(p, cv2.COLOR_RGB2LAB)[..., 0] for p in (flat, equalised)]
    assert lightness[1].std() > 1.3 * lightness[0].std()
    colours = [cv2.cvtColor(p, cv2.COLOR_RGB2LAB)[..., 1:].astype(int) for p in (flat, equalised)]
    assert np.abs(colours[0] - colours[1]).mean() < 2


@pytest.mark.parametrize("sigma", [0.02, 0.05, 0.1])
def test_noise_level_finds_the_noise(photograph, sigma):
    assert noise_level(noisy(photograph, sigma) / 255) == pytest.approx(sigma, rel=0.1)


def test_noise_level_of_a_clean_picture_is_nearly_nothing(photograph):
    assert noise_level(photograph / 255) < 0.003
    shaded = np.linspace(0, 1, 64)[:, None, None] + np.linspace(0, 1, 64)[None, :, None]
    assert noise_level(shaded / 2) == pytest.approx(0, abs=1e-9)


def test_denoising_removes_noise_and_leaves_clean_pictures_alone(photograph):
    for sigma in (0.05, 0.1):
        before = noisy(photograph, sigma)
        errors = [
            np.sqrt(np.mean((p.astype(float) - photograph) ** 2)) for p in (before, denoise(before))
        ]
        assert errors[1] < 0.6 * errors[0]
    assert np.abs(denoise(photograph).astype(int) - photograph).max() <= 2
    blank = np.full((32, 32, 3), 128, np.uint8)
    assert np.array_equal(denoise(blank), blank)


def test_the_more_noise_the_more_is_taken_away(photograph):
    moved = [
        np.abs(denoise(noisy(photograph, sigma)).astype(int) - noisy(photograph, sigma)).mean()
        for sigma in (0.02, 0.05, 0.1)
    ]
    assert moved[0] < moved[1] < moved[2]
    wide = [denoise(noisy(photograph, 0.05), distance=distance) for distance in (3, 6)]
    assert not np.array_equal(*wide)


@pytest.mark.parametrize(
    ("wrapper", "change"),
    [
        (Wrapper(name="clahe", arguments={"tiles": 4}), lambda picture: equalise(picture, tiles=4)),
        (
            Wrapper(name="nlm_denoise", arguments={"strength": 0.5, "distance": 3}),
            lambda picture: denoise(picture, 0.5, distance=3),
        ),
    ],
    ids=["clahe", "nlm_denoise"],
)
def test_images_are_changed_one_by_one_as_8_bit_pictures(photograph, wrapper, change):
    pictures = [noisy(photograph, sigma) for sigma in (0.0, 0.05)]
    images = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float() / 255
    found = changed(images, wrapper)
    for image, picture in zip(found, pictures, strict=True):
        expected = torch.from_numpy(change(picture)).permute(2, 0, 1).float() / 255
        assert torch.equal(image, expected)


def test_what_changes_no_picture_and_settings_that_there_are_not_are_refused():
    images = torch.rand(1, 3, 32, 32)
    with pytest.raises(InputError, match="clahe, nlm_denoise, but got ten_crop"):
        changed(images, Wrapper(name="ten_crop"))
    with pytest.raises(InputError, match=r"settings.*clahe.*\{'strength': 1\.0\}"):
        changed(images, Wrapper(name="clahe", arguments={"strength": 1.0}))
