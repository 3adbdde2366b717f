"""Image sets derived from others: a subset, with other labels, or several as one.

Networks are evaluated on ImageNet-A among its 200 classes, and likewise on ImageNet's own images of
these classes [nae, sec. 5]. Images of out-of-distribution objects belong to no class; networks
still choose among classes for them, so these image sets have a label space as well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from robust_lib import datasets
from robust_lib.cache import content_key
from robust_lib.datasets import Images, ImageSet
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN, Labels, Picture


@dataclass(frozen=True, eq=False)
class Derived:
    """Everything except pixels and digest, inherited from the base set."""

    base: ImageSet

    @property
    def name(self) -> str:
        """Return the base's name, since these are its images."""
        return self.base.name

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the base's ids."""
        return self.base.ids

    @property
    def labels(self) -> Labels:
        """Return the base's labels."""
        return self.base.labels

    @property
    def classes(self) -> str:
        """Return the base's label space."""
        return self.base.classes

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the base's classes."""
        return self.base.class_names

    @property
    def together(self) -> tuple[str, ...] | None:
        """Return the groups of the base's images."""
        return datasets.together(self.base)

    def __len__(self) -> int:
        return len(self.base)


def source(images: ImageSet) -> ImageSet:
    """Return the image set at the bottom of a chain of derived ones, or the set itself.

    >>> from robust_lib.datasets.derived import Subset
    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> noise = Synthetic("noise", "blobs", 4, 32, "pets", ("cat", "dog"))
    >>> source(Subset(Subset(noise, (1, 2)), (0,))) is noise
    True
    """
    while isinstance(images, Derived):
        images = images.base
    return images


DIGITS = 16  # of a digest that tell it from another


def contents_of(images: ImageSet) -> Mapping[str, str]:
    """Return id -> text that distinguishes an image from a different one with the same name.

    In a user's folder, the text is the beginning of the digest of the file. In a benchmark, which
    has too many files to read, it is the size of the file; for a drawn image, the digest of its
    set. Corrupted images are identified by their originals; edited ones, which have ids of their
    own, by their set's digest.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> noise = Synthetic("noise", "blobs", 2, 32, "pets", ("cat", "dog"))
    >>> contents_of(noise) == dict.fromkeys(noise.ids, noise.digest[:16])
    True
    """
    whole = source(images)
    if not set(images.ids) <= set(whole.ids):
        whole = images
    found: Mapping[str, str] | None = getattr(whole, "contents", None)
    return dict.fromkeys(whole.ids, whole.digest[:DIGITS]) if found is None else found


def others_of(images: ImageSet, ids: Sequence[str], told: Sequence[object]) -> list[str]:
    """Return the images whose content differs from what is stated.

    Args:
        told: the content of each image as stated in a file; not text if nothing is stated.
    """
    known = contents_of(images)
    pairs = ((one, said) for one, said in zip(ids, told, strict=True) if isinstance(said, str))
    return [one for one, said in pairs if known.get(one, said) != said]


@dataclass(frozen=True, eq=False)
class Subset(Derived):
    """Some images of an image set, with the same ids, labels and pixels.

    Args:
        called: name of the subset; None: the name of the whole set.

    Raises:
        InputError: no index, one outside the set, or one twice.
    """

    places: tuple[int, ...]
    called: str | None = None

    def __post_init__(self) -> None:
        if not self.places:
            raise InputError(f"Expected at least one image of {self.base.name}, but got none.")
        if len(set(self.places)) < len(self.places):
            raise InputError(
                f"Expected every image of {self.base.name} once, but one occurs twice."
            )
        if not 0 <= min(self.places) <= max(self.places) < len(self.base):
            raise InputError(
                f"Expected positions from 0 to {len(self.base) - 1} in {self.base.name}, but got "
                f"{min(self.places)} to {max(self.places)}."
            )

    @property
    def name(self) -> str:
        """Return the subset's own name, or else the base's."""
        return self.called or self.base.name

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of the selection."""
        return content_key({"subset of": self.base.digest, "ids": self.ids})

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the subset."""
        return tuple(self.base.ids[place] for place in self.places)

    @cached_property
    def labels(self) -> Labels:
        """Return the labels of the subset."""
        return np.asarray(self.base.labels[list(self.places)])

    @cached_property
    def together(self) -> tuple[str, ...] | None:
        """Return the groups of the subset's images."""
        whole = datasets.together(self.base)
        return None if whole is None else tuple(whole[place] for place in self.places)

    @cached_property
    def annotations(self) -> tuple[Any, ...]:
        """Return the objects in the subset's images, if the base has annotations."""
        whole = self.base.annotations  # type: ignore[attr-defined]
        return tuple(whole[place] for place in self.places)

    def __len__(self) -> int:
        return len(self.places)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped."""
        return self.base.read(self.places[index], preprocessing)

    def batch(self, indices: Sequence[int], preprocessing: Preprocessing) -> Images:
        """Return images as a network's input."""
        images: torch.Tensor = datasets.batch(
            self.base, [self.places[index] for index in indices], preprocessing
        )
        return images


@dataclass(frozen=True, eq=False)
class Relabelled(Derived):
    """An image set with other labels, but the same name, ids and pixels.

    Args:
        given: the label of each image, an index into `names` or unknown.
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
        """Return the classes of the label space."""
        return self.names

    @property
    def labels(self) -> Labels:
        """Return the labels, indices into `class_names`."""
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
        """Return one image, resized and cropped."""
        return self.base.read(index, preprocessing)

    def batch(self, indices: Sequence[int], preprocessing: Preprocessing) -> Images:
        """Return images as a network's input."""
        images: torch.Tensor = datasets.batch(self.base, indices, preprocessing)
        return images


def of_classes(base: ImageSet, name: str, space: str, names: Sequence[str]) -> Relabelled:
    """Return the images of some classes, as a set without the others.

    Raises:
        InputError: a class that the base does not have, one twice, or none with images.
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
            f"Expected classes of {base.name}, each once and some of them with images, but got "
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


@dataclass(frozen=True, eq=False)
class Joined:
    """The images of several sets, one set after the other; ids start with their set's name.

    Raises:
        InputError: no sets, two with the same name, or sets with different label spaces.
    """

    name: str
    parts: Sequence[ImageSet]

    def __post_init__(self) -> None:
        names = [part.name for part in self.parts]
        if not names or len(set(names)) < len(names):
            raise InputError(f"Expected sets with different names to join, but got {names}.")
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
        """Return one image, resized and cropped."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        for part in self.parts:
            if index < len(part):
                break
            index -= len(part)
        return part.read(index, preprocessing)
