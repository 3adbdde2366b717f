"""Small folders in exactly the layouts of COCO, of the release of [nao], and of OpenImages."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robust_lib.config.class_lists import load_classes
from tests import trees

Box = tuple[str, tuple[float, float, float, float]]
"""Name of a category, and (x, y, width, height)."""

CLASSES = load_classes("coco").entries  # before a test enters a project of other class lists
WIDTH, HEIGHT = 64, 48
PERSON_AND_DOG: tuple[Box, ...] = (("person", (4, 6, 20, 30)), ("dog", (30, 20.5, 12.25, 10)))
DOG: Box = ("dog", (1, 2, 30, 40))
LABELS = {"Person": "/m/01g317", "Dog": "/m/0bt9lr", "Shark": "/m/0by6g", "Mug": "/m/02jvh9"}
WIDE = {"Animal": "/m/0jbk", "Human face": "/m/0dzct", "Tire": "/m/0h9mv", "Car": "/m/0k4j"}
"""Words that stand in the hierarchy alone, unless a table has boxes of them."""

# As in the released file: bodies are parts of people and have parts, the parts of cars are those of
# land vehicles, a building has parts that are of other branches, and labels stand several times.
HIERARCHY = """{"LabelName": "/m/0bl9f", "Subcategory": [
  {"LabelName": "/m/0jbk", "Subcategory": [
    {"LabelName": "/m/01280g"},
    {"LabelName": "/m/0ch_cf", "Subcategory": [{"LabelName": "/m/0by6g"}]},
    {"LabelName": "/m/04rky", "Subcategory": [{"LabelName": "/m/0bt9lr"}]}]},
  {"LabelName": "/m/01g317",
    "Part": [{"LabelName": "/m/02p0tk3", "Part": [{"LabelName": "/m/0dzct"}]}],
    "Subcategory": [{"LabelName": "/m/04yx4"}]},
  {"LabelName": "/m/07yv9", "Subcategory": [
    {"LabelName": "/m/01prls",
      "Part": [{"LabelName": "/m/08dz3q", "Subcategory": [{"LabelName": "/m/0h9mv"}]}],
      "Subcategory": [{"LabelName": "/m/0k4j"}, {"LabelName": "/m/0k4j"}]}]},
  {"LabelName": "/m/0cgh4",
    "Part": [{"LabelName": "/m/05y5lj", "Subcategory": [{"LabelName": "/m/0bt9lr"}]},
             {"LabelName": "/m/02522"}],
    "Subcategory": [{"LabelName": "/m/079cl"}]}]}
"""

COLUMNS = (
    "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,"
    "IsOccluded,IsTruncated,IsGroupOf,IsDepiction,IsInside"
)


def categories(*, counted: bool = False) -> list[dict[str, Any]]:
    """All eighty categories: by COCO's ids with ten gaps, or counted from 1 without one."""
    return [
        {"id": one.index + 1 if counted else one.coco_id, "name": one.name, "supercategory": "any"}
        for one in CLASSES
    ]


def coco(
    folder: Path, objects: Sequence[Sequence[Box]] = (PERSON_AND_DOG, ()), *, split: str = "val2017"
) -> Path:
    """val2017/<12 digits>.jpg and annotations/instances_val2017.json; the last object is a crowd.

    Numbers of pictures are those of COCO, in no order.
    """
    ids = {one["name"]: one["id"] for one in categories()}
    records, boxes = [], []
    for place, found in enumerate(objects):
        number = 397133 - 1000 * place
        name = f"{number:012d}.jpg"
        trees.save(folder / split / name, place, WIDTH, HEIGHT)
        record = {"license": 3, "file_name": name, "height": HEIGHT, "width": WIDTH, "id": number}
        records.append(record | {"coco_url": f"http://images.cocodataset.org/{split}/{name}"})
        for kind, box in found:
            about = {"image_id": number, "category_id": ids[kind], "id": 900 + len(boxes)}
            outline: object = [[box[0], box[1], box[0] + box[2], box[1], box[0], box[1] + box[3]]]
            crowd = (kind, box) == found[-1] and len(found) > 1
            if crowd:
                outline = {"counts": [0, WIDTH * HEIGHT], "size": [HEIGHT, WIDTH]}
            area = box[2] * box[3] / 2
            more = {"bbox": list(box), "area": area, "iscrowd": int(crowd), "segmentation": outline}
            boxes.append(about | more)
    content = {"info": {"year": 2017}, "licenses": [], "images": records, "annotations": boxes}
    write(
        folder / "annotations" / f"instances_{split}.json", content | {"categories": categories()}
    )
    return folder


