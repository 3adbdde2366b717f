"""The images of an image set with labels of another label space: some of its classes, or none.

Networks are judged on ImageNet-A by the 200 classes that it has, and so they are on ImageNet's own
pictures of these classes, with which they are compared [nae, sec. 5]. Pictures of foreign things
belong to no class; networks still choose among classes for them, so these have a label space, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from robust_lib import datasets
from robust_lib.cache import content_key
from robust_lib.datasets import Images, ImageSet
from robust_lib.datasets.derived import Derived
from robust_lib.datasets.subset import Subset
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN, Labels, Picture


@dataclass(frozen=True, eq=False)
class Relabelled(Derived):
    """An image set with other labels; name, ids and pixels stay.

    Args:
        given: the label of each image, a place in `names` or unknown.
    """

    space: str
    names: tuple[str, ...]
    given: Labels

    @property
    def classes(self) -> str:
        """Return the label space."""
        return self.space

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return its classes."""
        return self.names

    @property
    def labels(self) -> Labels:
        """Return the labels, places in `class_names`."""
        return self.given

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of the new labels."""
        return content_key(
            {
                "pictures": self.base.digest,
                "space": self.space,
                "names": self.names,
                "labels": self.given.tolist(),
            }
        )

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one picture, resized and cropped."""
        return self.base.read(index, preprocessing)

    def batch(self, indices: Sequence[int], preprocessing: Preprocessing) -> Images:
        """Return pictures as a network gets them."""
        images: torch.Tensor = datasets.batch(self.base, indices, preprocessing)
        return images


def of_classes(base: ImageSet, name: str, space: str, names: Sequence[str]) -> Relabelled:
    """Return the images of some classes, as a set without the others.

    Args:
        names: its classes, in order; some of the base's, none twice.

    Raises:
        InputError: a class that the base does not have, one twice, or none with pictures.
    """
    for one in names:
        if one not in base.class_names:
            raise InputError(one_of(f"a class of {base.name}", one, base.class_names))
    place = {one: number for number, one in enumerate(names)}
    new = np.array([place.get(one, UNKNOWN) for one in base.class_names], np.int64)
    old = np.asarray(base.labels)
    labels = np.where(old == UNKNOWN, UNKNOWN, new[old])
    kept = np.flatnonzero(labels != UNKNOWN)
    if len(place) < len(names) or not len(kept):
        raise InputError(
            f"Expected classes of {base.name}, each once and some of them with pictures, but got "
            f"{', '.join(names) or 'none'}."
        )
    part = Subset(base, tuple(kept.tolist()), called=name)
    return Relabelled(part, space, tuple(names), labels[kept])


def unlabelled(base: ImageSet, space: str, names: Sequence[str]) -> Relabelled:
    """Return an image set without its labels.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> noise = Synthetic("noise", "blobs", 2, 32, "pets", ("cat", "dog"))
    >>> unlabelled(noise, "cars", ["bus"]).labels.tolist()
    [-1, -1]
    """
    return Relabelled(base, space, tuple(names), np.full(len(base), UNKNOWN, np.int64))
