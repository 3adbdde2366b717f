"""Checks that a copy of a data set is complete: all its files, or quickly a few folders."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import filter as filter_by
from pathlib import Path

from robust_lib import paths
from robust_lib.config.class_lists import load_classes
from robust_lib.config.dataset_files import Content, File, ObjectCounts
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.errors import DataError, FetchError
from robust_lib.fetch import archives, coco_file, shards
from robust_lib.fetch.checksums import check, published
from robust_lib.fetch.devkit import disputed, has_truth
from robust_lib.fetch.listing import SUFFIXES, is_picture, listed
from robust_lib.fetch.pictures import (
    against_archive,
    is_all_of_imagenet,
    known_folders,
    misnamed,
    misplaced,
    of_own_classes,
    uneven,
    unreadable,
)
from robust_lib.fetch.shards import Shards, checks
from robust_lib.fetch.shards.index import conditions

SHOWN = 3  # missing or superfluous folders named in a message


@dataclass(frozen=True)
class Report:
    """The findings of a check of a data set's folder.

    Args:
        images: number of images counted; None if the manifest lists nothing to count.
        notes: findings, one line each.
        problems: missing or wrong things, one line each; empty for a complete copy.
    """

    name: str
    folder: Path
    images: int | None
    notes: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Return whether nothing is missing or wrong."""
        return not self.problems

    @property
    def complaint(self) -> DataError | None:
        """Return the error that lists the problems; None if there are none."""
        return (
            DataError(
                f"The data set {self.name} in {self.folder} is not complete: "
                f"{'; '.join(self.problems)}. Run `robust fetch {self.name}`, or see its manifest "
                "for the expected layout."
            )
            if self.problems
            else None
        )

    def require(self) -> None:
        """Raise DataError listing the problems, if there are any."""
        if self.complaint is not None:
            raise self.complaint


def verify(
    name: str,
    folder: Path | None = None,
    *,
    checksums: bool = False,
    picture_sizes: bool = False,
    pictures: bool = False,
    only: Sequence[str] = (),
    progress: bool = False,
) -> Report:
    """Compare a data set's folder with its manifest and return the findings.

    The check covers the downloaded files' sizes, class folders, counts of images and objects, and,
    if a list gives the images' classes, the folder of each image; it changes no data.

    Args:
        checksums: whether to read all downloaded files again and compare their checksums as well.
        picture_sizes: whether to compare every image's size with that in the archive, if the
            archive is there or its sizes were recorded when it was unpacked.
        pictures: whether to decode every image completely.
        only: beginnings of the content paths to check, such as ("fog/",); empty means all.

    Raises:
        InputError: no such manifest.
    """
    manifest = load_dataset(name)
    if manifest.of is not None:
        return verify(
            manifest.of,
            folder,
            checksums=checksums,
            picture_sizes=picture_sizes,
            pictures=pictures,
            only=only,
            progress=progress,
        )
    folder = folder or paths.data() / name
    notes: list[str] = []
    problems: list[str] = []
    if manifest.access == "generated":
        return Report(name, folder, None, ("it is drawn on demand",), ())
    if manifest.kind == "image_folder" and manifest.folders is None:
        problems.append("its manifest lacks the key `folders`, the class list of its folders")
    root = manifest.below(folder)
    contents = _contents(manifest, only)
    try:
        in_shards = shards.of(manifest, folder)
    except DataError as error:
        return Report(name, folder, None, (), (str(error),))
    if in_shards is not None:
        packed = [one for one in contents if shards.holds(manifest, one)]
        images = checks.look(manifest, in_shards, packed, notes, problems, pictures=pictures)
        for content in contents:
            if content not in packed:
                _look_at_content(
                    content, root, _held(content, root, manifest.named), notes, problems
                )
        return Report(name, folder, images, tuple(notes), tuple(problems))
    for file in manifest.files:
        _look_at_file(file, folder, bool(contents), checksums, notes, problems)
    problems += disputed(manifest, folder)
    truth = known_folders(manifest, folder)
    if truth is None and (manifest.even or manifest.members_of is not None):
        notes.append("there is no list of the images' classes with which to compare their folders")
    counts = []
    for content in contents:
        held = _held(content, root, manifest.named)
        counts.append(_look_at_content(content, root, held, notes, problems))
        for path, files in held.items() if manifest.named else ():
            notes.append(f"{path}: {len(files)} images in {len({f.parent for f in files})} folders")
            problems += misnamed(path, files)
        for path, files in held.items() if content.folders is not None else ():
            if truth is not None:
                problems += misplaced(path, files, truth)
            elif manifest.even:
                problems += uneven(path, files)
            if picture_sizes:
                problems += against_archive(manifest, folder, path, files, notes)
            if pictures:
                faults = unreadable(path, files, manifest.side, progress=progress)
                problems += faults
    counted = [count for count in counts if count is not None]
    return Report(name, folder, sum(counted) if counted else None, tuple(notes), tuple(problems))


