"""Faults of a data set's images: misplaced, of the wrong size, or impossible to decode.

An image that was shrunk, stored again or truncated differs in size from that in the archive. The
table of sizes is made from the user's own archive, when it is unpacked or checked.
"""

import json
import os
import re
import tarfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from PIL import Image
from tqdm import tqdm

from robust_lib import atomic, paths
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.errors import DataError
from robust_lib.fetch.devkit import truth_of
from robust_lib.fetch.listing import is_picture

SHOWN = 3
"""Images or folders named in a message."""


WHOLE = 10_000
"""Class folders above which a folder holds all of ImageNet-22K, which has 21,841."""


def is_all_of_imagenet(folders: Collection[str]) -> bool:
    """Return whether class folders are all of ImageNet-22K, so that a data set uses only its own.

    >>> is_all_of_imagenet(["n01440764"]), is_all_of_imagenet([f"n{n:08d}" for n in range(21841)])
    (False, True)
    """
    return len(folders) > WHOLE and all(re.fullmatch(r"n\d{8}", name) for name in folders)


def of_own_classes(files: Iterable[Path], folders: str | None) -> list[Path]:
    """Return the images in class folders; from all of ImageNet-22K, only those in a class list."""
    held = list(files)
    if folders is None or not is_all_of_imagenet({file.parent.name for file in held}):
        return held
    own = {*load_classes(folders).folders}
    return [file for file in held if file.parent.name in own]


def known_folders(manifest: DatasetManifest, folder: Path) -> dict[str, str] | None:
    """Return the class folder to which each image belongs, by file name; None if unknown.

    ImageNet's development kit and the project's own list give the folders of the validation images,
    which are also those of ImageNet-C. A data set without either is still compared with the data
    set that it shows, if that one is sorted into class folders.
    """
    if manifest.members_of is not None:
        whole = load_dataset(manifest.members_of)
        beside = paths.data() / whole.name
        return known_folders(whole, beside) or _placed(beside / whole.root)
    try:
        return truth_of(manifest, folder)
    except DataError:  # who reads the pictures by it says what is wrong with it
        return None


def _placed(root: Path) -> dict[str, str] | None:
    """Return the class folder of each image in a sorted copy; None for another copy."""
    return {file.name: file.parent.name for file in root.glob("*/*") if file.is_file()} or None


def uneven(folder: Path, files: Sequence[Path]) -> Iterator[str]:
    """Yield a line if class folders hold unequal numbers of images.

    >>> files = [Path("val/n01440764/1.JPEG"), Path("val/n01440764/2.JPEG"), Path("val/n0/3.JPEG")]
    >>> list(uneven(Path("val"), files))
    ['val: its classes have unequal numbers of images: n0 1, n01440764 2']
    """
    counts = Counter(file.parent.name for file in files if file.parent != folder)
    if len(set(counts.values())) > 1:
        usual = Counter(counts.values()).most_common(1)[0][0]
        odd = sorted(name for name, count in counts.items() if count != usual) or sorted(counts)
        told = few(
            [f"{name} {counts[name]}" for name in (odd if len(counts) > 2 else sorted(counts))]
        )
        yield f"{folder}: its classes have unequal numbers of images: {told}"


def misplaced(folder: Path, files: Sequence[Path], truth: Mapping[str, str]) -> Iterator[str]:
    """Yield one line for each fault in the class folders of some images.

    Args:
        folder: folder of class folders, or a flat folder of images.
        truth: class folder of each image, by file name.

    >>> truth = {"1.JPEG": "n01440764", "2.JPEG": "n01443537"}
    >>> swapped = [Path("n01443537/1.JPEG"), Path("n01440764/2.JPEG")]
    >>> list(misplaced(Path("val"), swapped, truth))
    ['val: class folders are swapped: n01440764 holds the images of n01443537, n01443537 holds\
 those of n01440764']
    """
    names = Counter(file.name for file in files)
    for what, wrong in (
        ("images that are in no list", sorted(names.keys() - truth.keys())),
        ("images of the list that are not there", sorted(truth.keys() - names.keys())),
        (
            "images that occur twice",
            sorted(name for name, count in names.items() if count > 1),
        ),
    ):
        if wrong:
            yield f"{folder}: {what}: {len(wrong)} ({few(wrong)})"
    lies = [(file.name, file.parent.name) for file in files if file.parent != folder]
    if not lies:
        return
    yield from _misplaced(folder, lies, truth)


def _misplaced(
    folder: Path, lies: Sequence[tuple[str, str]], truth: Mapping[str, str]
) -> Iterator[str]:
    held: dict[str, Counter[str]] = {}
    for name, inside in lies:
        held.setdefault(inside, Counter())[truth.get(name, "")] += 1
    # A folder all of whose pictures are of one other class was given a wrong name.
    swapped = {
        inside: next(iter(classes))
        for inside, classes in sorted(held.items())
        if len(classes) == 1 and set(classes) not in ({inside}, {""})
    }
    if swapped:
        (first, other), *rest = swapped.items()
        told = [f"{first} holds the images of {other}"]
        told += [f"{inside} holds those of {of}" for inside, of in rest[: SHOWN - 1]]
        more = ", ..." if len(swapped) > SHOWN else ""
        yield f"{folder}: class folders are swapped: {', '.join(told)}{more}"
    moved = [
        f"{inside}/{name} belongs to {truth[name]}"
        for name, inside in lies
        if inside not in swapped and truth.get(name, inside) != inside
    ]
    if moved:
        few_of_them = few(sorted(moved))
        yield f"{folder}: images in the folder of another class: {len(moved)} ({few_of_them})"


