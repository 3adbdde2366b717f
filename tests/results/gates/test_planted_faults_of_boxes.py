"""Faults of detectors' mAP, each of which its gates catch; the references are slow code's."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.coco_boxes import CocoBoxes
from robust_lib.errors import ModelError
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.models.detectors.labels import by_coco_id
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.predict.detect import detect
from robust_lib.protocols.objects import coco_map
from robust_lib.protocols.objects.scored_boxes import Settings, scored
from robust_lib.results.gates import references
from robust_lib.results.gates.gate import judged
from tests.reference import detection

COCO = load_classes("coco")
COLOURS = {"person": 0, "car": 1, "cat": 2}  # the channel of each category's colour
NUMBERS = {entry.name: entry.coco_id for entry in COCO.entries}
PICTURES, SIDE = 12, 64
NAME = "maskrcnn_resnet50_fpn"
SETS = ("coco_val", "nao")
THRESHOLDS = [0.5 + 0.05 * step for step in range(10)]


class Channels(torch.nn.Module):
    """Finds the patches of each colour; where two touch, or one is pale, it errs.

    It answers as torchvision's detectors do, by COCO's category ids.
    """

    def forward(self, images):
        return [self.of_one(image) for image in images]

    def of_one(self, image):
        boxes, labels, scores = [], [], []
        for name, channel in COLOURS.items():
            others = [other for other in range(3) if other != channel]
            strength = image[channel] - image[others].amax(0)
            for half in (slice(0, SIDE // 2), slice(SIDE // 2, SIDE)):
                found = (strength[:, half] > 0.25).nonzero()
                if len(found):
                    (top, left), (bottom, right) = found.amin(0), found.amax(0) + 1
                    left, right = left + half.start, right + half.start
                    boxes.append(torch.stack([left, top, right, bottom]).float())
                    labels.append(NUMBERS[name])
                    scores.append(strength[:, half].amax())
        if not boxes:
            return {"boxes": torch.zeros(0, 4), "labels": torch.zeros(0).long(),
                    "scores": torch.zeros(0)}  # fmt: skip
        return {"boxes": torch.stack(boxes), "labels": torch.tensor(labels),
                "scores": torch.stack(scores)}  # fmt: skip


class Corners(torch.nn.Module):
    """Says where a box begins and how large it is, not where it ends."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, images):
        said = self.module(images)
        for one in said:
            one["boxes"][:, 2:] -= one["boxes"][:, :2]
        return said


class Smaller(Corners):
    """Sees a picture at nine tenths of its size, and forgets that its boxes are of that one."""

    def forward(self, images):
        said = self.module(images)
        for one in said:
            one["boxes"] *= 0.9
        return said