def pictures_below(folder: Path) -> Iterator[Path]:
    """Yield the image files below a folder, at any depth; hidden files do not count."""
    if folder.is_dir():
        for below, one in listed(folder).items():
            yield from (folder / below / name for name in one.pictures)


def identity(file: File) -> str:
    """Return a text that distinguishes an archive from other versions of it."""
    stated = published(file)
    return " ".join(f"{name}:{digest}" for name, digest in sorted(stated.items())) or "unpublished"


def _contents(manifest: DatasetManifest, only: Sequence[str]) -> tuple[Content, ...]:
    whole = Content(path=".", images=manifest.images, folders=manifest.folders)
    contents = manifest.contents or ((whole,) if whole.images or whole.folders else ())
    return tuple(c for c in contents if not only or c.path.startswith(tuple(only)))


def _look_at_file(
    file: File,
    folder: Path,
    unpacked_is_enough: bool,
    again: bool,
    notes: list[str],
    problems: list[str],
) -> None:
    path = folder / file.name
    if path.is_file():
        size = path.stat().st_size
        if all(one.bytes not in (None, size) for one in file.editions):
            problems.append(f"{file.name}: expected {file.bytes} bytes, but got {size}")
        elif again:
            try:
                check(path, file, again=True)
                notes.append(f"{file.name}: the checksum is correct")
            except FetchError as error:
                problems.append(str(error))
        else:
            notes.append(f"{file.name}: present, {size} bytes")
    elif archives.is_unpacked(file.name, folder, identity(file)):
        notes.append(f"{file.name}: was unpacked and then deleted")
    elif unpacked_is_enough:
        notes.append(f"{file.name}: is not there; its unpacked contents were checked instead")
    else:
        problems.append(f"{file.name}: is not there")


def _held(content: Content, root: Path, named: bool) -> dict[Path, list[Path]]:
    """Return path that a content matches -> images below it."""
    found = [root] if content.path == "." else sorted(root.glob(content.path))
    counted = named or content.images is not None or content.folders is not None
    return {
        path: of_own_classes(pictures_below(path), content.folders) if counted else []
        for path in found
        if path.exists()
    }


def _look_at_content(
    content: Content,
    root: Path,
    held: Mapping[Path, Sequence[Path]],
    notes: list[str],
    problems: list[str],
) -> int | None:
    found = list(held)
    if len(found) != content.matches:
        many = f"expected {content.matches} of these, but found {len(found)}"
        lack = many if content.matches > 1 else "is not there"
        told = "" if content.lacking is None else f" ({content.lacking})"
        problems.append(f"{root / content.path}: {lack}{told}")
    counted = 0
    for path in found:
        if content.folders is not None:
            problems += _folder_problems(path, content.folders, notes)
        if content.images is not None:
            images = len(held[path])
            counted += images
            right = content.images if isinstance(content.images, tuple) else (content.images,)
            if images not in right:
                many = " or ".join(f"{count}" for count in right)
                problems.append(f"{path}: expected {many} images, but found {images}")
    if content.objects is not None and found:
        problems += _object_problems(root / content.path, found, content.objects, notes)
    if content.images is None:
        return None
    notes.append(f"{root / content.path}: {counted} images")
    return counted


