"""The image-set protocol, batches, and the decoding of single pictures."""

import io

import numpy as np
import pytest
import torch
from PIL import Image, ImageFile

from robust_lib import datasets
from robust_lib.datasets import ImageSet, batch, oddities, open_picture, stack
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing
from tests import trees

SMALL = Preprocessing(16, 12)


@pytest.fixture
def pictures(tmp_path):
    return ImageFolder(trees.class_folders(tmp_path / "val"), trees.class_list())


def test_a_batch_is_float32_in_unit_range_channels_first(pictures):
    images = batch(pictures, [3, 0], SMALL)
    assert (images.shape, images.dtype) == ((2, 3, 12, 12), torch.float32)
    expected = pictures.read(3, SMALL).transpose(2, 0, 1).astype(np.float32) / 255
    np.testing.assert_array_equal(images[0].numpy(), expected)
    assert images.is_contiguous()


def test_a_set_with_batches_of_its_own_is_asked_for_them(pictures):
    asked = []

    class Own:
        def batch(self, indices, preprocessing):
            asked.append((indices, preprocessing))
            return torch.zeros(1, 3, 2, 2)

    assert batch_of(Own(), pictures).shape == (1, 3, 2, 2)
    assert asked == [([0], SMALL)]


def batch_of(own, pictures):
    for name in ("name", "digest", "ids", "labels", "classes", "class_names", "read"):
        setattr(own, name, getattr(pictures, name))
    type(own).__len__ = lambda _: 1
    assert isinstance(own, ImageSet)
    return batch(own, [0], SMALL)


def test_pictures_of_different_sizes_make_no_batch(tmp_path):
    root = trees.imagenet_a(tmp_path) / "imagenet-a"
    pictures = ImageFolder(root, trees.class_list())
    with pytest.raises(InputError, match=r"different sizes, such as .* Set a crop"):
        batch(pictures, [0, 7], Preprocessing(None, None))
    assert stack(pictures, [0, 7], SMALL).shape == (2, 12, 12, 3)


def test_no_indices_are_an_error(pictures):
    with pytest.raises(InputError, match="at least one image"):
        batch(pictures, [], SMALL)


def test_folders_conform_to_the_protocol(pictures):
    assert isinstance(pictures, ImageSet)


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "CMYK", "1"])
def test_every_kind_of_picture_becomes_rgb_as_pillow_converts_it(tmp_path, mode):
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    trees.picture(1).convert(mode).save(path)
    opened = open_picture(path)
    assert opened.mode == "RGB"
    with Image.open(path) as theirs:
        np.testing.assert_array_equal(np.asarray(opened), np.asarray(theirs.convert("RGB")))


def noise_jpeg() -> bytes:
    pixels = np.random.default_rng(0).integers(0, 256, (120, 160, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=95)
    return file.getvalue()


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.8, 0.99])
def test_a_truncated_jpeg_is_an_error_that_names_it(tmp_path, share):
    whole = noise_jpeg()
    path = tmp_path / "ILSVRC2012_val_00000007.JPEG"
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(DataError, match=f"Could not read the image {path}"):
        open_picture(path)


@pytest.mark.parametrize("content", [b"", b"\0" * 600, b"<html>", b"\x89PNG\r\n\x1a\n broken"])
def test_what_is_no_picture_is_an_error_that_names_it(tmp_path, content):
    path = tmp_path / "a.png"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"Could not read the image {path}"):
        open_picture(path)


def test_a_truncated_png_and_a_missing_file_are_errors(tmp_path):
    path = trees.save(tmp_path / "a.png", 1, 200, 200)
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(DataError, match="Could not read"):
        open_picture(path)
    with pytest.raises(DataError, match="No such file"):
        open_picture(tmp_path / "none.jpg")


def test_an_altered_pillow_is_refused(tmp_path, monkeypatch):
    path = trees.save(tmp_path / "a.jpg")
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(DataError, match="set to accept truncated images"):
        open_picture(path)


def test_eight_bits_become_fractions_without_loss():
    levels = np.arange(256, dtype=np.uint8).repeat(3).reshape(1, 16, 16, 3)
    images = datasets.to_images(levels)
    back = (images * 255).to(torch.uint8).permute(0, 2, 3, 1).numpy()
    np.testing.assert_array_equal(back, levels)


RAMP = np.linspace(0, 65535, 64 * 64).round().reshape(64, 64)


@pytest.mark.parametrize("ending", ["png", "tif", "pgm"])
def test_grey_of_16_bits_is_that_of_8(tmp_path, ending):
    """Pillow would clip it, and nearly all would be white."""
    Image.fromarray(RAMP.astype(np.uint16)).save(tmp_path / f"deep.{ending}")
    opened = np.asarray(open_picture(tmp_path / f"deep.{ending}"))
    assert abs(opened.astype(int) - (RAMP / 257)[..., None]).max() <= 0.5
    assert list(oddities(tmp_path / f"deep.{ending}")) == ["grey of 16 bits, shown as value / 257"]


def test_grey_whose_white_nobody_knows_is_refused(tmp_path):
    Image.fromarray(RAMP.astype(np.float32)).save(tmp_path / "deep.tif")
    with pytest.raises(DataError, match=r"32 bits.*white.*defined"):
        open_picture(tmp_path / "deep.tif")


def test_what_others_show_in_another_way_is_told(tmp_path):
    plain, turned, both = trees.picture(1), Image.Exif(), [trees.picture(1), trees.picture(2)]
    turned[0x0112] = 6
    plain.save(tmp_path / "turned.jpg", exif=turned)
    both[0].save(tmp_path / "film.gif", save_all=True, append_images=both[1:])
    clear = plain.convert("RGBA")
    clear.save(tmp_path / "opaque.png")
    clear.putpixel((0, 0), (9, 9, 9, 0))
    clear.save(tmp_path / "clear.png")
    told = {path.name: list(oddities(path)) for path in tmp_path.iterdir()}
    assert told == {
        "turned.jpg": ["turned by its EXIF data, shown as stored"],
        "film.gif": ["several images in a file, the first shown"],
        "clear.png": ["transparent parts, shown in the colour below"],
        "opaque.png": [],
    }
    assert open_picture(tmp_path / "turned.jpg").size == plain.size
