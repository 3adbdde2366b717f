"""What defines the benchmark although it looks like a slip: each test fails if someone mends it."""

import io

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.corruptions import (
    blur,
    corrupt,
    draws,
    elastic,
    filters,
    frost_textures,
    motion,
    noise,
    pixelate,
    plasma,
    spatter,
    weather,
    zoom,
)
from robust_lib.corruptions.frost_textures import textures
from robust_lib.corruptions.jpeg import as_stored
from robust_lib.corruptions.levels import truncate

CPU = torch.device("cpu")


def stream(count=1, name="quirk"):
    return draws.Stream(tuple((0, i, name) for i in range(count)), CPU)


def walked(offsets, margin):
    """The walk as the benchmark makes it, on pixel numbers."""
    _, rounds, height, width = offsets.shape
    place = np.arange(height * width).reshape(height, width)
    for i in range(rounds):
        for h in range(height - margin, margin, -1):
            for w in range(width - margin, margin, -1):
                dx, dy = offsets[:, i, h, w]
                place[h, w] = place[h + dy, w + dx]
    return place


@pytest.mark.parametrize("reach", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(33, 47), (64, 40)])
def test_glass_chains_are_the_walk(reach, size):
    offsets = draws.integer_pairs(stream(3), "walk", -reach, reach, 3, *size)
    ours = blur.copied_from(offsets, reach)
    for one, theirs in zip(ours, offsets, strict=True):
        assert np.array_equal(one, walked(theirs.numpy(), reach))


def test_glass_copies_and_does_not_swap():
    images = torch.zeros(1, 3, 224, 224)
    for severity, (_, reach, _) in enumerate(blur.GLASS, start=1):
        (offsets,) = blur.draw_glass(stream(), images, severity)
        distinct = blur.copied_from(offsets, reach).unique().numel()
        assert distinct < 0.75 * 224 * 224  # a swap would keep all pixels


def test_glass_offsets_leave_out_the_upper_bound():
    for severity, (_, reach, rounds) in enumerate(blur.GLASS, start=1):
        (offsets,) = blur.draw_glass(stream(), torch.zeros(1, 3, 224, 224), severity)
        assert offsets.shape == (1, 2, rounds, 224, 224)
        assert offsets.min() == -reach
        assert offsets.max() == reach - 1
        assert offsets.double().mean() == pytest.approx(-0.5, abs=0.02)


def test_glass_truncates_after_the_first_smoothing():
    # Columns of 100 and 101 smooth to about 100.5: all of them fall to 100.
    stripes = (100 + torch.arange(224) % 2).expand(1, 3, 224, 224) / 255
    after = corrupt(stripes, "glass_blur", 1, keys=[0])[..., 8:-8, 8:-8] * 255
    assert float(after.max()) < 100.01


def test_zoom_lists_and_divisor():
    assert [len(blur.zoom_factors(severity)) for severity in range(1, 6)] == [12, 16, 11, 13, 11]
    assert blur.zoom_factors(1)[-1] == pytest.approx(1.11)  # the end point that should be out
    # A corner pixel is cropped away by every zoom but 1, which comes on top of the original.
    corner = torch.zeros(1, 3, 224, 224)
    corner[..., 0, 0] = 1
    for severity, count in enumerate([12, 16, 11, 13, 11], start=1):
        assert float(blur.zoom_blur(corner, severity)[0, 0, 0, 0]) == pytest.approx(2 / (count + 1))


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


def test_elastic_uses_244():
    constants = [[244 * share for share in shares] for shares in elastic.ELASTIC]
    assert elastic.SIDE == 244
    expected = [
        (488, 170.8, 24.4),
        (488, 19.52, 48.8),
        (12.2, 2.44, 4.88),
        (17.08, 2.44, 4.88),
        (29.28, 2.44, 4.88),
    ]
    assert np.allclose(constants, expected)
    # Severity 2 is harder than 3: long waves against fine ones.
    fields = draws.uniform(stream(), "fields", 2, 224, 224) * 2 - 1
    moved = [elastic.displacements(fields, severity).abs().mean() for severity in (2, 3)]
    assert moved[0] > 2 * moved[1]


