"""COCO's annotations grouped by image, with classes of a label space and boxes as corners.

Images are identified by the stems of their files, and categories by their names: COCO's ids skip
ten numbers, and the release of [nao] does not state which ids it uses.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int64

from robust_lib.config.class_lists import ClassList
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.errors import DataError
from robust_lib.fetch.coco_file import CocoFile

OUTSIDE = 1.0
"""Pixels by which a box may leave its image: what rounding does."""


@dataclass(frozen=True, eq=False)
class Record:
    """A file's annotations of one image.

    Attributes:
        stem: the image's file name without the suffix.
        number: COCO's image id; None if the file has none.
        size: width and height in pixels; None if the file does not state them.
        boxes: xyxy pixels, in the file's order.
        classes: class of each object, from 0.
        areas: area of each outline in pixels; None if not all objects of the file have an `area`.
    """

    stem: str
    source: Path
    number: int | None
    size: tuple[int, int] | None
    boxes: Float64[np.ndarray, "_ 4"]
    classes: Int64[np.ndarray, " _"]
    crowd: Bool[np.ndarray, " _"]
    areas: Float64[np.ndarray, " _"] | None = None


def class_of(file: CocoFile, classes: ClassList) -> dict[int, int]:
    """Return category id -> class, by the categories' names.

    A file may list fewer categories than the label space has, since some files list only those of
    their objects. It then has no object of the other categories.

    Raises:
        DataError: a name that is not in the label space or fits two of its classes, or no name at
            all.
    """
    names = file.categories.values()
    places = classes.places(names, f"the categories in {file.path}")
    unknown = [name for name in names if name not in places]
    if unknown or not file.categories:
        raise DataError(
            f"Expected categories of {classes.name} in {file.path}, by name, but it has "
            f"{_listed(unknown)}. Rename its categories, or use another label space: ids alone do "
            "not identify the class of an object."
        )
    return {number: places[name] for number, name in file.categories.items()}


def records(file: CocoFile, classes: ClassList) -> dict[str, Record]:
    """Return stem -> annotations of that image; images without objects are included.

    Raises:
        DataError: categories with unknown names, an image that is listed twice or has no name, an
            object of an unlisted image, or an invalid box or area.

    >>> from robust_lib.config.class_lists import load_classes
    >>> coco = load_classes("coco")
    >>> names = {one.coco_id: one.name for one in coco.entries}
    >>> box = {"image_id": 7, "category_id": 18, "bbox": [10, 20, 30, 40]}
    >>> images = [{"id": 7, "file_name": "a.jpg", "width": 64, "height": 64}]
    >>> found = records(CocoFile(Path("val.json"), images, [box], names), coco)["a"]
    >>> found.boxes.tolist(), found.classes.tolist(), found.number, found.size
    ([[10.0, 20.0, 40.0, 60.0]], [16], 7, (64, 64))
    """
    known = class_of(file, classes)
    own, theirs = file.links
    stems = _stems(file, own)
    boxes, areas = _boxes(file), _areas(file)
    owners = [record.get(theirs) for record in file.annotations]
    strangers = [owner for owner in owners if owner not in stems]
    if strangers:
        raise DataError(
            f"Expected every object of {file.path} in one of its {len(stems)} images, but "
            f"{len(strangers)} of {len(owners)} are in others, such as {strangers[0]!r}. Use the "
            "list of images for which these annotations were made."
        )
    kinds = np.array([known[record["category_id"]] for record in file.annotations], np.int64)
    crowd = np.array([bool(record.get("iscrowd")) for record in file.annotations], bool)
    places: dict[str, list[int]] = {stem: [] for stem in stems.values()}
    for place, owner in enumerate(owners):
        places[stems[owner]].append(place)
    found = {}
    for record, (link, stem) in zip(file.images, stems.items(), strict=True):
        rows = np.array(places[stem], np.int64)
        number = link if isinstance(link, int) else None
        found[stem] = Record(
            *(stem, file.path, number, _size(record), boxes[rows], kinds[rows], crowd[rows]),
            None if areas is None else areas[rows],
        )
    return found


def joined(files: Sequence[Mapping[str, Record]]) -> dict[str, Record]:
    """Return the records of several files as one.

    Raises:
        DataError: an image is in two of them.
    """
    whole: dict[str, Record] = {}
    for file in files:
        for stem in sorted(whole.keys() & file.keys())[:1]:
            raise DataError(
                f"Expected each image in one file of annotations, but {stem} is in "
                f"{whole[stem].source} and in {file[stem].source}. Keep one file: otherwise its "
                "objects would count twice."
            )
        whole |= file
    return whole


def objects_of(
    record: Record, size: tuple[int, int], *, foreign: Foreign | None = None, most: float = OUTSIDE
) -> Objects:
    """Return the objects of an image.

    Args:
        foreign: its out-of-distribution objects, if they are known.
        most: pixels by which a box may extend beyond the image.

    Raises:
        DataError: a box extends beyond the image by more.

    >>> box, none = np.array([[1.0, 2.0, 9.5, 8.0]]), np.array([False])
    >>> record = Record("a", Path("val.json"), 7, None, box, np.array([2]), none)
    >>> len(objects_of(record, (9, 9)))
    1
    """
    width, height = size
    for box in record.boxes:
        if box.min() < -most or box[2] > width + most or box[3] > height + most:
            raise DataError(
                f"Expected the boxes of {record.stem} inside its {width} x {height} pixels, but "
                f"{record.source} has {_corners(box)} (left, top, right, bottom). Check that "
                "images and annotations belong together and boxes are [x, y, width, height]. "
                f"If so, set the option `outside` in the manifest, now {most:g} pixels."
            )
    return Objects(
        width,
        height,
        record.boxes.astype(np.float32),
        record.classes,
        crowd=record.crowd,
        foreign=foreign,
        areas=record.areas,
    )


def _stems(file: CocoFile, link: str) -> dict[Any, str]:
    """Return the key that links objects to an image -> the stem of its file, in order."""
    stems: dict[Any, str] = {}
    taken: set[str] = set()
    for record in file.images:
        key, name = record.get(link), record.get("file_name")
        if not isinstance(key, int | str) or not isinstance(name, str):
            raise DataError(
                f"Expected `{link}` and `file_name` of each image in {file.path}, but a record "
                f"has {', '.join(sorted(record)) or 'nothing'}. Use the file as it was released."
            )
        stem = PurePosixPath(name).stem
        if key in stems or stem in taken:
            raise DataError(
                f"Expected each image of {file.path} once, but {name} ({link} {key!r}) occurs "
                "twice. Its objects could not be distinguished."
            )
        stems[key] = stem
        taken.add(stem)
    return stems


def _boxes(file: CocoFile) -> Float64[np.ndarray, "_ 4"]:
    given = [record.get("bbox") for record in file.annotations]
    for wrong in (box for box in given if not _is_box(box)):
        raise DataError(
            f"Expected four numbers [x, y, width, height] as `bbox` of each object in {file.path}, "
            f"but one has {wrong!r}. Use the instances file."
        )
    boxes = np.array(given, np.float64).reshape(-1, 4)
    bad = ~np.isfinite(boxes).all(1) | (boxes[:, 2:] < 0).any(1)
    if bad.any():
        first = boxes[int(np.flatnonzero(bad)[0])]
        raise DataError(
            "Expected boxes [x, y, width, height] of finite numbers and no negative size in "
            f"{file.path}, but {int(bad.sum())} of {len(boxes)} are not, such as "
            f"[{_corners(first)}]. Convert corners (x1, y1, x2, y2) to sizes first."
        )
    return np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], 1)


def _areas(file: CocoFile) -> Float64[np.ndarray, " _"] | None:
    given = [record.get("area") for record in file.annotations]
    for wrong in (one for one in given if one is not None and not _is_area(one)):
        raise DataError(
            f"Expected the pixels inside an outline as `area` of each object in {file.path}, but "
            f"one has {wrong!r}. Correct it, or omit `area`: the size of an object is then the "
            "area of its box."
        )
    return None if None in given else np.array(given, np.float64)


def _is_area(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


def _is_box(value: Any) -> bool:
    four = isinstance(value, list) and len(value) == 4
    return four and all(type(number) in (int, float) for number in value)


def _size(record: Mapping[str, Any]) -> tuple[int, int] | None:
    width, height = record.get("width"), record.get("height")
    if not isinstance(width, int) or not isinstance(height, int) or min(width, height) < 1:
        return None
    return width, height


def _listed(names: Sequence[str]) -> str:
    return (", ".join(names[:3]) + (", ..." if len(names) > 3 else "")) or "none"


def _corners(box: Float64[np.ndarray, "4"]) -> str:
    return ", ".join(f"{value:g}" for value in box)
