"""Checks that shards hold a data set completely, each image once and with the right class."""

import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from robust_lib.config.class_lists import load_classes
from robust_lib.config.dataset_files import Content
from robust_lib.config.manifests import DatasetManifest
from robust_lib.errors import DataError
from robust_lib.fetch.pictures import (
    fault,
    few,
    is_all_of_imagenet,
    known_folders,
    misplaced,
    uneven,
)
from robust_lib.fetch.shards import Shards
from robust_lib.fetch.shards.index import conditions
from robust_lib.fetch.shards.packed import Packed, packed


def look(
    manifest: DatasetManifest,
    shards: Shards,
    contents: Sequence[Content],
    notes: list[str],
    problems: list[str],
    *,
    pictures: bool,
) -> int | None:
    """Return the number of expected images found in shards; add to notes and problems.

    Args:
        contents: the contents to check.
        pictures: whether to decode every image to its end.
    """
    notes.append(f"{shards.folder}: {len(shards.files)} {shards.layout}")
    problems += shards.problems
    if manifest.images is None and not any(one.images for one in contents):
        notes.append("the number of images is not published: no image was checked")
        return None
    counted, truth = 0, known_folders(manifest, shards.folder)
    try:
        for content in contents:
            found: list[str | None] = [None]
            if content.path != ".":
                found = [one for one in conditions(shards) if fnmatchcase(one, content.path)]
            if len(found) < content.matches:
                problems.append(
                    f"{shards.folder}: expected {content.matches} of {content.path} in shards, "
                    f"but found {len(found)}"
                )
            for condition in found:
                place = shards.folder / (condition or "")
                held = list(packed(manifest, shards, truth=truth, condition=condition))
                counted += len(held)
                problems += _faults(place, held, content, truth, manifest.even, notes)
                if pictures:
                    problems += _unreadable(place, held, manifest.side)
    except DataError as error:
        problems.append(str(error))
    notes.append(f"{shards.folder}: {counted} images")
    return counted


def _faults(
    place: Path,
    held: Sequence[Packed],
    content: Content,
    truth: Mapping[str, str] | None,
    even: bool,
    notes: list[str],
) -> Iterator[str]:
    if content.folders is not None and is_all_of_imagenet({one.folder for one in held}):
        own = {*load_classes(content.folders).folders}
        notes.append(f"{place}: all of ImageNet-22K, of which {len(own)} classes are taken")
        held = [one for one in held if one.folder in own]
    if content.images is not None:
        right = content.images if isinstance(content.images, tuple) else (content.images,)
        if len(held) not in right:
            many = " or ".join(map(str, right))
            yield f"{place}: expected {many} images, but found {len(held)}"
    if content.folders is not None:
        expected, found = {*load_classes(content.folders).folders}, {one.folder for one in held}
        for what, names in (("lacks", expected - found), ("has besides", found - expected)):
            if names:
                yield f"{place}: {what} {len(names)} classes ({few(sorted(names))})"
    ids = Counter(one.id for one in held)
    twice = sorted(name for name, count in ids.items() if count > 1)
    if twice:
        yield f"{place}: images that occur twice: {len(twice)} ({few(twice)})"
    disputed = [
        f"{one.sample.name} is labelled {one.folder}"
        for one in held
        if one.named is not None and one.named != one.folder
    ]
    if disputed:
        yield (
            f"{place}: images whose label differs from the class in their name: "
            f"{len(disputed)} ({few(disputed)})"
        )
    files = [place / one.id for one in held]
    if truth is not None and any(one.name in truth for one in held):
        told = misplaced(place, files, truth)
        yield from (line for line in told if not (twice and "occur twice" in line))
        return
    if truth is not None:
        notes.append(f"{place}: the images have names of their own; their classes are counted")
    if even:
        yield from uneven(place, files)


def _unreadable(place: Path, held: Sequence[Packed], side: int | None) -> Iterator[str]:
    """Yield a line a kind of fault; each image is decoded, in the order of the shards."""
    faults: dict[str, list[str]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for one, found in zip(held, pool.map(partial(_fault, side), held), strict=True):
            if found is not None:
                faults.setdefault(found, []).append(one.id)
    for what, names in sorted(faults.items()):
        yield f"{place}: {what}: {len(names)} ({few(names)})"


def _fault(side: int | None, one: Packed) -> str | None:
    try:
        return fault(side, io.BytesIO(one.read()))
    except DataError:
        return "images that cannot be read completely"
