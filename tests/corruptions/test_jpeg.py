"""JPEG round trips: Pillow's pixels."""

import io

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.corruptions import jpeg, jpeg_arithmetic
from robust_lib.corruptions.jpeg import as_stored
from robust_lib.corruptions.levels import to_levels, truncate


def test_the_archive_is_jpeg_of_quality_85_with_halved_colours(images, pictures):
    stored = as_stored(images[:2] * 0.999)
    for one, picture in zip(stored, truncate(images[:2] * 0.999), strict=True):
        file = io.BytesIO()
        levels = picture.permute(1, 2, 0).numpy()
        Image.fromarray(levels).save(file, "JPEG", quality=85, optimize=True)
        assert np.array_equal(truncate(one[None])[0].permute(1, 2, 0), np.asarray(Image.open(file)))


@pytest.mark.parametrize(("severity", "quality"), [(1, 25), (2, 18), (3, 15), (4, 10), (5, 7)])
@pytest.mark.parametrize("size", [(64, 64), (33, 47)])
def test_a_round_trip_is_pillows(severity, quality, size):
    levels = np.random.default_rng(severity).integers(0, 256, (*size, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(levels).save(file, "JPEG", quality=quality)
    images = torch.from_numpy(levels).permute(2, 0, 1)[None].float() / 255
    after = jpeg.jpeg_compression(images, severity)
    assert np.array_equal(to_levels(after)[0].permute(1, 2, 0), np.asarray(Image.open(file)))


def test_the_corruption_rounds_to_levels_and_the_archive_truncates():
    levels = np.random.default_rng(0).integers(0, 255, (1, 3, 64, 64), np.uint8)
    below, above = torch.from_numpy(levels), torch.from_numpy(levels + 1)
    between = (below.double() + 0.9).div(255).float()
    for stored, right, wrong, quality in (
        (jpeg.jpeg_compression(between, 1), above, below, 25),
        (as_stored(between), below, above, 85),
    ):
        assert torch.equal(to_levels(stored), jpeg.round_trip(right, quality))
        assert not torch.equal(to_levels(stored), jpeg.round_trip(wrong, quality))


class OnAGpu(torch.Tensor):
    """Pictures that say that they lie on a GPU."""

    device = torch.device("cuda")


def test_pictures_on_a_gpu_stay_there(monkeypatch):
    pictures = torch.full((1, 3, 32, 32), 7, dtype=torch.uint8).as_subclass(OnAGpu)
    monkeypatch.setattr(jpeg_arithmetic, "round_trip", lambda pictures, quality: pictures + quality)
    assert (jpeg.round_trip(pictures, 85) == 92).all()
    assert (jpeg.round_trip(pictures.as_subclass(torch.Tensor), 85) == 7).all()