def test_defocus_brightens_at_severities_4_and_5():
    sums = [float(filters.disk(*pair).sum(dtype=np.float64)) for pair in blur.DEFOCUS]
    assert sums[:3] == pytest.approx([1, 1, 1], abs=1e-6)
    assert sums[3:] == pytest.approx([1.012975, 1.010786], abs=1e-6)
    # And darkens by one level where the mean is a whole level and the weights fall short of 1.
    even = torch.full((1, 3, 64, 224), 100 / 255)
    even = torch.nn.functional.pad(even, (0, 0, 80, 80), value=100 / 255)
    assert truncate(blur.defocus_blur(even, 1)).unique().tolist() == [99]
    assert truncate(blur.defocus_blur(even, 4)).unique().tolist() == [101]


def test_motion_is_one_sided_and_horizontal_at_angle_0():
    weights = motion.taps(10.0, 3.0)
    assert len(weights) == 21
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(weights) < 0).all()
    steps = motion.offsets(torch.tensor([0.0, 90.0]), 21)
    assert steps[0].tolist() == [[i, 0] for i in range(21)]
    assert steps[1].tolist() == [[0, i] for i in range(21)]
    dot = torch.zeros(1, 3, 64, 64)
    dot[..., 32, 32] = 1
    streak = motion.blur(dot, torch.tensor([0.0]), 10.0, 3.0)[0, 0]
    assert streak[32, 12:33].numpy() == pytest.approx(weights[::-1], abs=1e-7)
    assert float(streak.sum()) == pytest.approx(1)


def test_motion_blur_and_snow_pass_through_8_bits():
    ramp = torch.linspace(0, 1, 224).expand(1, 3, 224, 224)
    levels = corrupt(ramp, "motion_blur", 3, keys=[0]).double() * 255
    assert (levels - levels.round()).abs().max() < 1e-4
    assert (truncate(ramp) / 255 - ramp).abs().max() > 0.5 / 255  # the picture itself had none
    (normals, _) = weather.draw_snow(stream(), ramp, 3)
    flakes = weather.snow_flakes(normals, 3, 224, 224)
    assert torch.equal(flakes, flakes.floor())
    mean, spread, factor, threshold, *_ = weather.SNOW[2]
    layer = zoom.enlarge((normals.double() * spread + mean)[:, None], factor, 224, 224)[:, 0]
    lost = layer.where(layer >= threshold, 0).clamp(0, 1) * 255 - flakes
    assert 0 <= lost.min() <= lost.max() < 1  # truncated, not rounded


def test_snow_falls_twice_once_upside_down():
    black = torch.zeros(1, 3, 224, 224)
    after = corrupt(black, "snow", 1, keys=[0])
    assert torch.allclose(after, after.flip((-2, -1)))
    assert len(after.unique()) > 50


def test_pixelate_enlarges_in_boxes(pictures, images):
    small = Image.fromarray(pictures[0]).resize((134, 134), Image.Resampling.BOX)
    boxes, nearest, smooth = (
        np.asarray(small.resize((224, 224), way))
        for way in (Image.Resampling.BOX, Image.Resampling.NEAREST, Image.Resampling.BICUBIC)
    )
    ours = truncate(pixelate.pixelate(images[:1], 1))[0].permute(1, 2, 0).numpy()
    assert np.array_equal(ours, boxes)
    assert np.array_equal(boxes, nearest)
    assert np.abs(smooth.astype(int) - boxes).mean() > 1


def test_pixelate_cuts_the_side_down_to_whole_pixels():
    ramp = torch.linspace(0, 1, 224).view(1, 1, 1, 224).expand(1, 3, 224, 224).contiguous()
    for severity, few in enumerate((134, 112, 89, 67, 56), start=1):
        row = pixelate.pixelate(ramp, severity)[0, 0, 0]
        assert len(row.unique_consecutive()) == few