class Blue(Corners):
    """Takes red for blue."""

    def forward(self, images):
        return self.module([image.flip(0) for image in images])


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Two data sets in COCO's form: patches of colour; name -> (folder, pictures' objects)."""
    made = {}
    for seed, name in enumerate(SETS):
        folder, rng = tmp_path_factory.mktemp(name), np.random.default_rng(seed)
        records, boxes, objects = [], [], []
        (folder / "pictures").mkdir()
        for number in range(1, PICTURES + 1):
            pixels = rng.integers(90, 130, (SIDE, SIDE, 3))
            drawn = []
            for left in (0, 0, SIDE // 2, SIDE // 2):
                category = list(COLOURS)[rng.integers(3)]
                width, height = (int(one) for one in rng.integers(8, 28, 2))
                x, y = left + int(rng.integers(0, 32 - width)), int(rng.integers(0, 64 - height))
                level = int(rng.integers(150, 255))  # the palest are not found
                pixels[y : y + height, x : x + width] = 90
                pixels[y : y + height, x : x + width, COLOURS[category]] = level
                drawn.append((category, (x, y, width, height)))
            file = f"{number:012d}.png"
            Image.fromarray(pixels.astype(np.uint8)).save(folder / "pictures" / file)
            records.append({"id": number, "file_name": file, "width": SIDE, "height": SIDE})
            for category, box in drawn:
                boxes.append(
                    {"id": len(boxes) + 1, "image_id": number, "category_id": NUMBERS[category],
                     "bbox": list(box), "area": box[2] * box[3], "iscrowd": 0, "segmentation": []}
                )  # fmt: skip
            objects.append(drawn)
        categories = [
            {"id": one.coco_id, "name": one.name, "supercategory": "any"} for one in COCO.entries
        ]
        content = {"images": records, "annotations": boxes, "categories": categories}
        (folder / "instances.json").write_text(json.dumps(content))
        made[name] = (folder, objects)
    return made


def slow_map(folder, objects):
    """COCO's mAP of the detector by slow code, picture after picture."""
    names = list(COLOURS)
    true, said = [], []
    for image, (path, drawn) in enumerate(
        zip(sorted((folder / "pictures").iterdir()), objects, strict=True)
    ):
        for category, (x, y, width, height) in drawn:
            true.append((image, names.index(category), (x, y, x + width, y + height)))
        pixels = np.asarray(Image.open(path), np.float32) / 255
        (found,) = Channels()([torch.from_numpy(pixels.transpose(2, 0, 1).copy())])
        for box, label, score in zip(*(found[k].tolist() for k in found), strict=True):
            place = [NUMBERS[name] for name in names].index(label)
            said.append((image, place, box, score))
    images, classes, corners = zip(*true, strict=True)
    truth = Truth(np.array(images), np.array(classes), np.array(corners, float))
    images, classes, corners, scores = zip(*said, strict=True)
    boxes = Detections(
        np.array(images), np.array(classes), np.array(corners, float), np.array(scores)
    )
    each = [
        detection.mean_average_precision(
            truth, boxes, range(PICTURES), range(3), threshold, "101-point"
        )
        for threshold in THRESHOLDS
    ]
    return sum(each) / len(each)


@pytest.fixture(scope="module")
def gates(world):
    """Mask R-CNN's gates, with what slow code finds in the numbers' place."""
    asked = [one for one in references.gates() if one.metric == "map" and one.model == NAME]
    assert {one.dataset for one in asked} == set(SETS)
    found = {name: slow_map(*parts) for name, parts in world.items()}
    assert all(0.1 < value < 0.9 for value in found.values())
    return [replace(one, value=round(found[one.dataset], 3)) for one in asked]


WRAPPED = {"xywh": Corners, "BGR": Blue, "boxes of a smaller picture": Smaller}


def found(world, gates, fault=None):
    """What becomes of the gates, by the library's own evaluation with a fault planted in it."""
    module = WRAPPED.get(fault, lambda plain: plain)(Channels())
    labels = by_coco_id("coco")
    if fault == "categories counted without gaps":
        labels = (-1, *range(80))
    detector = TorchDetector(module=module, name=NAME, classes="coco", outputs=80, labels=labels)
    settings = Settings(iou=0.5 if fault == "one threshold" else "coco", samples=10)
    both = []
    for name in SETS:
        folder, _ = world[name]
        images = CocoBoxes(folder / "pictures", {"val": folder / "instances.json"}, COCO, name=name)
        boxes = detect(detector, images)
        if fault == "boxes of the next picture":
            seen = boxes.detections
            moved = replace(seen, images=(seen.images + 1) % PICTURES)
            boxes = replace(boxes, detections=moved)
        both.append(scored([boxes], images.ids, images.annotations, settings))
    rows = coco_map.results({NAME: tuple(both)}).rows
    return {one.gate.dataset: one for one in judged(gates, rows)}


def test_without_a_fault_both_gates_find_the_same(world, gates):
    told = {name: one.words for name, one in found(world, gates).items()}
    assert told == dict.fromkeys(SETS, "same")


@pytest.mark.parametrize(
    "fault",
    [
        "BGR",
        "boxes of a smaller picture",
        "categories counted without gaps",
        "boxes of the next picture",
        "one threshold",
    ],
)
def test_a_planted_fault_fails_at_the_gates_of_map(world, gates, fault):
    told = {name: one.outcome for name, one in found(world, gates, fault).items()}
    assert told == dict.fromkeys(SETS, "FAILED")


def test_width_and_height_for_corners_are_refused_before_any_gate(world, gates):
    with pytest.raises(ModelError, match=r"inside 64.*64 pixels"):
        found(world, gates, "xywh")
