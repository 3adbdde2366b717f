"""Folders of images: in class folders, flat with a list of labels, in shards, or without labels.

These are ImageNet's validation and training images, ImageNet-A and ImageNet-O, and parts of them.
The label space of unlabelled images is that of the images with which they are compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from typing_extensions import Unpack

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import DatasetManifest, digest, load_dataset, other_kind
from robust_lib.datasets import sharded
from robust_lib.datasets.picture_files import Choice, Entry, PictureFiles
from robust_lib.errors import DataError, InputError
from robust_lib.fetch import devkit
from robust_lib.fetch.listing import listed
from robust_lib.fetch.pictures import is_all_of_imagenet
from robust_lib.types import UNKNOWN

SHOWN = 3  # folders or files named in a message


class ImageFolder(PictureFiles):
    """Images sorted into one folder per class.

    Args:
        classes: the label space; images of other classes are left out.
        folders: the class folders that must exist, if there are more than in the label space (a
            part of ImageNet in a folder with all classes).

    Raises:
        DataError: the folder is missing or empty, or class folders are missing or unexpected.
    """

    def __init__(
        self,
        folder: Path,
        classes: ClassList,
        *,
        folders: ClassList | None = None,
        name: str | None = None,
        **choice: Unpack[Choice],
    ) -> None:
        super().__init__(
            folder,
            folder_entries(folder, classes, folders or classes),
            classes,
            name=name or folder.name,
            **choice,
        )


def folder_entries(folder: Path, classes: ClassList, folders: ClassList) -> Iterator[Entry]:
    """Yield the images of some classes in a folder of class folders.

    Args:
        folders: the class folders that must exist.

    Raises:
        DataError: the folder is missing, or class folders are missing or unexpected.
    """
    require_folder(folder)
    found = listed(folder)
    _require_class_folders(folder, found[""].folders, folders.folders)
    for label, inside in enumerate(classes.folders):
        one = found[inside]
        for name, size in zip(one.pictures, one.sizes, strict=True):
            yield Entry(f"{inside}/{name}", label, size)


class FlatValidation(PictureFiles):
    """ImageNet's validation images as unpacked: one folder, with the labels in a separate list.

    Ids, <wnid>/<file>, and order are those of a copy sorted into class folders.

    Args:
        truth: WordNet id of every image, by file name (see `devkit`).

    Raises:
        DataError: the folder is missing, or its images are not those in the list.
    """

    def __init__(
        self,
        folder: Path,
        truth: Mapping[str, str],
        classes: ClassList,
        *,
        name: str | None = None,
        **choice: Unpack[Choice],
    ) -> None:
        require_folder(folder)
        found = listed(folder)[""]
        _require_same(set(found.pictures), set(truth), folder)
        places = {wnid: place for place, wnid in enumerate(classes.folders)}
        entries = (
            Entry(f"{truth[name]}/{name}", places[truth[name]], size)
            for name, size in zip(found.pictures, found.sizes, strict=True)
            if truth[name] in places
        )
        super().__init__(
            folder,
            entries,
            classes,
            name=name or folder.name,
            **choice,
        )

    def file(self, index: int) -> Path:
        """Return the path of an image."""
        return self.folder / self.ids[index].rpartition("/")[2]


def load(
    name: str, folder: Path | None = None, *, limit: int | None = None, seed: int = 0
) -> PictureFiles:
    """Return the image set of a manifest of kind image_folder.

    Raises:
        InputError: no such manifest, or one of a different kind.
        DataError: the data is missing or differs from the manifest.
    """
    manifest = load_dataset(name)
    whole = load_dataset(manifest.of) if manifest.of is not None else manifest
    if whole.kind != "image_folder":
        raise other_kind(name, whole.kind, "image_folder", "folders of images")
    if whole.folders is None or manifest.classes is None:
        key, of = ("folders", whole) if whole.folders is None else ("classes", manifest)
        raise InputError(
            f"Expected a class list as key `{key}` of {of.name}, a data set of folders of "
            f"images, but there is none. Add one, such as `{key}: imagenet_1k`."
        )
    folder = folder or paths.data() / whole.name
    root = folder / whole.root
    classes, folders = load_classes(manifest.classes), load_classes(whole.folders)
    provenance = digest(manifest) + digest(whole)
    packed = sharded.entries(whole, folder, {one: n for n, one in enumerate(classes.folders)})
    if packed is not None:
        return PictureFiles(
            folder,
            packed,
            classes,
            name=name,
            limit=limit,
            seed=seed,
            provenance=provenance,
        )
    if _is_flat(root, folders) and "ground_truth" in whole.options:
        return FlatValidation(
            root,
            _truth(whole, folder),
            classes,
            name=name,
            limit=limit,
            seed=seed,
            provenance=provenance,
        )
    return ImageFolder(
        root,
        classes,
        folders=folders,
        name=name,
        limit=limit,
        seed=seed,
        provenance=provenance,
    )


def _truth(manifest: DatasetManifest, folder: Path) -> dict[str, str]:
    found = devkit.truth_of(manifest, folder)
    if found is None:
        plain, kit = manifest.options["list"], manifest.options["ground_truth"]
        raise DataError(
            f"Expected a list of the images' classes in {folder}, named {plain} or {kit}, but "
            "there is none. Put one there, or sort the images into class folders."
        )
    return found


def _is_flat(root: Path, folders: ClassList) -> bool:
    return root.is_dir() and not any((root / inside).is_dir() for inside in folders.folders)


def require_folder(folder: Path) -> None:
    """Raise DataError with instructions if the folder does not exist."""
    if not folder.is_dir():
        raise DataError(
            f"Expected a folder of images at {folder}, but there is none. Check the path, fetch "
            "the data set, or set --data or ROBUST_DATA to its folder."
        )


def _require_class_folders(folder: Path, found: Sequence[str], expected: Sequence[str]) -> None:
    lacking, besides = sorted({*expected} - {*found}), sorted({*found} - {*expected})
    if lacking or (besides and not is_all_of_imagenet(found)):
        raise DataError(
            f"Expected the {len(expected)} class folders of the data set in {folder}, but "
            f"{_count(lacking, 'are missing')} and {_count(besides, 'do not belong there')}. Check "
            "that this is the right folder and that unpacking was completed."
        )


def _require_same(found: set[str], listed: set[str], folder: Path) -> None:
    if found != listed:
        raise DataError(
            f"Expected the {len(listed)} images of the ground truth in {folder}, but it has "
            f"{len(found)}: {_count(sorted(listed - found), 'are missing')} and "
            f"{_count(sorted(found - listed), 'are in no list')}."
        )


def _count(names: Sequence[str], what: str) -> str:
    if not names:
        return f"none {what}"
    listed = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    return f"{len(names)} {what} ({listed})"


class UnlabelledFolder(PictureFiles):
    """All images below a folder, at any depth; other and hidden files are ignored.

    Raises:
        DataError: the folder is missing or has no images.
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


