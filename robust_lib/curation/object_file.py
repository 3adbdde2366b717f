"""Files of objects that people drew in their own images, in COCO's format.

`{"images": [{"id", "file_name", "width", "height"}], "annotations": [{"id", "image_id",
"category_id", "bbox": [x, y, width, height], "iscrowd"}], "categories": [{"id", "name"}]}`; other
fields are allowed. Classes are identified by their names, never by their numbers, and images by
their paths. Objects of classes outside the label set are out of distribution. COCO's own files are
read by `datasets.coco_boxes`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robust_lib import atomic
from robust_lib.config import coco
from robust_lib.config.strict_json import read_json
from robust_lib.curation.candidate_set import Category, Labelled, Photograph, inside, repeated
from robust_lib.datasets.objects import Corners, Foreign, Objects
from robust_lib.errors import DataError


@dataclass(frozen=True)
class NamedBox:
    """A box in xyxy pixels, the name of its class, and whether it contains many objects."""

    box: tuple[float, float, float, float]
    name: str
    crowd: bool


def read(path: Path) -> coco.Objects:
    """Return a file of objects.

    Raises:
        DataError: no such file, or it has a different form; the message says what is wrong.
    """
    missing = f"Expected boxes in {path}, but there is no such file."
    return read_json(path, coco.Objects, missing, _refused)


def by_picture(
    file: coco.Objects, path: Path, photographs: Sequence[Photograph]
) -> tuple[tuple[NamedBox, ...], ...]:
    """Return the boxes of some images, in the images' order.

    Raises:
        DataError: an image that the file lacks, lists twice or lists with a different size; an
            annotation of an unknown image or category; a box outside its image.
    """
    names = {one.id: one.name for one in file.categories}
    ids = {one.id: one for one in file.images}
    if (twice := repeated(one.name for one in file.categories)) is not None:
        both = " and ".join(str(one.id) for one in file.categories if one.name == twice)
        raise _refused(path, f"{twice} is the name of the categories {both}")
    if len(ids) < len(file.images) or len(names) < len(file.categories):
        raise _refused(path, "an image id or a category id occurs twice")
    if (twice := repeated(one.file_name for one in file.images)) is not None:
        raise _refused(path, f"the image {twice} occurs twice")
    there = {one.file_name: one for one in file.images}
    sizes = {one.file: (one.width, one.height) for one in photographs}
    if absent := [name for name in sizes if name not in there]:
        raise DataError(
            f"Expected boxes of {len(sizes)} images in {path}, but {len(absent)} are not in it, "
            f"such as {absent[0]}. Their file_name has to be the path below the folder."
        )
    for name, size in sizes.items():
        said = (there[name].width, there[name].height)
        if None not in said and said != size:
            raise _refused(path, f"{name} is {size[0]} x {size[1]} pixels, not {said}")
    found: dict[str, list[NamedBox]] = {name: [] for name in sizes}
    for one in file.annotations:
        if one.image_id not in ids:
            raise _refused(
                path, f"a box is in image {one.image_id!r}, which the file does not list"
            )
        if one.category_id not in names:
            raise _refused(
                path, f"a box has category {one.category_id}, which the file does not list"
            )
        name = ids[one.image_id].file_name
        if name in sizes:
            box = coco.from_coco(one.bbox)
            if min(one.bbox[2:]) <= 0 or not inside(box, *sizes[name]):
                width, height = sizes[name]
                raise _refused(
                    path, f"{name} is {width} x {height} pixels, and {one.bbox} is not a box in it"
                )
            found[name].append(NamedBox(box, names[one.category_id], bool(one.iscrowd)))
    return tuple(map(tuple, found.values()))


def objects(
    path: Path, photographs: Sequence[Photograph], names: Sequence[str]
) -> tuple[Objects, ...]:
    """Return the objects in some images; those of none of the classes are out of distribution.

    Raises:
        DataError: see `read` and `by_picture`; or no class in the file is in the label set.
    """
    file = read(path)
    known = {name: place for place, name in enumerate(names)}
    if not known.keys() & {one.name for one in file.categories}:
        theirs = ", ".join(one.name for one in file.categories[:5]) or "none"
        raise DataError(
            f"Expected categories of {path} among the detector's {len(known)} classes "
            f"({', '.join(list(known)[:5])}, ...), but none is: it has {theirs}. Use the same "
            "names."
        )
    both = zip(photographs, by_picture(file, path, photographs), strict=True)
    return tuple(_objects(photograph, found, known) for photograph, found in both)


def write(
    path: Path,
    photographs: Sequence[Photograph],
    categories: Sequence[Category],
    boxes: Sequence[Sequence[Labelled]],
) -> None:
    """Write a file of objects for `read` and pycocotools, completely or not at all."""
    annotations = [
        {
            "id": number,
            "image_id": image,
            "category_id": categories[one.category].id,
            "bbox": (bbox := coco.to_coco(one.box)),
            "area": bbox[2] * bbox[3],
            "iscrowd": 0,
        }
        for number, (image, one) in enumerate(
            ((image, one) for image, of in enumerate(boxes, start=1) for one in of), start=1
        )
    ]
    record = {
        "info": {},
        "images": [
            {"id": image, "file_name": one.file, "width": one.width, "height": one.height}
            for image, one in enumerate(photographs, start=1)
        ],
        "annotations": annotations,
        "categories": [{"id": one.id, "name": one.name} for one in categories],
    }
    atomic.write_json(path, record)


def _objects(
    photograph: Photograph, found: Sequence[NamedBox], known: Mapping[str, int]
) -> Objects:
    own = [one for one in found if one.name in known]
    others = [one for one in found if one.name not in known]
    return Objects(
        photograph.width,
        photograph.height,
        _corners(own),
        np.array([known[one.name] for one in own], np.int64),
        crowd=np.array([one.crowd for one in own], bool),
        foreign=Foreign(_corners(others), tuple(one.name for one in others)),
    )


def _corners(found: Sequence[NamedBox]) -> Corners:
    return np.array([one.box for one in found], np.float32).reshape(-1, 4)


def _refused(path: Path, what: str) -> DataError:
    return DataError(
        f"Expected boxes in COCO's format in {path}, but the file differs ({what}). Use a file "
        "with the lists images, annotations and categories."
    )
