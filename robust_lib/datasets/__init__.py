"""Image sets: anything with ids, labels, a digest, and images that can be read one by one."""

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float32, UInt8
from PIL import ExifTags, Image, ImageFile

from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture

Images = Float32[torch.Tensor, "n 3 height width"]


@runtime_checkable
class ImageSet(Protocol):
    """The interface of a data set that `predict` requires."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    @property
    def digest(self) -> str:
        """Hexadecimal text that changes whenever any image, id or label changes."""

    @property
    def ids(self) -> tuple[str, ...]:
        """One unique name per image."""

    @property
    def labels(self) -> Labels:
        """One class index per image, int64."""

    @property
    def classes(self) -> str:
        """Name of the label space to which the labels belong."""

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes of the label space, in order."""

    def __len__(self) -> int:
        """Return the number of images."""

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped."""


def together(image_set: ImageSet) -> tuple[str, ...] | None:
    """Return the group of each image, such as its drawing; None: images are independent.

    A set of correlated images has its own attribute `together`, which affects intervals but no
    image.
    """
    own: tuple[str, ...] | None = getattr(image_set, "together", None)
    return own


def require_image_set(images: object) -> None:
    """Raise InputError unless the object is a set of images that can be read one by one.

    >>> require_image_set("my_pictures")
    Traceback (most recent call last):
        ...
    robust_lib.errors.InputError: Expected an image set, but got a str. Pass a folder of images \
to image_folder, or an object with ids, labels, a digest and read.
    """
    if not hasattr(images, "read") or not hasattr(images, "ids"):
        raise InputError(
            f"Expected an image set, but got a {type(images).__name__}. Pass a folder of images "
            "to image_folder, or an object with ids, labels, a digest and read."
        )


def batch(image_set: ImageSet, indices: Sequence[int], preprocessing: Preprocessing) -> Images:
    """Return images as a network's input: RGB, float32 in [0, 1], channels first.

    A set with its own method `batch` makes its images in batches; for any other set, images
    are read one by one.

    Raises:
        InputError: no indices, or images that differ in size after the preprocessing.
        DataError: an image cannot be read.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> noise = Synthetic("noise", "bernoulli_noise", 4, 32, "pets", ("cat", "dog"))
    >>> batch(noise, [0, 3], Preprocessing(None, 24)).shape
    torch.Size([2, 3, 24, 24])
    """
    own = getattr(image_set, "batch", None)
    if own is not None:
        images: Images = own(indices, preprocessing)
        return images
    return to_images(stack(image_set, indices, preprocessing))


def stack(
    image_set: ImageSet, indices: Sequence[int], preprocessing: Preprocessing
) -> UInt8[np.ndarray, "n height width 3"]:
    """Return images, resized and cropped, as one 8-bit array.

    Raises:
        InputError: no indices, or images that differ in size after the preprocessing.
    """
    if not len(indices):
        raise InputError("Expected at least one image to read, but got no indices.")
    first = image_set.read(int(indices[0]), preprocessing)
    # Filled one by one: a list of them all beside the array would hold a training set twice.
    pictures = np.empty((len(indices), *first.shape), np.uint8)
    pictures[0] = first
    for place, index in enumerate(indices[1:], start=1):
        picture = image_set.read(int(index), preprocessing)
        if picture.shape != first.shape:
            raise InputError(
                f"The images of {image_set.name} have different sizes, such as {first.shape} and "
                f"{picture.shape}, so they cannot form a batch. Set a crop in the model's "
                "preprocessing."
            )
        pictures[place] = picture
    return pictures


def to_images(pictures: UInt8[np.ndarray, "n height width 3"]) -> Images:
    """Return 8-bit images as float32 in [0, 1], channels first."""
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).contiguous().float().div_(255)


def open_picture(path: Path, content: bytes | None = None) -> Image.Image:
    """Return a completely decoded image file as RGB; all data sets read images this way.

    16-bit grey values are divided by 257. Everything else follows Pillow's conversion, as in the
    benchmarks: palettes are looked up, transparency is dropped, CMYK is converted without its
    colour profile, the first of several images in a file is taken, and an image that a camera
    rotated stays as stored. `oddities` reports these cases.

    Args:
        content: content of the file, if it is inside another one; `path` is then used in messages.

    Raises:
        DataError: the file is missing, not an image, truncated, or has more than 16 bits; the
            message names it.
    """
    if ImageFile.LOAD_TRUNCATED_IMAGES:
        raise DataError(
            "Pillow is set to accept truncated images (ImageFile.LOAD_TRUNCATED_IMAGES), which "
            f"would show the missing part of {path} as grey. Set it to False: another library has "
            "changed it."
        )
    with _opened(path, content) as picture, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Palette images with Transparency")
        if _is_deep(picture):  # which Pillow would clip to white
            levels = np.asarray(picture).astype(np.float64) / (UINT16 // UINT8)
            picture = Image.fromarray(np.round(levels).astype(np.uint8))
        elif picture.mode in ("I", "F"):
            raise ValueError(
                "its grey values have 32 bits, for which white is not defined; store 8 bits"
            )
        return picture.convert("RGB")


def picture_size(path: Path) -> tuple[int, int]:
    """Return the stored width and height of an image file in pixels, without decoding it.

    Raises:
        DataError: the file is missing or not an image; the message names it.
    """
    with _opened(path) as picture:
        return picture.size


def oddities(path: Path) -> Iterator[str]:
    """Yield properties of an image file that other programs may handle differently.

    Raises:
        DataError: the file is missing or not an image; the message names it.
    """
    with _opened(path) as picture:
        if _is_deep(picture):
            yield "grey of 16 bits, shown as value / 257"
        if picture.getexif().get(ExifTags.Base.Orientation, 1) != 1:
            yield "turned by its EXIF data, shown as stored"
        # Phones put smaller copies behind a picture.
        if picture.format != "MPO" and getattr(picture, "is_animated", False):
            yield "several images in a file, the first shown"
        if picture.has_transparency_data:
            seen = picture.convert("RGBA").getchannel("A").getextrema()
            if seen != (UINT8, UINT8):
                yield "transparent parts, shown in the colour below"


UINT8, UINT16 = 255, 65535


def _is_deep(picture: Image.Image) -> bool:
    """Return whether an image has 16-bit grey values."""
    return picture.mode.startswith("I;16") or (
        picture.mode == "I" and picture.format in ("PNG", "PPM")
    )


@contextmanager
def _opened(path: Path, content: bytes | None = None) -> Iterator[Image.Image]:
    """Provide an opened image; any fault in it is a DataError."""
    try:
        with Image.open(path if content is None else io.BytesIO(content)) as picture:
            yield picture
    # Pillow raises SyntaxError and ValueError, too, for files that are not what they say they are.
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(
            f"Could not read the image {path}: {error}. Restore the file: a run cannot continue "
            "without it."
        ) from None
