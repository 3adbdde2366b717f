"""COCO's own evaluation (pycocotools), of our records."""

import contextlib
import io

import numpy as np

AREA = 1e6


def dataset(truth, images, classes):
    """Boxes as x, y, width, height. An area that no range has is COCO's way to ignore an object."""
    from pycocotools.coco import COCO

    boxes = truth.boxes.astype(float)
    boxes = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1).tolist()
    coco = COCO()
    coco.dataset = {
        "images": [{"id": int(number)} for number in range(images)],
        "categories": [{"id": int(number)} for number in range(classes)],
        "annotations": [
            {"id": n + 1, "image_id": int(image), "category_id": int(label), "bbox": box,
             "iscrowd": int(crowd), "area": 1.0 if counted or crowd else 2 * AREA}
            for n, (image, label, box, crowd, counted) in enumerate(
                zip(truth.images, truth.classes, boxes, truth.crowds, truth.counted, strict=True)
            )
        ],
    }  # fmt: skip
    coco.createIndex()
    return coco


def results(detections, images, classes):
    from pycocotools.coco import COCO

    boxes = detections.boxes.astype(float)
    boxes = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1).tolist()
    coco = COCO()
    coco.dataset = {
        "images": [{"id": int(number)} for number in range(images)],
        "categories": [{"id": int(number)} for number in range(classes)],
        "annotations": [
            {"id": n + 1, "image_id": int(image), "category_id": int(label), "bbox": box,
             "score": float(score), "area": 1.0, "iscrowd": 0}
            for n, (image, label, box, score) in enumerate(
                zip(detections.images, detections.classes, boxes, detections.scores, strict=True)
            )
        ],
    }  # fmt: skip
    coco.createIndex()
    return coco


def evaluation(truth, detections, images, classes, thresholds, most=100):
    """Return the evaluation, ready to run: its time is not the time to read boxes in."""
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        made = COCOeval(
            dataset(truth, images, classes), results(detections, images, classes), "bbox"
        )
    made.params.iouThrs = np.array(thresholds)
    made.params.areaRng, made.params.areaRngLbl = [[0, AREA]], ["all"]
    made.params.maxDets = [most]
    return made


def run(made):
    with contextlib.redirect_stdout(io.StringIO()):
        made.evaluate()
        made.accumulate()
    return made.eval


def by_class(truth, detections, images, classes, thresholds, most=100):
    """(precision, recall) of each class, mean over the thresholds; NaN without objects."""
    found = run(evaluation(truth, detections, images, classes, thresholds, most))
    precision = found["precision"][..., 0, 0].mean((0, 1))
    recall = found["recall"][..., 0, 0].mean(0)
    return np.where(precision < 0, np.nan, precision), np.where(recall < 0, np.nan, recall)


def swapped(record):
    """Images for classes and classes for images: what COCO pools over images, it pools over
    classes then, and the matching, which is within an image and a class, stays the same."""
    more = {"crowd": record.crowd, "ignored": record.ignored} if hasattr(record, "crowd") else {}
    rest = {"scores": record.scores} if hasattr(record, "scores") else {}
    return type(record)(
        images=record.classes, classes=record.images, boxes=record.boxes, **more, **rest
    )


def by_image(truth, detections, images, classes, thresholds, most=100):
    return by_class(swapped(truth), swapped(detections), classes, images, thresholds, most)[0]
