"""mAP by size and by class as rows, against the metric asked for each."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.datasets.objects import truth_of
from robust_lib.metrics.box_matching import SIZES
from robust_lib.metrics.detection import mean_average_precision, precision_by_class
from robust_lib.protocols.objects import scored_boxes
from robust_lib.protocols.objects.scored_boxes import Settings
from robust_lib.protocols.objects.size_and_class import results
from tests.layouts import CLASSES, Shapes
from tests.protocols.objects import toys

RIGHT = {"mine": (12, 6)}
SETTINGS = Settings(iou=0.5, samples=20)


def rows_of(images, **settings):
    boxes = toys.object_boxes({"mine": 6}, images)["mine"]
    asked = (boxes, images.ids, images.annotations, replace(SETTINGS, **settings))
    sized, one = scored_boxes.by_size(*asked), scored_boxes.scored(*asked)
    return boxes[0].detections, results({"mine": (sized, sized)}, {"mine": (one, one)}, CLASSES)


class Outlined(Shapes):
    """The same shapes, whose outlines are said to be large; the first picture's are small."""

    @property
    def annotations(self):
        return tuple(
            replace(one, areas=np.full(len(one), 2000.0 if place else 10.0))
            for place, one in enumerate(super().annotations)
        )


def test_sizes_are_those_of_outlines_and_numbers_are_the_metrics():
    images = Outlined(name="nao")
    detections, rows = rows_of(images)
    truth = truth_of(images.annotations)
    counts = {size: rows.row(metric="objects", dataset=f"nao/{size}").value for size in SIZES}
    first = len(images.annotations[0])
    assert counts == {"small": first, "medium": len(truth.images) - first, "large": 0}
    for size in ("small", "medium"):
        row = rows.row(metric="map", model="mine", dataset=f"nao/{size}")
        assert row.value == mean_average_precision(truth, detections, 0.5, size=size)
        assert f"{size} objects: " in row.convention
    assert row.low < row.value < row.high  # all small ones are in one picture: no interval
    assert rows.first(metric="map", dataset="nao/large") is None


def test_classes_are_named_and_those_without_an_object_have_no_number():
    images = Shapes(count=2, name="nao")  # a disc's picture and a box's
    _, rows = rows_of(images)
    assert rows.row(metric="objects", dataset="nao/cross").value == 0
    assert rows.first(metric="map", dataset="nao/cross") is None
    images = Shapes(name="nao")
    detections, rows = rows_of(images)
    boxes = toys.coco_maps(RIGHT, iou=0.5)["mine"][1].matches[0]
    for label, by_class in enumerate(precision_by_class(boxes)):
        row = rows.row(metric="map", model="mine", dataset=f"nao/{CLASSES[label]}")
        assert row.value == pytest.approx(by_class)
    assert len(detections.images) > 0
