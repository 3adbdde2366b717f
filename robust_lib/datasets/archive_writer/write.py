"""An ImageNet-C from your own images: any folder, corrupted and stored like the archive.

    from robust_lib.datasets.archive_writer.write import write
    write(Path("val"), Path("imagenet_c"), corruptions=["common"], workers=8)

The layout is the published one [inc, sec. 4]: <corruption>/<severity>/<class folder>/<name>.JPEG,
224 px, quality 85. `imagenet_c.Archive` reads it back with exactly the pixels that
`imagenet_c.Corrupted` computes from the same folder on the fly, with the geometry `BENCHMARK`.
"""

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path

from filelock import FileLock, Timeout
from tqdm import tqdm

from robust_lib import vocabulary
from robust_lib.config.class_lists import ClassEntry, ClassList
from robust_lib.datasets.archive_writer import manifest
from robust_lib.datasets.archive_writer.files import (
    Cell,
    Each,
    Tree,
    look,
    make,
    processes,
    read,
    stored_name,
)
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import BENCHMARK, frost_to_draw, noted
from robust_lib.errors import DataError, InputError, RunError, one_of
from robust_lib.fetch.listing import READ, is_picture
from robust_lib.preprocessing import Preprocessing

GROUPS: Mapping[str, Sequence[str]] = {
    "all": vocabulary.NAMES,
    "common": vocabulary.COMMON,
    **vocabulary.CATEGORIES,
}
"""Words for several corruptions at once: all, the 15 of the benchmark's mean, or a family."""

NO_TREE = (
    "Shards and images with boxes need no tree: a profile with `corrupted: generated`, and the "
    "benchmark coco_c of a passport, corrupt them as they are read."
)

BLOCK = 4096  # bytes that the smallest file takes
PER_PIXEL = 0.14  # bytes of the archive's smallest files, those of the blurs


@dataclass(frozen=True)
class Written:
    """The result of a call of `write`."""

    images: int
    corruptions: tuple[str, ...]
    severities: tuple[int, ...]
    made: int
    kept: int
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Return the result as a sentence."""
        return (
            f"{self.made:,} files written and {self.kept:,} kept ({self.images:,} images, "
            f"{len(self.corruptions)} corruptions, {len(self.severities)} severities) in "
            f"{self.seconds:.1f} s{''.join(f'; {note}' for note in self.notes)}."
        )


def write(
    source: Path,
    target: Path,
    *,
    corruptions: Sequence[str] = ("common",),
    severities: Sequence[int] = vocabulary.SEVERITIES,
    geometry: Preprocessing = BENCHMARK,
    seed: int = 0,
    limit: int | None = None,
    workers: int = 1,
    batch: int = 8,
    progress: bool = False,
) -> Written:
    """Write corrupted copies of a folder's images in the layout of ImageNet-C [inc, sec. 4].

    The bytes are the same for any number of workers, any batch and any order, and also after an
    interruption and another call: existing files with the same settings are kept. More corruptions
    and severities may be added to a tree later. The settings are in `robust_corrupt.json` in the
    tree, and a comment in every file identifies it.

    Args:
        source: class folders with images in any format that Pillow reads. Skipped files are
            reported.
        target: the tree's folder: new, empty, or from an earlier call with the same settings.
        corruptions: names of corruptions, or groups of `GROUPS`.
        seed: seed of the random draws, which are keyed by (seed, class folder/name).
        limit: number of images, chosen as in `ImageFolder`; None takes all.
        batch: number of images in memory per process.

    Raises:
        InputError: an unknown corruption or severity, or fewer than one worker, image per batch or
            image in all.
        DataError: no images, one that cannot be read, a target that contains other things or was
            begun with different settings, or too little space.
        RunError: another process writes to the target, or a worker ended.
        OSError: a file cannot be written.
    """
    began = time.monotonic()
    names, levels = chosen(corruptions, severities)
    for what, number in (("worker process", workers), ("image in a batch", batch)):
        if number < 1:
            raise InputError(f"Expected at least one {what}, but got {number}.")
    source, target = source.resolve(), target.resolve()
    _require_apart(source, target)
    images = listed(source, limit)
    settings = manifest.settings_of(images, geometry, seed)
    tree = Tree(source, target, geometry, seed, settings.digest)
    frost = frost_to_draw() if "frost" in names else None
    read(tree, images.ids[0])  # before anything is written: sizes may not fit, either
    with _alone(target):
        manifest.begin(target, source.name, settings, names, levels)
        cells = tuple((name, severity) for name in names for severity in levels)
        with processes(min(workers, len(images))) as each:
            lacking = _lacking(tree, images, cells, each, progress)
            files = sum(map(len, lacking.values()))
            _require_space(tree, files, images.ids[0])
            kept = len(images) * len(cells) - files
            size = max(1, min(batch, ceil(len(lacking) / workers)))
            with tqdm(
                total=kept + files,
                initial=kept,
                desc=target.name,
                unit="file",
                disable=not progress,
            ) as bar:
                for made in each(partial(make, tree, part) for part in _parts(lacking, size)):
                    bar.update(made)
        manifest.complete(target, names, levels)
    notes = [f"{name}: {note}" for name in names if (note := noted(name, frost)) is not None]
    told = (*notes, *images.notes)
    return Written(len(images), names, levels, files, kept, time.monotonic() - began, told)


def chosen(
    corruptions: Sequence[str], severities: Sequence[int]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the requested corruptions and severities, each once, in the benchmark's order.

    Raises:
        InputError: an unknown name or severity, or none.

    >>> chosen(["fog", "noise"], [3, 1])
    (('gaussian_noise', 'shot_noise', 'impulse_noise', 'fog'), (1, 3))
    """
    allowed = (*GROUPS, *vocabulary.NAMES)
    if unknown := [word for word in corruptions if word not in allowed]:
        raise InputError(one_of("corruption", unknown[0], allowed))
    for severity in severities:
        if severity not in vocabulary.SEVERITIES:
            raise InputError(one_of("severity", severity, vocabulary.SEVERITIES))
    if not corruptions or not severities:
        raise InputError("Expected at least one corruption and one severity, but got none.")
    meant = {name for word in corruptions for name in GROUPS.get(word, (word,))}
    names = tuple(name for name in vocabulary.NAMES if name in meant)
    return names, tuple(sorted(set(severities)))


