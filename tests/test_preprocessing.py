import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms import InterpolationMode, v2

from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing

SIZES = [(640, 480), (480, 640), (500, 375), (375, 500), (333, 257), (256, 256), (224, 224)]
SIZES += [(1000, 257), (61, 93), (300, 224), (255, 1999), (2, 500)]


def noise(width: int, height: int) -> Image.Image:
    rng = np.random.default_rng(width * 10_000 + height)
    return Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
@pytest.mark.parametrize(("resize", "crop"), [(256, 224), (232, 224), (64, 64), (33, 32)])
def test_equals_torchvision(size, interpolation, resize, crop):
    picture = noise(*size)
    theirs = v2.Compose(
        [
            v2.Resize(resize, interpolation=InterpolationMode(interpolation), antialias=True),
            v2.CenterCrop(crop),
        ]
    )(picture)
    ours = Preprocessing(resize, crop, interpolation).apply(picture)
    np.testing.assert_array_equal(ours, np.asarray(theirs))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("crop", [224, 223, 50])
def test_crop_alone_equals_torchvision_even_beyond_the_picture(size, crop):
    picture = noise(*size)
    theirs = v2.CenterCrop(crop)(picture)
    ours = Preprocessing(None, crop).apply(picture)
    np.testing.assert_array_equal(ours, np.asarray(theirs))


def test_resize_alone_equals_torchvision():
    picture = noise(61, 93)
    theirs = np.asarray(v2.Resize(40)(picture))
    np.testing.assert_array_equal(Preprocessing(40, None).apply(picture), theirs)


@pytest.mark.parametrize("size", SIZES)
def test_a_pair_resizes_the_whole_picture_as_torchvision_does(size):
    picture = noise(*size)
    theirs = np.asarray(v2.Resize((224, 200), antialias=True)(picture))
    ours = Preprocessing((200, 224), None)
    np.testing.assert_array_equal(ours.apply(picture), theirs)
    assert ours.frame == 200


def test_nothing_to_do_leaves_the_pixels_and_a_writable_copy():
    picture = noise(20, 10)
    pixels = Preprocessing(None, None).apply(picture)
    np.testing.assert_array_equal(pixels, np.asarray(picture))
    torch.from_numpy(pixels)[0, 0, 0] = 1  # a read-only array would warn here
    assert pixels.flags.writeable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, None), "resize to be at least one pixel, but got 0"),
        ((None, -3), "crop to be at least one pixel, but got -3"),
        ((224, 256), "no larger than the resized shorter side"),
        (((300, 200), 224), r"no larger than the resized shorter side \(200\)"),
    ],
)
def test_impossible_sizes_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        Preprocessing(*arguments)


def test_unknown_filter_is_refused():
    with pytest.raises(Exception, match="bilinear"):
        Preprocessing(256, 224, "nearest")
