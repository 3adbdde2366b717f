"""COCO annotation files as they are on disk: images, objects and categories.

A file is one JSON object with the lists `images`, `annotations` and `categories`. Outlines are
dropped while the file is read, since they make up most of it and are not used here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robust_lib.config import strict_json
from robust_lib.errors import DataError

LISTS = ("images", "annotations", "categories")
TEXT_ID = "_image_id"
"""The key by which the release of [nao] links objects to images, instead of COCO's `image_id`."""


@dataclass(frozen=True)
class CocoFile:
    """An annotation file in which the category of every object is listed.

    Attributes:
        annotations: records of the objects, without outlines.
        categories: category id -> name.
    """

    path: Path
    images: Sequence[Mapping[str, Any]]
    annotations: Sequence[Mapping[str, Any]]
    categories: Mapping[int, str]

    @property
    def links(self) -> tuple[str, str]:
        """Return the keys that identify an image, in its own record and in its objects' records."""
        if any(TEXT_ID in record for record in self.images):
            return TEXT_ID, TEXT_ID
        return "id", "image_id"


@dataclass(frozen=True)
class Counts:
    """Numbers of objects in annotation files, crowd regions included.

    Attributes:
        pictures: number of images with an object.
        crowds: number of the objects that are crowd regions.
        by_class: name of every category -> number of objects.
    """

    pictures: int
    crowds: int
    by_class: Mapping[str, int]

    @property
    def objects(self) -> int:
        """Return the number of objects."""
        return sum(self.by_class.values())


def read(path: Path) -> CocoFile:
    """Return the content of an annotation file.

    Raises:
        DataError: the file does not exist, is not JSON, is of a different kind (such as a file of
            detections), or has objects of categories that it does not list.

    >>> import json, tempfile
    >>> path = Path(tempfile.mkdtemp(), "instances_val.json")
    >>> box = {"image_id": 7, "category_id": 18, "bbox": [1, 2, 3, 4], "segmentation": []}
    >>> content = {"images": [{"id": 7}], "annotations": [box]}
    >>> _ = path.write_text(json.dumps(content | {"categories": [{"id": 18, "name": "dog"}]}))
    >>> found = read(path)
    >>> found.categories, found.links
    ({18: 'dog'}, ('id', 'image_id'))
    """
    try:
        content = strict_json.parsed(path.read_bytes(), object_hook=_without_outline)
    except FileNotFoundError:
        raise DataError(
            f"Expected COCO's annotations at {path}, but there is no such file. Fetch the data "
            "set, or set ROBUST_DATA to the folder that has it."
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(
            f"Expected COCO's annotations in {path}, but it is not JSON ({error}). Unpack the file "
            "again."
        ) from None
    _require_form(content, path)
    categories = _categories(content["categories"], path)
    held = (record.get("category_id") for record in content["annotations"])
    used = {one if one is None or type(one) is int else str(one) for one in held}
    unknown = sorted(used - categories.keys(), key=str)
    if unknown:
        raise DataError(
            f"Expected every object of {path} to have one of its {len(categories)} categories, but "
            f"{len(unknown)} category ids have no name ({_shown(unknown)}). Use the file with its "
            "own list of categories: ids of other lists have different meanings."
        )
    return CocoFile(path, content["images"], content["annotations"], categories)


def counts(files: Sequence[CocoFile]) -> Counts:
    """Return the total numbers of objects in several files, as the papers count them.

    >>> box = {"image_id": 7, "category_id": 18, "iscrowd": 1}
    >>> file = CocoFile(Path("val.json"), [{"id": 7}], [box, box], {1: "person", 18: "dog"})
    >>> found = counts([file])
    >>> found.objects, found.pictures, found.crowds, dict(found.by_class)
    (2, 1, 2, {'person': 0, 'dog': 2})
    """
    by_class = Counter({name: 0 for file in files for name in file.categories.values()})
    pictures, crowds = set[Any](), 0
    for file in files:
        link = file.links[1]
        for record in file.annotations:
            by_class[file.categories[record["category_id"]]] += 1
            pictures.add(record.get(link))
            crowds += bool(record.get("iscrowd"))
    return Counts(len(pictures), crowds, dict(by_class))


def _without_outline(record: dict[str, Any]) -> dict[str, Any]:
    record.pop("segmentation", None)
    return record


def _require_form(content: Any, path: Path) -> None:
    """Raise DataError unless a file's content is the three lists of a COCO annotation file."""
    if isinstance(content, dict) and all(isinstance(content.get(name), list) for name in LISTS):
        if all(isinstance(record, dict) for name in LISTS for record in content[name]):
            return
        raise DataError(
            f"Expected COCO's annotations in {path}, lists of records, but some entries are not "
            "records. Use the file as it was released."
        )
    told = type(content).__name__
    if isinstance(content, dict):
        told = f"an object without {', '.join(name for name in LISTS if name not in content)}"
    hint = ""
    if isinstance(content, list) and content and isinstance(content[0], dict):
        hint = " It looks like a file of detections." if "score" in content[0] else ""
    raise DataError(
        f"Expected COCO's annotations in {path}, an object with the lists {', '.join(LISTS)}, but "
        f"it holds {told}.{hint} Use the instances file."
    )


def _categories(records: Sequence[Any], path: Path) -> dict[int, str]:
    ids = [record.get("id") for record in records]
    names = [record.get("name") for record in records]
    if not all(type(one) is int for one in ids) or not all(isinstance(one, str) for one in names):
        raise DataError(
            f"Expected a number as `id` and a text as `name` of each category of {path}, but some "
            "lack them. Use the file as it was released."
        )
    for what, found in (("id", ids), ("name", names)):
        twice = [one for one, count in Counter(found).items() if count > 1]
        if twice:
            both = zip(ids, names, strict=True)
            told = [f"{name} ({number})" for number, name in both if twice[0] in (name, number)]
            raise DataError(
                f"Expected each category of {path} once, but the {what} {twice[0]!r} occurs twice: "
                f"{' and '.join(told)}. Objects of the two could not be distinguished."
            )
    return dict(zip(ids, names, strict=True))


def _shown(values: Sequence[Any]) -> str:
    return ", ".join(map(repr, values[:3])) + (", ..." if len(values) > 3 else "")
