"""Whether a data set seems to lie in its place, by a look at few folders; `verify` looks at all."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from robust_lib import paths
from robust_lib.config.class_lists import load_classes
from robust_lib.config.dataset_files import Content
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.fetch.listing import SUFFIXES


def seems_there(name: str, folder: Path | None = None, *, only: Sequence[str] = ()) -> bool:
    """Return whether all that a data set must hold is there and not empty, counting nothing.

    Of class folders all must be there, and the first and the last hold a picture. No folder is
    walked through: of ImageNet-C, one look at each of its 95 cells and at two folders of it.

    Args:
        only: beginnings of content paths to look at, such as ("fog/",); empty means all.

    Raises:
        InputError: no such manifest.
    """
    manifest = load_dataset(name)
    folder = folder or paths.data() / name
    contents = [
        one
        for one in manifest.contents or (Content(path=".", folders=manifest.folders),)
        if not only or one.path.startswith(tuple(only))
    ]
    return all(_is_held(manifest, folder, one) for one in contents)


def _is_held(manifest: DatasetManifest, folder: Path, content: Content) -> bool:
    root = folder / manifest.root
    found = [root] if content.path == "." else list(root.glob(content.path))
    if len(found) < content.matches:
        return False
    if content.folders is not None:
        names = load_classes(content.folders).folders
        return all(_has_classes(path, names) or _is_flat(path, manifest, folder) for path in found)
    return all(_holds(path, SUFFIXES if content.path == "." else ()) for path in found)


def _has_classes(path: Path, names: Sequence[str]) -> bool:
    if not {entry.name for entry in _entries(path)}.issuperset(names):
        return False
    return all(_holds(path / name, SUFFIXES) for name in (names[0], names[-1]))


def _is_flat(path: Path, manifest: DatasetManifest, folder: Path) -> bool:
    """Return whether pictures lie unsorted where a list beside them tells their classes."""
    lists = [manifest.options[key] for key in ("list", "ground_truth") if key in manifest.options]
    listed = any((folder / name).is_file() for name in lists)
    return listed and any(
        entry.name.lower().endswith(SUFFIXES) and entry.is_file() for entry in _entries(path)
    )


def _holds(path: Path, suffixes: tuple[str, ...]) -> bool:
    """Return whether a path is a file that is not empty, or has one of some kind below it."""
    if path.is_file():
        return path.stat().st_size > 0
    for entry in _entries(path):
        if entry.is_dir():
            if _holds(Path(entry.path), suffixes):
                return True
        elif not suffixes or entry.name.lower().endswith(suffixes):
            return True
    return False


def _entries(path: Path) -> Iterator[os.DirEntry[str]]:
    """Yield what lies in a folder and is not hidden; nothing if there is no such folder."""
    if path.is_dir():
        with os.scandir(path) as entries:
            yield from (entry for entry in entries if not entry.name.startswith("."))
