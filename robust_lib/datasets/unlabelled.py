"""Picture files that have no label: no class of a label space is shown in them, or nobody named it.

Out-of-distribution pictures are of this kind. Networks still choose among classes for them, so such
a set has a label space, that of the pictures which it is set beside.
"""

from pathlib import Path

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import digest, load_dataset
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.picture_files import Entry, PictureFiles
from robust_lib.errors import InputError
from robust_lib.fetch.listing import listed
from robust_lib.types import UNKNOWN


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
            Entry(Path(below, name).as_posix(), UNKNOWN, size)
            for below, one in listed(folder).items()
            for name, size in zip(one.pictures, one.sizes, strict=True)
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
