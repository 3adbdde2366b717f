"""Predictions of a detector in small pictures, and what becomes of them."""

import numpy as np

from robust_lib.datasets import to_images
from robust_lib.metrics.boxes import Detections
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.attribution import changes as changes_module
from robust_lib.protocols.attribution import shares as shares_module
from tests.boxed import talkative
from tests.layouts import Shapes


def untrained():
    """A detector that learnt nothing, shapes, and two of its boxes in the first picture."""
    detector, images = talkative(), Shapes()
    picture = to_images(images.read(0, Preprocessing(None, None))[None])[0]
    boxes, classes, scores = (part[:2] for part in detector([picture])[0])
    return detector, images, Detections(np.zeros(2, np.int64), classes, boxes, scores)


BOX = (4.0, 4.0, 20.0, 20.0)
CLASSES = ("cat", "dog")


def found_boxes(rows, images=None, dataset="toys"):
    """Boxes that a detector found; a row is (image, class, score), always at the same place."""
    table = np.array(rows, np.float64).reshape(-1, 3)
    many = images or (int(table[:, 0].max()) + 1 if len(table) else 1)
    detections = Detections(
        table[:, 0].astype(np.int64),
        table[:, 1].astype(np.int64),
        np.tile(np.array([BOX], np.float32), (len(table), 1)),
        table[:, 2],
    )
    ids = tuple(f"picture{place}" for place in range(many))
    return FoundBoxes("mine", dataset, ids, detections, 0.05, 100)


def changes(before, after, classes=None, dataset="toys", **settings):
    """A prediction a picture: its score `before`, and `after` in versions called a, b, ..."""
    labels = [0] * len(before) if classes is None else classes
    found = found_boxes([(at, label, score) for at, (label, score) in
                         enumerate(zip(labels, before, strict=True))])  # fmt: skip
    scores = np.array(after, np.float64).reshape(len(before), -1 if len(before) else 2)
    return changes_module.Changes(
        dataset,
        CLASSES,
        found.detections,
        tuple("abcdefghij"[: scores.shape[1]]),
        scores,
        changes_module.Settings(score=0.5, samples=200, **settings),
    )


def shares(inside, classes=None, error=None, random=None, dataset="toys", **settings):
    """A prediction a picture; of the attribution of each such a share lies inside its box."""
    labels = [0] * len(inside) if classes is None else classes
    found = found_boxes([(at, label, 0.9) for at, label in enumerate(labels)])
    inside = np.array(inside, np.float64)
    numbers = {
        "error": np.zeros(len(inside)) if error is None else np.array(error, np.float64),
        "inside": inside,
        "signed_inside": 2 * inside,
        "signed_all": np.ones(len(inside)),
        "random": np.full(len(inside), 0.25) if random is None else np.array(random, np.float64),
        "area": np.full(len(inside), 0.2),
        "steps": np.full(len(inside), 16.0),
    }
    how = shares_module.Settings(score=0.5, samples=200, **settings)
    return shares_module.Shares(dataset, CLASSES, found.detections, numbers, how)
