"""COCO results files: a list of boxes, each with image, category and score.

`[{"image_id": 1, "category_id": 18, "bbox": [x, y, width, height], "score": 0.9}, ...]`, boxes in
pixels from the upper left corner. Boxes that were found elsewhere can be read, and ours can be
written to be scored elsewhere. Ours have a fifth key, `picture`, which identifies the image's
content, and the first entry has a sixth, `without_boxes`: the images in which nothing was found,
with their contents. A file with at least one box thus lists all images on which the detector ran.
Other programs ignore these keys.
"""

import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from robust_lib import atomic
from robust_lib.config import strict_json
from robust_lib.errors import DataError, InputError
from robust_lib.metrics.boxes import Detections

ImageId = int | str
_KEYS = ("image_id", "category_id", "bbox", "score")
_WITHOUT = "without_boxes"


def load(
    path: Path,
    images: Sequence[ImageId] | Mapping[ImageId, int],
    categories: Mapping[int, int],
    sizes: Callable[[int], tuple[int, int]] | None = None,
    pictures: Sequence[str] | None = None,
    wanted: Sequence[int] = (),
) -> Detections:
    """Return the detections in a results file.

    If a file does not identify the contents of its images, it is matched by ids alone; a warning
    says so, and what was checked.

    Args:
        images: ids of the images, numbers or names, in the order in which they are numbered here;
            or id -> number, if an image has several.
        categories: COCO's category id -> our class, from 0.
        sizes: image number -> width and height in pixels; None if unknown.
        pictures: text that identifies each image's content, by its number; None if unknown.
        wanted: numbers of the images to score; a file that lists its detector's images must contain
            all of them.

    Raises:
        DataError: no such file, not JSON, or not such a list; an entry that lacks a key, has a
            wrong kind of value, NaN, a box of negative size, or a score outside [0, 1]; boxes given
            as corners or fractions, or for images of a different size; boxes of different images
            with the same ids; or an image on which the detector did not run.
        InputError: an image or a category that is not among the given ones.
    """
    entries = _entries(path)
    for place, entry in enumerate(entries):
        _require_entry(entry, place, path)
    numbers: Mapping[Any, int] = (
        images if isinstance(images, Mapping) else {one: place for place, one in enumerate(images)}
    )
    shown = [*entries, *_without(entries, path)]
    named = [entry["image_id"] for entry in shown]
    _require_known(path, "image", named, numbers)
    if any(_WITHOUT in entry for entry in entries):
        _require_shown(numbers, named, wanted, path)
    _require_known(path, "category", [entry["category_id"] for entry in entries], categories)
    boxes = np.array([entry["bbox"] for entry in entries], np.float64).reshape(-1, 4)
    places = np.array([numbers[entry["image_id"]] for entry in entries], np.int64)
    if sizes is not None and len(boxes):
        known = {place: sizes(place) for place in set(places.tolist())}
        _require_pixels(boxes, np.array([known[place] for place in places.tolist()]), path)
    if pictures is not None and entries:
        checked = "" if sizes is None else " Their boxes lie inside these images."
        _require_same(shown, [pictures[numbers[one]] for one in named], path, checked)
    boxes[:, 2:] += boxes[:, :2]
    return Detections(
        places,
        np.array([categories[entry["category_id"]] for entry in entries], np.int64),
        boxes,
        np.array([entry["score"] for entry in entries], np.float64),
    )


