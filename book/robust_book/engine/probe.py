"""A program that times samples of the jobs' work to measure the speed of its core.

It writes kind of jobs -> ratio of the sample's CPU-seconds to the reference's. Samples are the same
work on a small scale: steps of three networks' training, corruptions and passes, a drawing with
OpenCV, a figure.
"""

import io
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from robust_book.engine.jobs import Kind

NETWORKS = ("resnet18_mini", "vgg19_bn_mini", "densenet121_mini")
CORRUPTIONS = ("gaussian_noise", "motion_blur", "jpeg_compression")
IMAGES = 64
SECONDS = 0.6  # of each sample
# CPU-seconds of one drawing, of the corrupted images and of one figure on a machine whose jobs take
# what is planned; what a step of a training takes there is in the rows of the networks, and a
# training of one step takes so many times as long.
DRAWING, CORRUPTED, FIGURE, ONE_STEP = 0.0006, 0.077, 0.116, 1.15


def main() -> None:
    """Write the times of the samples."""
    from robust_lib import devices

    devices.settle()
    samples: dict[Kind, Iterator[tuple[Callable[[], object], float]]] = {
        "draw": _drawing(), "train": _training(), "predict": _predicting(), "notebook": _figure()
    }  # fmt: skip
    json.dump({kind: _times(list(sample)) for kind, sample in samples.items()}, sys.stdout)


def _times(samples: list[tuple[Callable[[], object], float]]) -> float:
    """Return the ratios of the times for some repeated pieces of work to the reference's."""
    planned = took = 0.0
    for work, seconds in samples:
        work()  # what the first time alone takes
        begun, rounds, spent = time.process_time(), 0, 0.0
        while not rounds or spent < SECONDS / len(samples):
            work()
            rounds += 1
            spent = time.process_time() - begun
        # Each counts alike, however fast it is.
        took += spent / rounds / seconds
        planned += 1
    return took / planned


def _training() -> Iterator[tuple[Callable[[], object], float]]:
    from robust_lib.models import torch_models
    from robust_lib.training import zoo
    from robust_lib.training.augment import AUGMENTATIONS
    from robust_lib.training.cost import training_seconds
    from robust_lib.training.loop import TrainingSet, train

    rng = np.random.default_rng(0)
    for name in NETWORKS:
        manifest, recipe = zoo.plan(name, epochs=1)
        side, number = manifest.preprocessing.crop, recipe.batch
        assert side is not None
        data = TrainingSet(
            rng.integers(0, 256, (number, side, side, 3), np.uint8),
            rng.integers(0, 10, number),
            tuple(map(str, range(number))),
            manifest.mean,
            manifest.std,
        )
        network = torch_models.build(manifest, outputs=10)
        augment = AUGMENTATIONS[recipe.augmentation]
        seconds = training_seconds(name, number, 1)
        assert seconds is not None
        work = partial(train, network, data, recipe, seed=0, augment=augment, progress=False)
        yield work, ONE_STEP * seconds


def _predicting() -> Iterator[tuple[Callable[[], object], float]]:
    import torch

    from robust_lib.config.manifests import load_model
    from robust_lib.corruptions import corrupt
    from robust_lib.models import torch_models

    manifest = load_model(NETWORKS[0])
    network = torch_models.build(manifest, outputs=10).eval()
    images, keys = torch.rand(IMAGES, 3, 64, 64), tuple(map(str, range(IMAGES)))
    channels_last = torch.channels_last

    def work() -> None:
        with torch.inference_mode():
            for name in CORRUPTIONS:
                corrupted = corrupt(images, name, 3, keys=keys)
                network(corrupted.contiguous(memory_format=channels_last))

    yield work, CORRUPTED


def _drawing() -> Iterator[tuple[Callable[[], object], float]]:
    import cv2

    rng = np.random.default_rng(0)
    layer = rng.random((128, 128, 4), np.float32)
    ground = rng.random((64, 64, 3), np.float32)

    def work() -> None:
        drawn: np.ndarray = ground
        for turn in range(8):
            pose = cv2.getRotationMatrix2D((64, 64), 20 * turn, 0.4)
            shown = cv2.warpAffine(layer, pose, (64, 64), flags=cv2.INTER_AREA)
            drawn = drawn * (1 - shown[..., 3:]) + shown[..., :3] * shown[..., 3:]
        drawn = cv2.GaussianBlur(drawn, (0, 0), 1.5) + rng.random(drawn.shape, np.float32) / 100
        cv2.imencode(".jpg", (255 * drawn).clip(0, 255).astype(np.uint8))

    yield work, DRAWING


def _figure() -> Iterator[tuple[Callable[[], object], float]]:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    def work() -> None:
        figure = Figure(figsize=(7, 3))
        for axes in np.ravel(figure.subplots(1, 2)):
            for line in range(5):
                axes.plot(np.arange(20) * line, label=str(line))
            axes.legend()
        for form in ("svg", "png"):
            figure.savefig(io.BytesIO(), format=form)

    yield work, FIGURE


if __name__ == "__main__":
    main()