def nao(
    folder: Path,
    objects: Mapping[str, Sequence[Sequence[Box]]] | None = None,
    *,
    counted: bool = False,
    listed: bool = True,
) -> Path:
    """images/<16 hex digits>.jpg and annotations/instances_{train,validation,test}.json.

    Args:
        folder: where to.
        objects: split -> the objects of its pictures.
        counted: whether category ids are 1 to 80, not COCO's.
        listed: whether a file lists its pictures without objects.
    """
    ids = {one["name"]: one["id"] for one in categories(counted=counted)}
    objects = objects or {"train": [PERSON_AND_DOG, ()], "validation": [()], "test": [(DOG,)]}
    number = 0
    for split in ("train", "validation", "test"):
        records, boxes = [], []
        for found in objects.get(split, ()):
            stem = f"{0xFEDCBA9876543210 - 977 * number:016x}"
            trees.save(folder / "images" / f"{stem}.jpg", number, WIDTH, HEIGHT)
            number += 1
            if found or listed:
                records.append({"_image_id": stem, "file_name": f"{stem}.jpg"})
            for kind, box in found:
                about = {"_image_id": stem, "category_id": ids[kind], "bbox": list(box)}
                boxes.append(about | {"id": len(boxes)})
        content = {"images": records, "annotations": boxes}
        named = {"categories": categories(counted=counted)}
        write(folder / "annotations" / f"instances_{split}.json", content | named)
    return folder


def nao_stems(folder: Path) -> list[str]:
    """The release's pictures, in the order in which they were made."""
    return sorted((file.stem for file in (folder / "images").glob("*.jpg")), reverse=True)


def openimages_boxes(
    folder: Path,
    rows: Mapping[str, Sequence[tuple[str, tuple[float, float, float, float]]]],
    *,
    hierarchy: bool = False,
) -> Path:
    """train-annotations-bbox.csv and class-descriptions-boxable.csv, which has no header.

    Args:
        folder: where to.
        rows: picture -> (display name, (left, top, right, bottom) as fractions); a name with a
            star is a group.
        hierarchy: with bbox_labels_600_hierarchy.json.
    """
    folder.mkdir(parents=True, exist_ok=True)
    labels = LABELS | WIDE if hierarchy else LABELS
    if hierarchy:
        (folder / "bbox_labels_600_hierarchy.json").write_text(HIERARCHY)
    lines = [COLUMNS]
    for picture, boxes in rows.items():
        for name, (left, top, right, bottom) in boxes:
            sides = f"{left:.6f},{right:.6f},{top:.6f},{bottom:.6f}"
            group = int(name.endswith("*"))
            label = labels[name.rstrip("*")]
            lines.append(f"{picture},xclick,{label},1,{sides},0,0,{group},0,0")
    (folder / "train-annotations-bbox.csv").write_text("\n".join(lines) + "\n")
    with (folder / "class-descriptions-boxable.csv").open("w", newline="") as opened:
        csv.writer(opened, lineterminator="\n").writerows([b, a] for a, b in labels.items())
    return folder


def openimages(folder: Path, pictures: Sequence[str]) -> Path:
    """images/<id>.jpg of different sizes."""
    for place, picture in enumerate(pictures):
        trees.save(folder / "images" / f"{picture}.jpg", place, WIDTH + 4 * place, HEIGHT)
    return folder


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def rewrite(path: Path, **changes: Any) -> Path:
    """Change keys of a json file."""
    return write(path, json.loads(path.read_text()) | changes)
