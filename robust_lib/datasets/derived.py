"""Image sets made from another one: other pixels of the same images, or a part of them."""

from dataclasses import dataclass

from robust_lib.datasets import ImageSet
from robust_lib.types import Labels


@dataclass(frozen=True, eq=False)
class Derived:
    """Everything but pixels and digest, taken over from the base set."""

    base: ImageSet

    @property
    def name(self) -> str:
        """Return the base's name, where these are its pictures."""
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

    def __len__(self) -> int:
        return len(self.base)


def source(images: ImageSet) -> ImageSet:
    """Return the image set at the bottom of a chain of derived ones, or the set itself.

    >>> from robust_lib.datasets.subset import Subset
    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> noise = Synthetic("noise", "blobs", 4, 32, "pets", ("cat", "dog"))
    >>> source(Subset(Subset(noise, (1, 2)), (0,))) is noise
    True
    """
    while isinstance(images, Derived):
        images = images.base
    return images
