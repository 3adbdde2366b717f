"""Image sets made of another one: other pixels of the same pictures, or a part of them."""

from dataclasses import dataclass

from robust_lib.datasets import ImageSet
from robust_lib.types import Labels


@dataclass(frozen=True, eq=False)
class Derived:
    """What such a set takes over from the set that it is made of.

    Args:
        base: that set.
    """

    base: ImageSet

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
    """Return the image set that another one is made of in the end, or that set itself."""
    while isinstance(images, Derived):
        images = images.base
    return images
