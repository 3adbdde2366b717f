"""The preprocessing of an image for a network: resizing and centre cropping.

The arithmetic is torchvision's (`Resize` and `CenterCrop` on a PIL image), done with Pillow alone:
public weights were trained with it, and a shift of one pixel changes accuracies.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from PIL import Image
from pydantic import ConfigDict

from robust_lib.errors import InputError, one_of
from robust_lib.types import Picture

FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}


@dataclass(frozen=True)
class Preprocessing:
    """Geometry of a model's input; scaling of values and normalisation are done by the model.

    Args:
        resize: pixels of the shorter side after resizing, or width and height, whatever the image's
            shape; None keeps the size.
        crop: side of the central square in pixels; None keeps the frame. An image smaller than the
            crop is centred on black, as in torchvision.
        interpolation: Pillow's filter, always with antialias.

    Raises:
        InputError: a size below one, a crop larger than the resize, or an unknown filter.
    """

    # Read by pydantic where a manifest holds this record: unknown keys are errors there.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    resize: int | tuple[int, int] | None
    crop: int | None
    interpolation: Literal["bilinear", "bicubic"] = "bilinear"

    def __post_init__(self) -> None:
        for what, pixels in (("resize", self.frame), ("crop", self.crop)):
            if pixels is not None and pixels < 1:
                raise InputError(f"Expected {what} to be at least one pixel, but got {pixels}.")
        if self.frame is not None and self.crop is not None and self.crop > self.frame:
            raise InputError(
                f"Expected a crop no larger than the resized shorter side ({self.frame}), but got "
                f"{self.crop}: the picture would get a black border."
            )
        if self.interpolation not in FILTERS:
            raise InputError(one_of("interpolation", self.interpolation, FILTERS))

    @property
    def frame(self) -> int | None:
        """Return the shorter side after resizing, in pixels; None if the size is kept.

        >>> Preprocessing(256, 224).frame, Preprocessing((64, 48), 48).frame
        (256, 48)
        """
        return min(self.resize) if isinstance(self.resize, tuple) else self.resize

    @property
    def words(self) -> str:
        """Return the geometry as text.

        >>> Preprocessing(256, 224).words, Preprocessing(None, 64).words
        ('shorter side 256, central 224 pixels', 'central 64 pixels')
        >>> Preprocessing((224, 224), None).words
        'resized to 224 x 224'
        """
        parts = [f"shorter side {self.resize}"] if isinstance(self.resize, int) else []
        if isinstance(self.resize, tuple):
            parts = ["resized to {} x {}".format(*self.resize)]
        parts += [f"central {self.crop} pixels"] if self.crop else []
        return ", ".join(parts) or "as they are"

    def apply(self, picture: Image.Image) -> Picture:
        """Return an image as an RGB array at the network's input size.

        >>> Preprocessing(256, 224).apply(Image.new("RGB", (640, 480))).shape
        (224, 224, 3)
        """
        if self.resize is not None:
            picture = _resize(picture, self.resize, FILTERS[self.interpolation])
        if self.crop is not None:
            picture = _centre_crop(picture, self.crop)
        # A copy, because Pillow's own buffer is read-only.
        return np.array(picture.convert("RGB"))


def _resize(
    picture: Image.Image, side: int | tuple[int, int], how: Image.Resampling
) -> Image.Image:
    if isinstance(side, tuple):
        size = side
    else:
        short, long = sorted(picture.size)
        other = int(side * long / short)  # torchvision truncates the longer side
        size = (side, other) if picture.width <= picture.height else (other, side)
    return picture if size == picture.size else picture.resize(size, how)


def _centre_crop(picture: Image.Image, side: int) -> Image.Image:
    width, height = max(picture.width, side), max(picture.height, side)
    if (width, height) != picture.size:
        ground = Image.new("RGB", (width, height))
        ground.paste(picture, ((width - picture.width) // 2, (height - picture.height) // 2))
        picture = ground
    # Python rounds halves to even, and so does torchvision here.
    left, top = round((width - side) / 2.0), round((height - side) / 2.0)
    return picture.crop((left, top, left + side, top + side))
