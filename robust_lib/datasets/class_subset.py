"""Some classes of an image set, as an image set that knows no others.

Networks are judged on ImageNet-A by the 200 classes that it has, and so they are on ImageNet's own
pictures of these classes, with which they are compared [nae, sec. 5].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from robust_lib import datasets
from robust_lib.cache import content_key
from robust_lib.datasets import Images
from robust_lib.datasets.derived import Derived
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN, Labels, Picture


@dataclass(frozen=True, eq=False)
class ClassSubset(Derived):
    """The pictures of some classes, whose labels are places in the list of these classes.

    Ids and pixels stay as they were.

    Args:
        base: the whole set.
        name: what tables call the part.
        space: the name of its label space.
        names: its classes, in order; some of the base's, none twice.

    Raises:
        InputError: a class that the base does not have, one twice, or none at all.
    """

    name: str
    space: str
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in self.base.class_names:
                raise InputError(
                    one_of(f"a class of {self.base.name}", name, self.base.class_names)
                )
        if len(set(self.names)) < len(self.names) or not len(self.places):
            raise InputError(
                f"Expected classes of {self.base.name}, each once and some of them with pictures, "
                f"but got {', '.join(self.names) or 'none'}."
            )

    @property
    def classes(self) -> str:
        """Return the label space."""
        return self.space

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return its classes."""
        return self.names

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Return which of the base's pictures these are, in its order."""
        return tuple(np.flatnonzero(self._translated != UNKNOWN).tolist())

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the part."""
        return tuple(self.base.ids[place] for place in self.places)

    @cached_property
    def labels(self) -> Labels:
        """Return the labels, places in `class_names`."""
        return self._translated[list(self.places)]

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of the classes that are taken from it."""
        return content_key(
            {"classes of": self.base.digest, "space": self.space, "names": self.names}
        )

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

    @cached_property
    def _translated(self) -> Labels:
        """Return the new label of each of the base's pictures; unknown for other classes."""
        place = {name: number for number, name in enumerate(self.names)}
        new = np.array([place.get(name, UNKNOWN) for name in self.base.class_names], np.int64)
        old = np.asarray(self.base.labels)
        return np.where(old == UNKNOWN, UNKNOWN, new[old])
