"""Small pieces of real benchmarks, in a folder beside the project's; tests skip where it is not."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from robust_lib.metrics.boxes import Detections, Truth

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "real"


def real(name: str) -> Path:
    """Return a file or folder of the real data; skip the test without it."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"needs real data, {path}, which does not come with the project")
    return path


def real_boxes(
    detector: str, floor: float = 0.0, decimals: int | None = None
) -> tuple[Truth, Detections]:
    """Return 158 pictures of COCO's val2017 with the boxes that a public detector finds there.

    `floor`: boxes of a smaller score are left out; `decimals`: of rounded scores, which tie.
    """
    truth = _read(real("detections/instances_158.json.gz"))
    numbers = {one["id"]: place for place, one in enumerate(truth["images"])}
    classes = {one["id"]: place for place, one in enumerate(truth["categories"])}
    known, found = truth["annotations"], _read(real(f"detections/{detector}.json.gz"))
    found = [one for one in found if one["score"] >= floor]

    def columns(rows):
        boxes = np.array([one["bbox"] for one in rows], float)
        boxes[:, 2:] += boxes[:, :2]
        images = np.array([numbers[one["image_id"]] for one in rows])
        return images, np.array([classes[one["category_id"]] for one in rows]), boxes

    crowd = np.array([bool(one["iscrowd"]) for one in known])
    areas = np.array([one["area"] for one in known], float)
    scores = np.array([one["score"] for one in found])
    scores = scores if decimals is None else np.array([round(one, decimals) for one in scores])
    return Truth(*columns(known), crowd, areas=areas), Detections(*columns(found), scores)


def told_by_pycocotools(detector: str, floor: float = 0.0, decimals: int | None = None):
    """Return what pycocotools says of the same boxes: its twelve numbers, and AP by category."""
    about = json.loads(real("detections/pycocotools.json").read_text("utf-8"))
    wanted = {"detector": detector, "images": 158, "floor": floor, "decimals": decimals}
    (row,) = (one for one in about["rows"] if wanted.items() <= one.items())
    return row["stats"], row.get("ap_by_category")


def _read(path: Path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)
