"""Detectors that ran elsewhere: their boxes in the images of a role, read from files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from robust_lib.datasets import ImageSet
from robust_lib.datasets.coco_boxes import CocoBoxes
from robust_lib.datasets.derived import contents_of
from robust_lib.errors import DataError, InputError
from robust_lib.metrics.boxes import Detections
from robust_lib.predict import detections_file
from robust_lib.predict.classify import choose
from robust_lib.predict.detections_file import ImageId
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.run.detectors import FoundBySeed
from robust_lib.run.run import Run

ROLE = "{role}"
"""Placeholder for the role in a path, for detectors with one file per role."""


def with_file(found: FoundBySeed, run: Run, role: str, path: str | None) -> FoundBySeed:
    """Return the boxes that detectors found, with those of a detector in a file added.

    Args:
        path: path of a COCO results file; `{role}` in it is replaced by the role. The detector is
            named after the file, without the role, or after its folder if the file's name is the
            role alone. An image_id is an image's id, such as a frame's path or an image's stem, or
            COCO's number of it. A category_id is that of the annotations or, if these have none,
            the index of a class, from 0, in the class list. None: no file.

    Raises:
        InputError: ids of unknown images or classes, or a file with the name of one of the
            detectors.
        DataError: the file does not exist, or contains no results.
    """
    if path is None:
        return found
    file = Path(path.replace(ROLE, role)).expanduser()
    name = name_of(path)
    if name in found:
        raise InputError(
            f"Expected a file named differently from the run's detectors, but got {name}. Rename "
            "it."
        )
    images = run.image_set(role)
    contents = contents_of(images)
    known = known_images(images), known_categories(images), _sizes(images)
    chosen = choose(images.ids, run.profile.limit)
    said = detections_file.load(file, *known, [contents[one] for one in images.ids], chosen)
    ids = tuple(images.ids[place] for place in chosen)
    kept = _of(said, chosen)
    record = FoundBoxes(name, images.name, ids, kept, 0.0, max(len(kept.images), 1))
    return {**found, name: (record,)}


def write_file(found: FoundBoxes, images: ImageSet, path: Path) -> Path:
    """Write the boxes that a detector found in some images as COCO results, and return the file.

    Images have COCO's numbers if their annotations have them, else their own ids.
    """
    numbers = images.image_numbers.items() if isinstance(images, CocoBoxes) else ()
    own = {images.ids[place]: number for number, place in numbers}
    ids = [own.get(one, one) for one in found.ids]
    categories = known_categories(images)
    detections_file.save(path, found.detections, ids, categories, found.pictures or None)
    return path


def name_of(path: str) -> str:
    """Return the name of a file's detector, which is the same in every role.

    >>> [name_of(one) for one in ("out/{role}/mine.json", "mine-{role}.json", "mine/{role}.json")]
    ['mine', 'mine', 'mine']
    """
    file = Path(path)
    parts = (file.stem, *reversed(file.parts[:-1]))
    names = (part.replace(ROLE, "").strip("-_. /") for part in parts)
    return next(filter(None, names), "detections")


def require_file_of_each(path: str, roles: Sequence[str]) -> None:
    """Raise DataError unless there is a file of the detector for each role.

    >>> require_file_of_each(__file__, ["coco_val", "nao"])
    """
    files = [Path(path.replace(ROLE, role)).expanduser() for role in roles]
    missing = [file for file in files if not file.is_file()]
    if missing:
        have = " and ".join(map(str, dict.fromkeys(map(str, files))))
        raise DataError(
            f"Expected the boxes of {name_of(path)} in the files {have}, but there is no "
            f"{missing[0]}. The detector is evaluated on the images of {' and '.join(roles)}: "
            "write a file for each, even if it is an empty list."
        )


def known_images(images: ImageSet) -> dict[ImageId, int]:
    """Return the index of the image for each name that a file may use for it."""
    numbers = images.image_numbers.items() if isinstance(images, CocoBoxes) else ()
    names = ((name, place) for place, name in enumerate(images.ids))
    return dict[ImageId, int]([*names, *numbers])


def _sizes(images: ImageSet) -> Callable[[int], tuple[int, int]] | None:
    """Return position of an image -> its width and height; None if no annotation states them."""
    known = getattr(images, "annotations", None)
    return None if known is None else lambda place: (known[place].width, known[place].height)


def known_categories(images: ImageSet) -> Mapping[int, int]:
    """Return category id -> class, by the annotations' ids or, without any, counted from 0."""
    if isinstance(images, CocoBoxes):
        return images.categories
    return {place: place for place in range(len(images.class_names))}


def _of(said: Detections, chosen: list[int]) -> Detections:
    """Return the boxes in some of the images, which are numbered again."""
    here = np.isin(said.images, chosen)
    numbers = np.searchsorted(np.array(chosen, np.int64), said.images[here])
    return replace(
        said,
        images=numbers,
        classes=said.classes[here],
        boxes=said.boxes[here],
        scores=said.scores[here],
    )
