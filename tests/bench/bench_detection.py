"""How fast detections are evaluated, beside pycocotools, on as many frames as Vid-Robust has.

Both evaluate the same boxes, with one IoU threshold, one range of areas and at most 100 detections,
in turn on one thread; reading boxes in is not timed. Seconds are the process's own.
"""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import map_of, matched
from robust_lib.metrics.pm_k import pm_k_map
from tests.bench.bench_predict import seconds
from tests.reference import coco
from tests.toys import unchecked

FRAMES, CLASSES, ANCHORS, REACH, ROUNDS = 23_289, 30, 1_109, 10, 2


def video_frames(per_frame):
    """One to three objects a frame, and a detector's boxes near them and elsewhere."""
    rng = seeds.generator("frames", per_frame)
    images = np.repeat(np.arange(FRAMES), rng.integers(1, 4, FRAMES))
    corner = rng.uniform(0, 900, (len(images), 2))
    boxes = np.concatenate([corner, corner + rng.uniform(50, 350, (len(images), 2))], 1)
    truth = Truth(images, rng.integers(0, CLASSES, len(images)), boxes)
    near = np.repeat(np.arange(len(images)), 2)
    others = per_frame * FRAMES - len(near)
    corner = rng.uniform(0, 900, (others, 2))
    away = np.concatenate([corner, corner + rng.uniform(50, 350, (others, 2))], 1)
    detections = Detections(
        np.concatenate([images[near], rng.integers(0, FRAMES, others)]),
        np.concatenate([truth.classes[near], rng.integers(0, CLASSES, others)]),
        np.concatenate([boxes[near] + rng.normal(0, 8, (len(near), 4)), away]),
        np.concatenate([rng.beta(4, 2, len(near)), rng.beta(1, 6, others)]),
    )
    return truth, detections


@pytest.mark.bench
@pytest.mark.parametrize("per_frame", [5, 20])
def test_evaluation_beside_pycocotools(per_frame):
    truth, detections = video_frames(per_frame)
    steps = np.concatenate([[0], -np.arange(1, REACH + 1), np.arange(1, REACH + 1)])
    neighbours = np.arange(ANCHORS * len(steps)).reshape(ANCHORS, len(steps))
    offsets = np.tile(steps, (ANCHORS, 1))
    theirs, ours, worst = [], [], []
    with unchecked():  # users do not have the tests' checks of shapes
        for _ in range(ROUNDS):
            made = coco.evaluation(truth, detections, FRAMES, CLASSES, [0.5])
            theirs.append(seconds(lambda made=made: coco.run(made)))
            ours.append(seconds(lambda: map_of(matched(truth, detections, 0.5))))
            worst.append(seconds(lambda: pm_k_map(truth, detections, neighbours, offsets)))
        value = map_of(matched(truth, detections, 0.5))
    assert value == pytest.approx(made.eval["precision"].mean(), abs=1e-12)
    ratio = min(theirs) / min(ours)
    print(
        f"\n{per_frame} detections a frame: mAP {min(ours):.2f} CPU s, pycocotools "
        f"{min(theirs):.2f}: {ratio:.1f} times as fast; pm-k mAP for k = 0 to 10 {min(worst):.2f}, "
        f"{min(theirs) / min(worst):.1f} times as fast as one mAP of pycocotools"
    )
    assert ratio > 20  # the goal is 6; 80 to 160 when nothing else runs
