"""Pictures that have no label: those that no class of a label space is shown in, or nobody named.

Out-of-distribution pictures are of this kind. Networks still choose among classes for them, so such
a set has a label space, that of the pictures which it is set beside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from robust_lib import datasets, paths
from robust_lib.cache import content_key
from robust_lib.class_lists import ClassList, load_classes
from robust_lib.datasets import Images
from robust_lib.datasets.derived import Derived
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.picture_files import Entry, PictureFiles
from robust_lib.errors import InputError
from robust_lib.fetch.verification import pictures_below
from robust_lib.manifests import digest, load_dataset
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN, Labels, Picture


@dataclass(frozen=True, eq=False)
class Unlabelled(Derived):
    """An image set without its labels: ids and pixels stay as they were.

    Args:
        base: that set.
        space: the name of the label space that networks choose from.
        names: its classes, in order.
    """

    space: str
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the base's name: these are its pictures."""
        return self.base.name

    @property
    def classes(self) -> str:
        """Return the label space."""
        return self.space

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return its classes."""
        return self.names

    @cached_property
    def labels(self) -> Labels:
        """Return the labels: all unknown."""
        return np.full(len(self.base), UNKNOWN, dtype=np.int64)

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of the label space."""
        return content_key(
            {"unlabelled": self.base.digest, "space": self.space, "names": self.names}
        )

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one picture, resized and cropped."""
        return self.base.read(index, preprocessing)

    def batch(self, indices: Sequence[int], preprocessing: Preprocessing) -> Images:
        """Return pictures as a network gets them."""
        images: torch.Tensor = datasets.batch(self.base, indices, preprocessing)
        return images


class UnlabelledFolder(PictureFiles):
    """All pictures below a folder, at any depth, in whatever folders they lie.

    Args:
        folder: where they lie. Other files, and what is hidden, are ignored.
        classes: the label space that networks choose from.
        name: what tables call the set.
        limit, seed, provenance: as for `PictureFiles`.

    Raises:
        DataError: the folder is missing or has no pictures.
    """

    def __init__(
        self,
        folder: Path,
        classes: ClassList,
        *,
        name: str | None = None,
        limit: int | None = None,
        seed: int = 0,
        provenance: str = "",
    ) -> None:
        require_folder(folder)
        entries = (
            Entry(file.relative_to(folder).as_posix(), UNKNOWN, file.stat().st_size)
            for file in pictures_below(folder)
        )
        super().__init__(
            folder,
            entries,
            classes,
            name=name or folder.name,
            limit=limit,
            seed=seed,
            provenance=provenance,
        )


def load(
    name: str, folder: Path | None = None, *, limit: int | None = None, seed: int = 0
) -> UnlabelledFolder:
    """Return the image set of a manifest of kind unlabelled.

    Args:
        name: the manifest.
        folder: where the data set lies; None is its place below the data folder.
        limit: as for `PictureFiles`.
        seed: as for `PictureFiles`.

    Raises:
        InputError: no such manifest, or one of another kind.
        DataError: the data is not there.
    """
    manifest = load_dataset(name)
    if manifest.kind != "unlabelled" or manifest.classes is None:
        raise InputError(
            f"Expected {name} to be pictures without labels, but it is {manifest.kind}."
        )
    return UnlabelledFolder(
        (folder or paths.data() / name) / manifest.root,
        load_classes(manifest.classes),
        name=name,
        limit=limit,
        seed=seed,
        provenance=digest(manifest),
    )
