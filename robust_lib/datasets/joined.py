"""Several image sets of the same classes, as one image set."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robust_lib.cache import content_key
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture


@dataclass(frozen=True, eq=False)
class Joined:
    """The images of several sets, one set after the other; ids start with their set's name.

    Args:
        parts: sets of the same classes, of different names.

    Raises:
        InputError: no sets, two of one name, or sets of several label spaces.
    """

    name: str
    parts: Sequence[ImageSet]

    def __post_init__(self) -> None:
        names = [part.name for part in self.parts]
        if not names or len(set(names)) < len(names):
            raise InputError(f"Expected sets of different names to join, but got {names}.")
        if len(spaces := {part.classes for part in self.parts}) > 1:
            raise InputError(
                f"Expected sets of the same classes to join, but {', '.join(names)} have "
                f"{', '.join(sorted(spaces))}."
            )

    @property
    def classes(self) -> str:
        """Return the label space of all parts."""
        return self.parts[0].classes

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the classes of that space."""
        return self.parts[0].class_names

    @cached_property
    def digest(self) -> str:
        """Return a digest of all parts, in order."""
        return content_key({"joined": [[part.name, part.digest] for part in self.parts]})

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of all parts."""
        return tuple(f"{part.name}/{item}" for part in self.parts for item in part.ids)

    @cached_property
    def labels(self) -> Labels:
        """Return the labels of all parts."""
        return np.concatenate([part.labels for part in self.parts])

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one picture, resized and cropped."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        for part in self.parts:
            if index < len(part):
                break
            index -= len(part)
        return part.read(index, preprocessing)
