"""A part of an image set, as an image set."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from robust_lib import datasets
from robust_lib.cache import content_key
from robust_lib.datasets import Images
from robust_lib.datasets.derived import Derived
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture


@dataclass(frozen=True, eq=False)
class Subset(Derived):
    """Some images of an image set; their ids, labels and pixels stay.

    Args:
        places: indices in order, none twice.
        called: the part's own name; None: the whole set's.

    Raises:
        InputError: no place, one outside the set, or one twice.
    """

    places: tuple[int, ...]
    called: str | None = None

    def __post_init__(self) -> None:
        if not self.places:
            raise InputError(f"Expected at least one picture of {self.base.name}, but got none.")
        if len(set(self.places)) < len(self.places):
            raise InputError(f"Expected every picture of {self.base.name} once, but one is twice.")
        if not 0 <= min(self.places) <= max(self.places) < len(self.base):
            raise InputError(
                f"Expected places from 0 to {len(self.base) - 1} in {self.base.name}, but got "
                f"{min(self.places)} to {max(self.places)}."
            )

    @property
    def name(self) -> str:
        """Return the name that it was given, or the base's: these are its pictures."""
        return self.called or self.base.name

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of what is taken from it."""
        return content_key({"subset of": self.base.digest, "ids": self.ids})

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the part."""
        return tuple(self.base.ids[place] for place in self.places)

    @cached_property
    def labels(self) -> Labels:
        """Return the labels of the part."""
        return np.asarray(self.base.labels[list(self.places)])

    @cached_property
    def annotations(self) -> tuple[Any, ...]:
        """Return the objects of the part's images, if the base has annotations."""
        whole = self.base.annotations  # type: ignore[attr-defined]
        return tuple(whole[place] for place in self.places)

    def __len__(self) -> int:
        return len(self.places)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one picture, resized and cropped."""
        return self.base.read(self.places[index], preprocessing)

    def batch(self, indices: Sequence[int], preprocessing: Preprocessing) -> Images:
        """Return pictures as a network gets them."""
        images: torch.Tensor = datasets.batch(
            self.base, [self.places[index] for index in indices], preprocessing
        )
        return images