def few(names: Sequence[str]) -> str:
    """Return the first few names of a list, as text."""
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def misnamed(folder: Path, files: Sequence[Path]) -> Iterator[str]:
    """Yield a line if image names do not consist of their class folder and a number.

    >>> files = [Path("n01440764/n01440764_7.JPEG"), Path("n01443537/n01440764_10.JPEG")]
    >>> list(misnamed(Path("train"), files))
    ['train: images whose name does not fit their class folder: 1 (n01443537/n01440764_10.JPEG)']
    """
    wrong = sorted(
        f"{file.parent.name}/{file.name}"
        for file in files
        if not re.fullmatch(rf"{re.escape(file.parent.name)}_\d+", file.stem)
    )
    if wrong:
        what = "images whose name does not fit their class folder"
        yield f"{folder}: {what}: {len(wrong)} ({few(wrong)})"


TABLE = ".sizes.json"
BLOCK, RECORD = 512, 10240  # bytes of a tar's headers and padding, and of its records


def record_sizes(manifest: DatasetManifest, folder: Path) -> Path | None:
    """Return the table of all images' sizes, made from the archives in a folder.

    The table is None if the data set does not consist of folders of images, or there is no archive.
    """
    archives = [folder / file.name for file in manifest.files if file.into is not None]
    if manifest.kind != "image_folder":
        return None
    sizes: dict[str, int] = {}
    for archive in archives:
        if archive.is_file() and tarfile.is_tarfile(archive):
            with tarfile.open(archive) as tar:
                sizes |= {_key(one.name): one.size for one in tar if _is_picture(one)}
    if sizes:
        atomic.write_json(folder / TABLE, sizes)
    return folder / TABLE if sizes else None


def recorded_sizes(folder: Path) -> dict[str, int] | None:
    """Return the recorded sizes by class folder and file name; None if there are none."""
    try:
        found = json.loads((folder / TABLE).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return dict(found)


def against_archive(
    manifest: DatasetManifest, folder: Path, path: Path, files: Sequence[Path], notes: list[str]
) -> Iterator[str]:
    """Yield the differences of some images from their archive; add the basis to the notes."""
    known = recorded_sizes(folder)
    if known is None and record_sizes(manifest, folder) is not None:
        known = recorded_sizes(folder)
    if known is not None:
        notes.append(f"{path}: sizes compared with those of the archive's {len(known)} images")
        yield from of_other_sizes(path, files, known)
        return
    published = [file.bytes for file in manifest.files if file.into is not None and file.bytes]
    if manifest.kind == "image_folder" and published:
        packed, stated = packed_size(files), published[0]
        verdict = "as the published one" if packed == stated else f"the published one {stated:,}"
        notes.append(
            f"{path}: a tar of these images has {packed:,} bytes, {verdict}; there is no archive "
            "with which to compare each image; decoding them shows which cannot be read"
        )


def of_other_sizes(folder: Path, files: Sequence[Path], sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield one line for each way in which some images differ from those of their archive.

    Args:
        sizes: sizes in bytes, by file name, or by class folder and file name if the archive has
            folders.
    """
    other, strange, left = [], [], set(sizes)
    for file in files:
        named = f"{file.parent.name}/{file.name}"
        key = named if named in sizes else file.name
        if key not in sizes:
            strange.append(named)
            continue
        left.discard(key)
        if (found := file.stat().st_size) != sizes[key]:
            other.append(f"{named} has {found:,} bytes, not {sizes[key]:,}")
    for what, wrong in (
        ("images whose sizes differ from those in the archive", other),
        ("images that the archive does not have there", sorted(strange)),
        ("images of the archive that are not there", sorted(left)),
    ):
        if wrong:
            yield f"{folder}: {what}: {len(wrong)} ({few(wrong)})"


def packed_size(files: Sequence[Path]) -> int:
    """Return the size in bytes of a plain tar of some files, to compare with an archive's.

    >>> packed_size([])
    10240
    """
    blocks = sum(BLOCK + -(-file.stat().st_size // BLOCK) * BLOCK for file in files)
    return -(-(blocks + 2 * BLOCK) // RECORD) * RECORD


def _is_picture(member: tarfile.TarInfo) -> bool:
    return member.isreg() and is_picture(PurePosixPath(member.name).name)


def _key(name: str) -> str:
    """Return an image's name, preceded by its class folder if it has one."""
    return "/".join(PurePosixPath(name).parts[-2:])


def unreadable(
    folder: Path, files: Sequence[Path], side: int | None, *, progress: bool = False
) -> Iterator[str]:
    """Yield one line per kind of fault in some images; every image is fully decoded.

    Args:
        side: expected width and height in pixels; None accepts any size.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(partial(fault, side), files, chunksize=64)
        told = list(tqdm(found, total=len(files), desc=folder.name, disable=not progress))
    faults: dict[str, list[str]] = {}
    for file, wrong in zip(files, told, strict=True):
        if wrong is not None:
            faults.setdefault(wrong, []).append(file.relative_to(folder).as_posix())
    for what, names in sorted(faults.items()):
        yield f"{folder}: {what}: {len(names)} ({few(names)})"


def fault(side: int | None, file: Path | BinaryIO) -> str | None:
    """Return the fault of an image, which is fully decoded; None if there is none."""
    try:
        with Image.open(file) as picture:
            if side is not None and picture.size != (side, side):
                return f"images whose sizes differ from {side} x {side} pixels"
            picture.load()
    # Pillow raises SyntaxError and ValueError, too, for files that are not what they say they are.
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return "images that cannot be read completely"
    return None
