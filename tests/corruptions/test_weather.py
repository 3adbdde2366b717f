"""Weather: snow, frost, fog and brightness as the benchmark makes them, slips included."""

import colorsys

import numpy as np
import pytest
import torch

from robust_lib.corruptions import corrupt, frost_textures, weather, zoom
from robust_lib.corruptions.frost_textures import textures
from robust_lib.vocabulary import SEVERITIES
from tests.corruptions.streams import stream

CPU = torch.device("cpu")


def test_frost_never_draws_the_sixth_texture_and_two_are_equal(frost_folder):
    index, _, _ = weather.draw_frost(stream(500), torch.zeros(500, 3, 32, 32), 1)
    assert sorted(index.unique().tolist()) == [0, 1, 2, 3, 4]
    for look in (textures(frost_folder), textures(frost_folder / "nowhere")):
        assert len(look.pictures) == 6
        assert np.array_equal(look.pictures[1], look.pictures[2])
        assert len({picture.tobytes() for picture in look.pictures}) == 5


def test_frost_never_reaches_the_last_place(frost_folder):
    # The upper bound is excluded here, too: a crop never touches the picture's far edges.
    look = textures(frost_folder)
    images = torch.zeros(20_000, 1, 1, 1).expand(-1, 3, 200, 480)
    index, top, left = weather.draw_frost(stream(len(images)), images, 1, look)
    for i, picture in enumerate(look.pictures[: weather.FROST_DRAWN]):
        size = frost_textures.fitted(look, i, 200, 480, CPU).shape
        chosen = index == i
        assert int(top[chosen].max()) < size[1] - 200
        assert int(left[chosen].max()) < size[2] - 480
        assert picture.shape == look.pictures[i].shape


def test_snow_falls_twice_once_upside_down():
    black = torch.zeros(1, 3, 224, 224)
    after = corrupt(black, "snow", 1, keys=[0])
    assert torch.allclose(after, after.flip((-2, -1)))
    assert len(after.unique()) > 50


def test_fog_keeps_the_brightest_possible_value():
    half = torch.full((1, 3, 224, 224), 0.5)
    after = corrupt(half, "fog", 1, keys=["a"])
    # 0.5 + 1.5 * plasma, times 0.5 / 2: between 0.125 and 0.5.
    assert 0.125 <= float(after.min()) < 0.2
    assert 0.4 < float(after.max()) <= 0.5


def test_flakes_are_truncated_to_8_bits():
    picture = torch.zeros(1, 3, 224, 224)
    (normals, _) = weather.draw_snow(stream(), picture, 3)
    flakes = weather.snow_flakes(normals, 3, 224, 224)
    assert torch.equal(flakes, flakes.floor())
    mean, spread, factor, threshold, *_ = weather.SNOW[2]
    layer = zoom.enlarge((normals.double() * spread + mean)[:, None], factor, 224, 224)[:, 0]
    lost = layer.where(layer >= threshold, 0).clamp(0, 1) * 255 - flakes
    assert 0 <= lost.min() <= lost.max() < 1  # not rounded


def test_snow_without_flakes_only_whitens():
    grey = torch.full((1, 3, 64, 64), 0.5)
    dry = torch.full((1, 22, 22), -10.0)
    after = weather.snow(grey, 1, dry, torch.tensor([-100.0]))
    # 0.8 of the picture, and 0.2 of 1.5 times its grey plus a half.
    assert torch.allclose(after, torch.tensor(0.8 * 0.5 + 0.2 * (1.5 * 0.5 + 0.5)))


@pytest.mark.parametrize("severity", SEVERITIES)
def test_brightness_raises_the_value_that_colorsys_finds(severity):
    images = torch.rand(1, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    after = weather.brightness(images, severity)
    for before, found in zip(images[0].flatten(1).T, after[0].flatten(1).T, strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*before.tolist())
        raised = colorsys.hsv_to_rgb(hue, saturation, min(1, value + severity / 10))
        assert found.tolist() == pytest.approx(raised, abs=1e-5)
