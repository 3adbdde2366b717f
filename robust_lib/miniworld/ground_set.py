"""Bare backgrounds of the miniature's photographs, as an image set: places without an object."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PIL import Image

from robust_lib import seeds
from robust_lib.cache import content_key
from robust_lib.code_digest import source_digest
from robust_lib.errors import InputError
from robust_lib.miniworld import camera
from robust_lib.miniworld.layout_grounds import PLACES, drawn
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture

_CODE = (*(f"miniworld.{part}" for part in ("camera", "ground_set", "layout_grounds")), "seeds")


@dataclass(frozen=True, eq=False)
class Grounds:
    """Some images of each of the six places of [nao, fig. 6], each drawn from its id.

    Args:
        each: number of images of each place; a smaller number is the beginning of a larger one.
        size: pixels of the square images.

    Raises:
        InputError: no images.
    """

    name: str
    each: int
    size: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        if self.each < 1:
            raise InputError(f"Expected at least one picture of a place, but got {self.each}.")

    @property
    def classes(self) -> str:
        """Return the label space."""
        return "backgrounds"

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the places, in the order of the labels."""
        return PLACES

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the ids, such as "beach/0"."""
        return tuple(f"{place}/{number}" for place in PLACES for number in range(self.each))

    @cached_property
    def labels(self) -> Labels:
        """Return the place of each image."""
        return np.repeat(np.arange(len(PLACES)), self.each)

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines the images."""
        return content_key(
            {
                "what": "grounds",
                "code": source_digest(*_CODE),
                "each": self.each,
                "size": self.size,
                "seed": self.seed,
            }
        )

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped as requested."""
        item = self.ids[index]
        place, _, _ = item.partition("/")
        ground = drawn(place, self.size, seeds.generator(self.seed, item, "ground"))
        picture = camera.expose(ground, seeds.generator(self.seed, item, "camera"))
        return preprocessing.apply(Image.fromarray(picture))
