"""How fast COCO's mAP is, its kinds of error and its resamples, beside pycocotools and two others.

    python tests/bench/bench_map.py [--write]

--write puts the table where the book shows it, data_manifests/measured/map_speed.csv and .yaml.
hotcoco is timed where it is installed (pip install hotcoco); the project does not need it.

5,000 images, 80 classes, 100 detections an image, as on COCO val: ten IoU thresholds, one range of
areas, at most 100 detections; in turn on one thread; reading boxes in is not timed. Seconds are the
process's own.
"""

import argparse
import contextlib
import io
import os
import time
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import COCO_THRESHOLDS, map_of, matched, recall_by_class
from robust_lib.metrics.detection_errors import costs, errors_of
from robust_lib.metrics.map_draws import map_draws
from tests.bench.bench_predict import seconds
from tests.reference import coco, committed
from tests.toys import unchecked

IMAGES, CLASSES, PER_IMAGE, ROUNDS = 5_000, 80, 100, 2
RESAMPLES, FEW = 1_000, 20  # ours; hotcoco's, which evaluates each anew


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


def hot(made):
    """The same evaluation by hotcoco, ready to run; None where it is not installed."""
    if find_spec("hotcoco") is None:
        return None
    os.environ["RAYON_NUM_THREADS"] = "1"  # as all others here
    import hotcoco

    with contextlib.redirect_stdout(io.StringIO()):
        truth = hotcoco.COCO(made.cocoGt.dataset)
        other = hotcoco.COCOeval(truth, truth.load_res(made.cocoDt.dataset["annotations"]), "bbox")
    other.params.iou_thrs = list(made.params.iouThrs)
    other.params.area_rng, other.params.area_rng_lbl = made.params.areaRng, ["all"]
    other.params.max_dets = list(made.params.maxDets)
    return other


def rows():
    """Return a row for each work: ours and the peers' CPU seconds, in turn, and their ratio."""
    truth, found = photographs()
    images, times = np.arange(IMAGES), {}

    def timed(work, peer, call):
        times.setdefault((work, peer), []).append(seconds(call))

    with unchecked():
        for _ in range(ROUNDS):
            made = coco.evaluation(truth, found, IMAGES, CLASSES, COCO_THRESHOLDS)
            other, third = faster(made), hot(made)
            timed("mAP and mAR", "pycocotools", lambda made=made: coco.run(made))
            timed("mAP and mAR", "faster-coco-eval", lambda other=other: coco.run(other))
            timed("mAP and mAR", "", lambda: _both(matched(truth, found)))
            timed("six kinds of error", "", lambda: costs(errors_of(truth, found)))
            matches = matched(truth, found)
            timed("a resample", "", partial(_draws, matches, images))
            timed("a resample", "one by one", partial(map_of, matches, images))
            if third is not None:
                import hotcoco

                timed("mAP and mAR", "hotcoco", lambda third=third: coco.run(third))
                timed("six kinds of error", "hotcoco", third.tide_errors)
                few = partial(hotcoco.compare, third, third, n_bootstrap=FEW)
                timed("a resample", "hotcoco", few)
                ap = float(np.mean(np.asarray(third.eval["precision"])[..., 0, 0]))
                assert map_of(matches) == pytest.approx(ap, abs=1e-9)
    best = {key: min(each) for key, each in times.items()}
    best["a resample", ""] /= RESAMPLES
    if ("a resample", "hotcoco") in best:
        best["a resample", "hotcoco"] /= 2 * FEW  # of two detectors
    return [
        {"work": work, "peer": peer, "ours, CPU s": f"{best[work, '']:.4f}",
         "peer, CPU s": f"{theirs:.4f}", "peer / ours": f"{theirs / best[work, '']:.2f}"}
        for (work, peer), theirs in best.items() if peer
    ]  # fmt: skip


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


def main():
    chosen = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    chosen.add_argument("--write", action="store_true")
    asked = chosen.parse_args()
    start, made = time.process_time(), rows()
    title = (
        "Speed of mean average precision, its kinds of error and its resamples, compared with "
        "other packages"
    )
    packages = [name for name in ("pycocotools", "faster-coco-eval", "hotcoco")
                if find_spec(name.replace("-", "_"))]  # fmt: skip
    convention = (
        f"{IMAGES:,} images, {CLASSES} classes, {PER_IMAGE} detections per image, ten IoU "
        "thresholds, one range of areas; CPU seconds of one thread, the smallest "
        f"of {ROUNDS} alternating rounds, with boxes read before; above 1, our code is faster; a "
        f"resample: ours of {RESAMPLES:,} drawn at once, hotcoco's of {FEW} for each of two "
        "detectors; "
        f"{committed.versions('numpy', *packages)}"
    )
    print(f"{title}\n({convention})\n\n{committed.markdown(made)}\n", flush=True)
    if asked.write:
        about = {"title": title, "convention": convention, "seconds": time.process_time() - start}
        about["command"] = "python tests/bench/bench_map.py --write"
        print(f"Written: {committed.write('map_speed', made, **about)}\n", flush=True)


if __name__ == "__main__":
    main()
