"""Image files without labels, such as out-of-distribution images.

Networks still choose among classes for them, so such a set has a label space, that of the images it
is compared with.
"""

from pathlib import Path

from typing_extensions import Unpack

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import digest, load_dataset
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.picture_files import Choice, Entry, PictureFiles
from robust_lib.errors import InputError
from robust_lib.fetch.listing import listed
from robust_lib.types import UNKNOWN


class UnlabelledFolder(PictureFiles):
    """All images below a folder, at any depth; other and hidden files are ignored.

    Raises:
        DataError: the folder is missing or has no pictures.
    """

    def __init__(
        self,
        folder: Path,
        classes: ClassList,
        *,
        name: str | None = None,
        **choice: Unpack[Choice],
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
            **choice,
        )


def load(
    name: str, folder: Path | None = None, *, limit: int | None = None, seed: int = 0
) -> UnlabelledFolder:
    """Return the image set of a manifest of kind unlabelled.

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