def load_unlabelled(
    name: str, folder: Path | None = None, *, limit: int | None = None, seed: int = 0
) -> UnlabelledFolder:
    """Return the image set of a manifest of kind unlabelled.

    Raises:
        InputError: no such manifest, or one of a different kind.
        DataError: the data is missing.
    """
    manifest = load_dataset(name)
    if manifest.kind != "unlabelled" or manifest.classes is None:
        raise other_kind(name, manifest.kind, "unlabelled", "images without labels")
    return UnlabelledFolder(
        (folder or paths.data() / name) / manifest.root,
        load_classes(manifest.classes),
        name=name,
        limit=limit,
        seed=seed,
        provenance=digest(manifest),
    )


def load_photographs(name: str, folder: Path | None = None) -> PictureFiles:
    """Return the image set of a manifest of kind photographs: one image per listed file.

    Raises:
        InputError: no such manifest, or one of a different kind.
        DataError: the data is missing.
    """
    manifest = load_dataset(name)
    if manifest.kind != "photographs" or manifest.classes is None:
        raise other_kind(name, manifest.kind, "photographs", "single photographs")
    folder, classes = folder or paths.data() / name, load_classes(manifest.classes)
    require_folder(folder)
    places = {wnid: place for place, wnid in enumerate(classes.folders)}
    entries = (
        Entry(file.name, places[file.name.partition("/")[0]], (folder / file.name).stat().st_size)
        for file in manifest.files
    )
    return PictureFiles(folder, entries, classes, name=name, provenance=digest(manifest))