def save(
    path: Path,
    detections: Detections,
    images: Sequence[ImageId],
    categories: Mapping[int, int],
    pictures: Sequence[str] | None = None,
) -> None:
    """Write a results file that `load`, pycocotools and others read; it appears whole or not.

    Args:
        images: ids of the images, in the order in which the detections number them.
        categories: COCO's category id -> our class, from 0.
        pictures: text that identifies each image's content, in the same order; None if unknown.

    Raises:
        InputError: a detection in an image or of a class without an id, or two ids for one class.
    """
    ids = {ours: theirs for theirs, ours in categories.items()}
    if len(ids) != len(categories):
        raise InputError(
            f"Expected one category id per class, but {len(categories)} ids are used for "
            f"{len(ids)} classes, so their boxes could not be distinguished."
        )
    if len(detections.images) and detections.images.max() >= len(images):
        raise InputError(
            f"Expected an id for each image with a box, but there are {len(images)} and a box is "
            f"in image {detections.images.max()}, counted from 0."
        )
    unknown = sorted(set(detections.classes.tolist()) - ids.keys())
    if unknown:
        raise InputError(f"Expected a category id for each class, but {unknown[0]} has none.")
    sizes = detections.boxes[:, 2:] - detections.boxes[:, :2]
    boxes = np.concatenate([detections.boxes[:, :2], sizes], 1).tolist()
    rows = zip(
        detections.images.tolist(),
        detections.classes.tolist(),
        boxes,
        detections.scores.tolist(),
        strict=True,
    )
    entries = [
        dict(zip(_KEYS, (images[image], ids[kind], box, score), strict=True))
        for image, kind, box, score in rows
    ]
    if pictures is not None:
        for entry, image in zip(entries, detections.images.tolist(), strict=True):
            entry["picture"] = pictures[image]
        if entries:
            none = sorted({*range(len(images))} - {*detections.images.tolist()})
            entries[0][_WITHOUT] = [
                {"image_id": images[one], "picture": pictures[one]} for one in none
            ]
    atomic.write_bytes(path, json.dumps(entries, allow_nan=False).encode())


def _entries(path: Path) -> list[Any]:
    try:
        found = strict_json.parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"Expected detections in {path}, but there is no such file.") from None
    except (OSError, ValueError) as error:
        raise DataError(
            f"Expected COCO results in {path}, but it is not JSON ({error}). Write a list of "
            f"objects with {', '.join(_KEYS)}."
        ) from None
    if not isinstance(found, list):
        told = isinstance(found, dict) and "annotations" in found
        hint = " It looks like a file of annotations." if told else ""
        raise DataError(
            f"Expected COCO results in {path}, a list of objects with {', '.join(_KEYS)}, but it "
            f"holds a single {type(found).__name__}.{hint}"
        )
    return found


def _require_entry(entry: Any, place: int, path: Path) -> None:
    """Raise DataError unless an entry is a detection, by the first thing that is wrong with it."""
    missing = [key for key in _KEYS if not isinstance(entry, dict) or key not in entry]
    if missing:
        raise _refused(entry, place, path, f"it lacks {', '.join(missing)}")
    if not isinstance(entry["image_id"], int | str) or isinstance(entry["image_id"], bool):
        raise _refused(entry, place, path, "its image_id is neither a whole number nor a name")
    if not isinstance(entry["category_id"], int) or isinstance(entry["category_id"], bool):
        raise _refused(entry, place, path, "its category_id is not a whole number")
    box = entry["bbox"]
    if not isinstance(box, list) or len(box) != 4 or not all(map(_is_number, box)):
        raise _refused(entry, place, path, "its bbox is not four finite numbers")
    if min(box[2:]) < 0:
        raise _refused(entry, place, path, "its bbox has a negative width or height")
    if not _is_number(entry["score"]) or not 0 <= entry["score"] <= 1:
        raise _refused(entry, place, path, "its score is not a number from 0 to 1")


def _without(entries: Sequence[Mapping[str, Any]], path: Path) -> list[dict[str, Any]]:
    """Return the images of a file in which nothing was found, if the file lists them."""
    told = [entry[_WITHOUT] for entry in entries if _WITHOUT in entry]
    found: list[Any] = []
    for several in told:
        found += several if isinstance(several, list) else [several]
    for one in found:
        own = one if isinstance(one, dict) else {}
        texts = isinstance(own.get("image_id"), int | str), isinstance(own.get("picture"), str)
        if not all(texts):
            raise DataError(
                f"Expected {_WITHOUT} in {path} as a list of objects with image_id and image, "
                f"but got {json.dumps(one)[:200]}. Export the boxes again."
            )
    return found