def _object_problems(
    glob: Path, files: Sequence[Path], expected: ObjectCounts, notes: list[str]
) -> Iterator[str]:
    """Yield the differences between the annotations in some files and their published counts."""
    try:
        found = coco_file.counts([coco_file.read(path) for path in files])
    except DataError as error:
        yield str(error)
        return
    numbers: dict[str, tuple[int | None, int]] = {
        "objects": (expected.objects, found.objects),
        "images with objects": (expected.pictures, found.pictures),
        "regions of crowds": (expected.crowds, found.crowds),
    }
    for name, count in expected.by_class.items():
        numbers[f"objects of the category {name}"] = (count, found.by_class.get(name, 0))
    for what, (stated, ours) in numbers.items():
        if stated is not None and stated != ours:
            yield f"{glob}: expected {stated} {what}, but found {ours}"
    empty = sum(not count for count in found.by_class.values())
    notes.append(
        f"{glob}: {found.objects} objects in {found.pictures} images, {found.crowds} of them "
        f"regions of crowds; {empty} of {len(found.by_class)} categories have none"
    )


def _folder_problems(path: Path, class_list: str, notes: list[str]) -> Iterator[str]:
    expected = set(load_classes(class_list).folders)
    found = set(listed(path)[""].folders)
    if not found:
        if next(pictures_below(path), None) is not None:
            notes.append(f"{path}: not sorted into class folders")
            return
        found = set()
    if is_all_of_imagenet(found):
        notes.append(f"{path}: all of ImageNet-22K, of which {len(expected)} classes are taken")
        found &= expected
    for what, names in (("lacks", expected - found), ("has besides", found - expected)):
        if names:
            few = ", ".join(sorted(names)[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
            yield f"{path}: {what} {len(names)} class folders ({few})"


def seems_there(name: str, folder: Path | None = None, *, only: Sequence[str] = ()) -> bool:
    """Return whether all required parts of a data set exist and are not empty; nothing is counted.

    Parts without which a copy can still be read, such as the videos of a later edition, may be
    missing.

    All class folders must be there, and the first and the last must hold an image. No folder is
    listed completely: for ImageNet-C, each of its 95 conditions is checked once, with two of its
    folders.

    Args:
        only: beginnings of the content paths to check, such as ("fog/",); empty means all.

    Raises:
        InputError: no such manifest.
    """
    manifest = load_dataset(name)
    folder = folder or paths.data() / name
    with suppress(DataError):  # who reads the copies says that there are two
        if (held := shards.of(manifest, folder)) is not None:
            return not held.problems and _are_held(manifest, held, only)
    contents = [
        one
        for one in manifest.contents or (Content(path=".", folders=manifest.folders),)
        if (one.path.startswith(tuple(only)) if only else one.lacking is None)
    ]
    return all(_is_held(manifest, folder, one) for one in contents)


def _are_held(manifest: DatasetManifest, held: Shards, only: Sequence[str]) -> bool:
    """Return whether shards hold all the conditions of ImageNet-C that are requested."""
    wanted = [one for one in manifest.contents if only and one.path.startswith(tuple(only))]
    found = conditions(held) if wanted else ()
    return all(len(filter_by(found, one.path)) >= one.matches for one in wanted)


def _is_held(manifest: DatasetManifest, folder: Path, content: Content) -> bool:
    root = manifest.below(folder)
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
    """Return whether images are unsorted in one folder and a list gives their classes."""
    return has_truth(manifest, folder) and any(
        is_picture(entry.name) and entry.is_file() for entry in _entries(path)
    )


def _holds(path: Path, suffixes: tuple[str, ...]) -> bool:
    """Return whether a path is a non-empty file, or has one with such a suffix below it."""
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
    """Yield the entries of a folder that are not hidden; nothing if there is no such folder."""
    if path.is_dir():
        with os.scandir(path) as entries:
            yield from (entry for entry in entries if not entry.name.startswith("."))
