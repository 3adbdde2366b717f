"""A user's folder as candidates: class folders for ImageNet-A's rule, any pictures for O's."""

import difflib
from pathlib import Path

from robust_lib.config.class_lists import ClassList
from robust_lib.curation.review_sheet import pictures
from robust_lib.datasets.picture_files import Entry, PictureFiles
from robust_lib.errors import DataError
from robust_lib.types import UNKNOWN


def labelled(folder: Path, classes: ClassList) -> PictureFiles:
    """Return the pictures of class folders, called by WordNet id, folder name or class name.

    There may be folders of some of the classes only; files beside them are ignored.

    Raises:
        DataError: no such folder, one that is called as no class, or no pictures.
    """
    found, places = pictures(folder), class_folders(folder, classes)
    entries = [
        Entry(file, places[file.split("/")[0]], (folder / file).stat().st_size)
        for file in found
        if "/" in file
    ]
    return PictureFiles(folder, entries, classes, name=folder.absolute().name)


def unlabelled(folder: Path, classes: ClassList) -> PictureFiles:
    """Return all pictures in a folder and below it; none of them has a true class.

    `classes` are those that a model may take them for.

    Raises:
        DataError: no such folder, or no pictures.
    """
    entries = [Entry(file, UNKNOWN, (folder / file).stat().st_size) for file in pictures(folder)]
    return PictureFiles(folder, entries, classes, name=folder.absolute().name)


def class_folders(folder: Path, classes: ClassList) -> dict[str, int]:
    """Return the folders in a folder, sorted, and the class that each is called as.

    Raises:
        DataError: one is called as no class, by WordNet id, folder name or class name.
    """
    places = {
        name: at
        for at, entry in enumerate(classes.entries)
        for name in (entry.name, entry.wnid, entry.folder)
        if name is not None
    }
    inside = sorted(p.name for p in folder.iterdir() if p.is_dir() and p.name[0] != ".")
    for name in inside:
        if name not in places:
            near = difflib.get_close_matches(name, places, n=3)
            hint = f" Near it are {', '.join(near)}." if near else ""
            raise DataError(
                f"Expected folders called as classes of {classes.name} in {folder}, but {name} is "
                f"none.{hint} Rename it, or move it away."
            )
    return {name: places[name] for name in inside}
