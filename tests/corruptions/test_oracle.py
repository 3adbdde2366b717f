"""Ours against the slow oracle, given the same draws: the same 8-bit values."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import COMMON, EXTRA, SEVERITIES, truncate, weather
from robust_lib.corruptions.draws import Stream
from robust_lib.corruptions.frost_textures import textures
from robust_lib.corruptions.table import CORRUPTIONS

SHARE = 0.999  # of the values must be equal, for each corruption and severity
APART = 1  # level at most


def plane(field):
    return field.double().numpy()


def colours(field):
    return plane(field).transpose(1, 2, 0)


def embedded(crop):
    """The drawn middle of a noise layer inside a layer of NaN: the rest must not matter."""
    layer = np.full((224, 224), np.nan)
    top = (224 - len(crop)) // 2
    layer[top : top + len(crop), top : top + len(crop)] = crop
    return layer


def walk(offsets):
    return offsets.permute(1, 2, 3, 0).numpy()


# How one image's draws become the oracle's arguments.
TRANSLATE = {
    "gaussian_noise": lambda normals: [colours(normals)],
    "speckle_noise": lambda normals: [colours(normals)],
    "shot_noise": lambda counts: [colours(counts)],
    "glass_blur": lambda offsets: [walk(offsets)],
    "motion_blur": lambda angle: [float(angle)],
    "snow": lambda normals, angle: [embedded(plane(normals)), float(angle)],
    "fog": lambda wobbles: [plane(wobbles)],
    "elastic_transform": lambda jitter, fields: [plane(jitter), *plane(fields)],
    "spatter": lambda normals: [plane(normals)],
}


def drawn(images, name, severity, **more):
    stream = Stream(tuple((0, i, name, severity) for i in range(len(images))), images.device)
    return CORRUPTIONS[name].draw(stream, images, severity, **more)


def agreement(ours, theirs):
    apart = np.abs(truncate(ours).permute(0, 2, 3, 1).numpy().astype(int) - np.stack(theirs))
    return (apart == 0).mean(), apart.max()


def check(ours, theirs):
    equal, most = agreement(ours, theirs)
    assert equal >= SHARE
    assert most <= APART


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize(
    "name", [name for name in COMMON + EXTRA if name not in ("frost", "impulse_noise")]
)
def test_same_levels(name, severity, images, pictures, oracle):
    if name == "glass_blur":  # the oracle walks pixel by pixel
        images, pictures = images[:2], pictures[:2]
    draws = drawn(images, name, severity)
    translate = TRANSLATE.get(name, lambda: [])
    theirs = [
        getattr(oracle, name)(picture, severity, *translate(*one))
        for picture, *one in zip(pictures, *draws, strict=True)
    ]
    check(CORRUPTIONS[name].apply(images, severity, *draws), theirs)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_same_impulses(severity, images, pictures, oracle):
    rng = np.random.default_rng(severity)
    flip, salt = rng.random((2, *pictures.shape))
    share = [0.03, 0.06, 0.09, 0.17, 0.27][severity - 1]
    # Ours uses one number for both choices: below half the share salt, below the share pepper.
    chances = np.where(flip <= share, np.where(salt <= 0.5, share / 4, share * 3 / 4), 1.0)
    ours = CORRUPTIONS["impulse_noise"].apply(
        images, severity, torch.from_numpy(chances.transpose(0, 3, 1, 2)).float()
    )
    theirs = [
        oracle.impulse_noise(picture, severity, *one)
        for picture, *one in zip(pictures, flip, salt, strict=True)
    ]
    check(ours, theirs)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_same_frost(severity, images, pictures, oracle, frost_folder):
    look = textures(frost_folder)
    draws = drawn(images, "frost", severity, look=look)
    theirs = [
        oracle.frost(picture, severity, look.pictures[index], top, left)
        for picture, index, top, left in zip(
            pictures, *(draw.tolist() for draw in draws), strict=True
        )
    ]
    check(weather.frost(images, severity, *draws, look=look), theirs)