def _require_shown(
    numbers: Mapping[Any, int], named: Sequence[ImageId], wanted: Sequence[int], path: Path
) -> None:
    """Raise DataError for an image that the detector of a file was not shown."""
    shown = {numbers[one] for one in named}
    lacking = [place for place in wanted if place not in shown]
    if lacking:
        name = next(name for name, place in numbers.items() if place == lacking[0])
        raise DataError(
            f"Expected boxes of a detector for all {len(wanted):,} images, but {path} lacks "
            f"{len(lacking):,} of them (first: {name!r}). Export its boxes for all of them, or set "
            "limit to fewer images."
        )


LEAVES = 0.05
"""The share of an image's side by which a box may exceed it and still count as inside."""


def _require_pixels(
    boxes: Float64[np.ndarray, "boxes 4"], sizes: Int64[np.ndarray, "boxes 2"], path: Path
) -> None:
    """Raise DataError for boxes that are not [x, y, width, height] in pixels of these images."""
    within = sizes * (1 + LEAVES)
    outside = ((boxes[:, :2] + boxes[:, 2:]) > within).any(1)
    as_corners = ((boxes[:, 2:] >= boxes[:, :2]) & (boxes[:, 2:] <= within)).all(1)
    told = ""
    if boxes.max() <= 1:
        told = "none is larger than a pixel: they are fractions of the image. Multiply them"
    elif outside.any() and as_corners.all():
        told = "they fit their images only as corners [x1, y1, x2, y2]. Subtract the first two"
    elif 2 * int(outside.sum()) > len(boxes):
        told = (
            f"{int(outside.sum()):,} of {len(boxes):,} exceed their images: they belong to copies "
            "of a different size. Scale them to the images' own"
        )
    if told:
        raise DataError(
            f"Expected boxes [x, y, width, height] in pixels of the images in {path}, but {told}."
        )


def _require_same(
    entries: Sequence[Mapping[str, Any]], known: Sequence[str], path: Path, checked: str
) -> None:
    """Raise DataError for detections in other images that have the same ids."""
    told = [entry.get("picture") for entry in entries]
    if not any(told):
        warnings.warn(
            f"{path} does not identify its images by content, so its boxes are joined to the "
            f"images by their ids alone.{checked}",
            stacklevel=3,
        )
    others = [
        entry["image_id"]
        for entry, said, one in zip(entries, told, known, strict=True)
        if said and said != one
    ]
    if others:
        raise DataError(
            f"Expected detections in {path} for the images with these ids, but {len(others):,} of "
            f"{len(entries):,} are in other images with the same id (first: {others[0]!r}). Run "
            "the detector again, or pass the images on which it was evaluated."
        )


def _is_number(value: object) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and math.isfinite(value)  # type: ignore[arg-type]


def _refused(entry: Any, place: int, path: Path, why: str) -> DataError:
    shown = json.dumps(entry)
    return DataError(
        f"Expected a detection as entry {place} of {path}, but {why}: "
        f"{shown if len(shown) < 200 else f'{shown[:200]}...'}. Boxes are [x, y, width, height]."
    )


def _require_known(
    path: Path, what: str, used: Sequence[ImageId], known: Mapping[Any, int]
) -> None:
    foreign = [one for one in used if one not in known]
    if foreign:
        shown = ", ".join(map(repr, list(known)[:3]))
        raise InputError(
            f"Expected detections of the {len(known)} {what} ids given ({shown}, ...), but {path} "
            f"has {foreign[0]!r}, and {len(foreign)} of its {len(used)} detections have such ids. "
            f"Pass all {what} ids, or omit these detections."
        )