def test_the_archive_is_jpeg_of_quality_85_with_halved_colours(images, pictures):
    stored = as_stored(images[:2] * 0.999)
    for one, picture in zip(stored, truncate(images[:2] * 0.999), strict=True):
        file = io.BytesIO()
        levels = picture.permute(1, 2, 0).numpy()
        Image.fromarray(levels).save(file, "JPEG", quality=85, optimize=True)
        assert np.array_equal(truncate(one[None])[0].permute(1, 2, 0), np.asarray(Image.open(file)))


def test_impulses_hit_channels_independently_half_of_them_white():
    grey = torch.full((4, 3, 224, 224), 0.5)
    for severity, share in enumerate(noise.IMPULSE_SHARE, start=1):
        after = corrupt(grey, "impulse_noise", severity, keys=range(4))
        error = np.sqrt(share / after.numel())
        assert float((after == 1).double().mean()) == pytest.approx(share / 2, abs=5 * error)
        assert float((after == 0).double().mean()) == pytest.approx(share / 2, abs=5 * error)
        struck = (after != 0.5).double()
        both = float((struck[:, 0] * struck[:, 1]).mean())
        assert both == pytest.approx(share**2, abs=5 * share / np.sqrt(4 * 224 * 224))


def test_fog_keeps_the_brightest_possible_value():
    half = torch.full((1, 3, 224, 224), 0.5)
    after = corrupt(half, "fog", 1, keys=["a"])
    # 0.5 + 1.5 * plasma, times 0.5 / 2: between 0.125 and 0.5.
    assert 0.125 <= float(after.min()) < 0.2
    assert 0.4 < float(after.max()) <= 0.5


def test_gaussian_blur_darkens_some_areas_of_one_colour():
    # The weights sum to one but for the last bit, and what falls short is truncated.
    for severity, level in ((1, 91), (2, 107), (3, 121), (5, 187)):
        even = torch.full((1, 3, 64, 64), level / 255)
        even = torch.nn.functional.pad(even, (80, 80, 80, 80), value=level / 255)
        assert truncate(blur.gaussian_blur(even, severity)).unique().tolist() == [level - 1]
        assert truncate(blur.gaussian_blur(even + 1 / 255, severity)).unique() == level + 1


def test_fog_multiplies_by_its_amplitude_twice():
    wobbles = torch.zeros(1, 4, 4)
    wobbles[0, 2, 2], wobbles[0, 1, 1] = 1, 0.1  # the coarsest point, and one of the next grid
    for decay in (2.0, 1.5):
        heights = plasma.fractal(wobbles, decay)[0]
        # But for its own wobble, (1, 1) stands between the same heights as (1, 3).
        assert float(heights[1, 1] - heights[1, 3]) == pytest.approx(0.1 / decay**2, rel=1e-5)


def test_storing_truncates():
    almost = torch.full((1, 3, 32, 32), 99.99 / 255)
    assert truncate(almost).unique().tolist() == [99]
    levels = (torch.arange(256) / 255).view(1, 1, 16, 16).expand(1, 3, 16, 16)
    assert truncate(levels).flatten().tolist() == list(range(256)) * 3


def test_mud_and_rain():
    grey = torch.full((2, 3, 224, 224), 0.5)
    for severity in range(1, 6):
        added = corrupt(grey, "spatter", severity, keys=[0, 1]) - grey
        wet = added.abs().amax(1) > 0
        assert 0.005 < wet.double().mean() < 0.6
        red, green, blue = added[:, 0][wet], added[:, 1][wet], added[:, 2][wet]
        if severity < spatter.FIRST_MUD:
            assert (green >= red).all()
            assert torch.allclose(green, blue)
            assert (added >= 0).all()
        else:
            assert (blue < green).all()
            assert (added <= 0).all()
