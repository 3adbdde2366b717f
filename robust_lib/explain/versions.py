"""Versions: an image set of changed pictures, several versions of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from PIL import Image

from robust_lib.cache import content_key
from robust_lib.datasets.derived import Derived
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture

_AS_IT_IS = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Versions(Derived):
    """Versions of some pictures of an image set, each changed in its own way, at its own size.

    Args:
        title: what is changed, such as "backgrounds".
        places: the picture of the base that each version is of.
        marks: what each version is called, after its picture's id.
        change: makes a version of a picture, from that and the version's number.
        about: all that decides the changes, as plain values.

    Raises:
        InputError: not one mark per version.
    """

    title: str
    places: Sequence[int]
    marks: Sequence[str]
    change: Callable[[Picture, int], Picture]
    about: Mapping[str, Any]

    def __post_init__(self) -> None:
        if len(self.places) != len(self.marks):
            raise InputError(
                f"Expected a mark for each of {len(self.places)} versions, but got "
                f"{len(self.marks)}."
            )

    @property
    def name(self) -> str:
        """Return the base's name and what is changed, such as "layouts_val/backgrounds"."""
        return f"{self.base.name}/{self.title}"

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the id of each version: its picture's, and its mark."""
        own = self.base.ids
        pairs = zip(self.places, self.marks, strict=True)
        return tuple(f"{own[place]}/{mark}" for place, mark in pairs)

    @cached_property
    def labels(self) -> Labels:
        """Return the label of each version's picture."""
        return np.asarray(self.base.labels)[np.asarray(self.places, np.int64)]

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of all that is changed."""
        return content_key(
            {"base": self.base.digest, "ids": self.ids, "change": self.title, **self.about}
        )

    def __len__(self) -> int:
        return len(self.places)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one version, changed at the picture's own size, then resized and cropped."""
        picture = self.base.read(self.places[index], _AS_IT_IS)
        changed = self.change(picture, index)
        return preprocessing.apply(Image.fromarray(changed))
