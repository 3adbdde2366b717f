"""Random objects and detections: ties, crowds, ignored objects, wrong classes, empty images."""

import numpy as np

from robust_lib import seeds
from robust_lib.metrics.boxes import Detections, Truth


def random_boxes(rng, count, coarse):
    corner = rng.integers(0, 30, (count, 2)) if coarse else rng.uniform(0, 30, (count, 2))
    size = rng.integers(1, 20, (count, 2)) if coarse else rng.uniform(1, 20, (count, 2))
    return np.concatenate([corner, corner + size], 1).astype(float)


def random_case(case, images=20, classes=3, flags=True, crowded=4):
    """Cases with odd numbers are coarse: their boxes and scores tie often."""
    rng = seeds.generator("detection", case)
    coarse = bool(case % 2)
    objects = int(rng.integers(1, crowded * images))
    boxes = random_boxes(rng, objects, coarse)
    truth = Truth(
        rng.integers(0, images, objects), rng.integers(0, classes, objects), boxes,
        rng.random(objects) < 0.1 if flags else None, rng.random(objects) < 0.1 if flags else None,
    )  # fmt: skip
    about = rng.integers(0, objects, int(rng.integers(0, 3 * objects)))
    shift = rng.integers(-2, 3, (len(about), 4)) if coarse else rng.normal(0, 2, (len(about), 4))
    near = boxes[about] + shift
    near = np.concatenate(
        [np.minimum(near[:, :2], near[:, 2:]), np.maximum(near[:, :2], near[:, 2:])], 1
    )
    others = random_boxes(rng, objects, coarse)
    label = np.where(rng.random(len(about)) < 0.8, truth.classes[about],
                     rng.integers(0, classes, len(about)))  # fmt: skip
    count = len(about) + objects
    scores = rng.integers(0, 6, count) / 5 if coarse else rng.random(count)
    order = rng.permutation(count)
    return truth, Detections(
        np.concatenate([truth.images[about], rng.integers(0, images, objects)])[order],
        np.concatenate([label, rng.integers(0, classes, objects)])[order],
        np.concatenate([near, others])[order],
        scores,
    )
