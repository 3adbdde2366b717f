"""How fast COCO's mAP is, beside pycocotools and faster-coco-eval, and a thousand resamples of it.

5,000 images, 80 classes, 100 detections an image, as on COCO val: ten IoU thresholds, one range of
areas, at most 100 detections; in turn on one thread; reading boxes in is not timed. Seconds are the
process's own.
"""

import contextlib
import io
from functools import partial

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import COCO_THRESHOLDS, map_of, matched, recall_by_class
from robust_lib.metrics.detection_errors import costs, errors_of
from robust_lib.metrics.map_draws import map_draws
from tests.bench.bench_predict import seconds
from tests.reference import coco
from tests.toys import unchecked

IMAGES, CLASSES, PER_IMAGE, ROUNDS = 5_000, 80, 100, 2


def photographs():
    """Seven objects an image, one in a hundred a crowd; detections near them and elsewhere."""
    rng = seeds.generator("photographs")
    images = np.repeat(np.arange(IMAGES), rng.integers(1, 14, IMAGES))
    corner = rng.uniform(0, 440, (len(images), 2))
    boxes = np.concatenate([corner, corner + rng.uniform(10, 200, (len(images), 2))], 1)
    classes = rng.choice(CLASSES, len(images), p=_shares())
    truth = Truth(images, classes, boxes, rng.random(len(images)) < 0.01)
    owners = np.repeat(np.arange(IMAGES), PER_IMAGE)
    near = rng.random(len(owners)) < 0.25
    first = np.searchsorted(images, owners)
    about = first + rng.integers(0, 10**6, len(owners)) % np.bincount(images)[owners]
    corner = rng.uniform(0, 440, (len(owners), 2))
    away = np.concatenate([corner, corner + rng.uniform(10, 200, (len(owners), 2))], 1)
    shift = boxes[about] + rng.normal(0, 6, (len(owners), 4))
    found = np.where(near[:, None], shift, away)
    found[:, 2:] = np.maximum(found[:, 2:], found[:, :2])
    said = np.where(near & (rng.random(len(owners)) < 0.8), classes[about],
                    rng.choice(CLASSES, len(owners), p=_shares()))  # fmt: skip
    scores = np.where(near, rng.beta(4, 3, len(owners)), rng.beta(1, 6, len(owners)))
    return truth, Detections(owners, said, found, scores)


def _shares():
    """Some classes are common: the first has a fifth of the objects."""
    shares = 1 / (3 + np.arange(CLASSES))
    return shares / shares.sum()


def faster(made):
    """The same evaluation by faster-coco-eval, ready to run."""
    from faster_coco_eval import COCO, COCOeval_faster

    with contextlib.redirect_stdout(io.StringIO()):
        truth, found = COCO(made.cocoGt.dataset), COCO(made.cocoDt.dataset)
        other = COCOeval_faster(truth, found, "bbox", print_function=lambda *_: None)
    for name in ("iouThrs", "areaRng", "areaRngLbl", "maxDets"):
        setattr(other.params, name, getattr(made.params, name))
    return other


@pytest.mark.bench
def test_map_beside_pycocotools():
    truth, found = photographs()
    theirs, fast, ours = [], [], []
    with unchecked():  # users do not have the tests' checks of shapes
        for _ in range(ROUNDS):
            made = coco.evaluation(truth, found, IMAGES, CLASSES, COCO_THRESHOLDS)
            other = faster(made)
            theirs.append(seconds(lambda made=made: coco.run(made)))
            fast.append(seconds(lambda other=other: coco.run(other)))
            ours.append(seconds(lambda: _both(matched(truth, found))))
        for most in (1, 10, 100):
            made = coco.evaluation(truth, found, IMAGES, CLASSES, COCO_THRESHOLDS, most)
            recall = coco.run(made)["recall"]
            matches = matched(truth, found, most=most)
            ours_of = np.nanmean(recall_by_class(matches))
            assert ours_of == pytest.approx(recall[recall > -1].mean(), abs=1e-12)
        precision = made.eval["precision"][..., 0, 0]
        assert map_of(matches) == pytest.approx(precision.mean(), abs=1e-12)
        for level, row in ((0.5, 0), (0.75, 5)):
            found_here = map_of(matched(truth, found, level))
            assert found_here == pytest.approx(precision[row].mean(), abs=1e-12)
    np.testing.assert_allclose(other.eval["precision"], made.eval["precision"], atol=1e-12)
    ratios = [min(times) / min(ours) for times in (theirs, fast)]
    print(
        f"\nmAP and mAR {min(ours):.2f} CPU s; pycocotools {min(theirs):.2f}: {ratios[0]:.1f} "
        f"times as fast; faster-coco-eval {min(fast):.2f}: {ratios[1]:.1f} times as fast"
    )
    assert ratios[0] > 6


@pytest.mark.bench
def test_a_thousand_resamples_and_the_kinds_of_error():
    truth, found = photographs()
    images = np.arange(IMAGES)
    with unchecked():
        for iou in (0.5, "coco"):
            matches = matched(truth, found, iou)
            drawn = min(seconds(partial(_draws, matches, images)) for _ in range(ROUNDS))
            one = min(seconds(partial(map_of, matches, images)) for _ in range(ROUNDS))
            print(
                f"\nIoU {iou}: a thousand resamples {drawn:.1f} CPU s, {1000 * one / drawn:.0f} "
                "times as fast as one by one"
            )
        kinds = seconds(lambda: costs(errors_of(truth, found)))
    print(f"\nsix kinds of error with their costs {kinds:.1f} CPU s")
    assert 1000 * one > 10 * drawn


def _draws(matches, images):
    return map_draws(matches, images, rng=seeds.generator(1), interpolation="101-point")


def _both(matches):
    return map_of(matches), np.nanmean(recall_by_class(matches))