def listed(source: Path, limit: int | None) -> ImageFolder:
    """Return the images of a folder whose subfolders are the classes.

    Raises:
        DataError: no folder, no class folders, no images, or two images that would get the same
            file name.
    """
    if not source.is_dir():
        raise DataError(f"Expected a folder of class folders at {source}, but there is none.")
    folders = sorted(one for one in source.iterdir() if one.is_dir() and one.name[0] != ".")
    if not folders:
        raise DataError(
            f"Expected class folders in {source}, such as n01440764, but it has none. Sort the "
            "images into one folder per class; ImageNet's validation images are not sorted when "
            f"unpacked. {NO_TREE}"
        )
    if not any(is_picture(file.name) for inside in folders for file in inside.iterdir()):
        raise DataError(
            f"Expected images ({READ}) in the class folders of {source}, but "
            f"{folders[0].name} and all others have none. Pass the folder whose folders are the "
            f"classes. {NO_TREE}"
        )
    entries = tuple(
        ClassEntry(index=index, name=one.name, folder=one.name) for index, one in enumerate(folders)
    )
    classes = ClassList(name="folders", title="Folders", source="their names", entries=entries)
    images = ImageFolder(source, classes, limit=limit)
    places: dict[str, str] = {}
    for picture in images.ids:
        other = places.setdefault(stored_name(picture), picture)
        if other != picture:
            raise DataError(
                f"Expected images with different names, but {source / other} and {picture} would "
                f"both be stored as {stored_name(picture)}. Rename one of them."
            )
    return images


def _require_apart(source: Path, target: Path) -> None:
    if target.is_relative_to(source) or source.is_relative_to(target):
        raise DataError(
            f"Expected two separate folders, but got {source} to read and {target} to write. Write "
            "to a folder next to that of the images, or elsewhere."
        )


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(target.parent / f".{target.name}.lock", timeout=0):
            yield
    except Timeout:
        raise RunError(
            f"Expected no other process that writes to {target}, but there is one. Wait until it "
            "ends, or use another folder."
        ) from None


def _lacking(
    tree: Tree, images: ImageFolder, cells: Sequence[Cell], each: Each, progress: bool
) -> dict[str, tuple[Cell, ...]]:
    """Return the conditions that each image lacks; images that lack none are left out."""
    classes: dict[str, list[str]] = {folder: [] for folder in images.class_names}
    for picture in images.ids:
        classes[picture.split("/")[0]].append(picture)
    tasks = [partial(look, tree, folder, ids, cells) for folder, ids in classes.items()]
    found: dict[str, tuple[Cell, ...]] = {}
    answers = each(tasks)
    bar = tqdm(answers, "looking", len(tasks), leave=False, unit="class", disable=not progress)
    for lacking in bar:
        found |= lacking
    return dict(sorted(found.items()))


def _parts(
    lacking: Mapping[str, tuple[Cell, ...]], size: int
) -> Iterator[Mapping[str, tuple[Cell, ...]]]:
    names = list(lacking)
    for start in range(0, len(names), size):
        yield {name: lacking[name] for name in names[start : start + size]}


def _require_space(tree: Tree, files: int, picture: str) -> None:
    """Raise DataError if even small files would not fit."""
    height, width, _ = read(tree, picture).shape
    least = files * max(BLOCK, int(PER_PIXEL * height * width))
    free = shutil.disk_usage(tree.target).free
    if least > free:
        raise DataError(
            f"Expected space for {files:,} files in {tree.target}, at least {least / 1e9:.1f} GB, "
            f"but {free / 1e9:.1f} GB are free. Free some space, or use fewer corruptions."
        )
