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


def real_boxes(detector: str) -> tuple[Truth, Detections]:
    """Return 158 pictures of COCO's val2017 with the boxes that a public detector finds there."""
    truth = _read(real("detections/instances_158.json.gz"))
    numbers = {one["id"]: place for place, one in enumerate(truth["images"])}
    classes = {one["id"]: place for place, one in enumerate(truth["categories"])}
    known, found = truth["annotations"], _read(real(f"detections/{detector}.json.gz"))
    found = [one for one in found if min(one["bbox"][2:]) > 0]

    def columns(rows):
        boxes = np.array([one["bbox"] for one in rows], float)
        boxes[:, 2:] += boxes[:, :2]
        images = np.array([numbers[one["image_id"]] for one in rows])
        return images, np.array([classes[one["category_id"]] for one in rows]), boxes

    crowd = np.array([bool(one["iscrowd"]) for one in known])
    scores = np.array([one["score"] for one in found])
    return Truth(*columns(known), crowd), Detections(*columns(found), scores)


def _read(path: Path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)
