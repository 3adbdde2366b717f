"""How much the training loop costs beside the network: `train` against a bare loop, in one run.

    python tests/bench/bench_training.py [--write]

--write puts the table of the miniature's networks where the book shows it,
data_manifests/measured/training_speed.csv and .yaml.

The bare loop is what a person would write in ten lines of PyTorch: the same pictures in memory, the
same order of work on them (mirror, shift, normalise), the same optimiser and schedule. Both train
the same network for an epoch, in turn; seconds are the process's own. On scenes, the bare loop
draws each picture's pose and colours by itself, in float32, 64 pictures a step, as one would begin.
"""

import argparse
import time
from functools import partial

import cv2
import numpy as np
import pytest
import torch

from robust_lib.models import torch_models
from robust_lib.training import zoo
from robust_lib.training.augment import (
    AUGMENTATIONS,
    COLOUR,
    GREY,
    LIGHT,
    SHEAR,
    SHIFT,
    STRETCH,
    TURN,
    ZOOM,
)  # fmt: skip
from robust_lib.training.loop import TrainingSet, jitter, train
from robust_lib.training.precision import computes_in_bfloat16
from tests.reference import committed

IMAGES, ROUNDS, CLASSES = 2048, 5, 50


def lesson(manifest):
    side = manifest.preprocessing.crop
    rng = np.random.default_rng(0)
    return TrainingSet(
        rng.integers(0, 256, (IMAGES, side, side, 3), np.uint8),
        rng.integers(0, CLASSES, IMAGES),
        tuple(f"image{number}" for number in range(IMAGES)),
        manifest.mean,
        manifest.std,
    )


def posed_one_by_one(images, rng):
    """Turn, zoom, stretch and recolour picture by picture, as one would begin to write it."""
    height, width = images.shape[-2:]
    changed = []
    for picture in images.permute(0, 2, 3, 1).numpy():
        turn, zoom = rng.uniform(-TURN, TURN), rng.uniform(*ZOOM)
        tall, shear = zoom * rng.uniform(*STRETCH), rng.uniform(-SHEAR, SHEAR)
        cos, sin = np.cos(turn), np.sin(turn)
        linear = np.array([[cos * zoom, shear - sin * tall], [sin * zoom, cos * tall]])
        centre = np.array([width - 1, height - 1]) / 2
        shift = rng.uniform(-SHIFT, SHIFT, 2) * (width / 2, height / 2)
        posed = cv2.warpAffine(
            picture, np.column_stack([linear, centre - linear @ centre + shift]), (width, height),
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REFLECT,
        )  # fmt: skip
        mix = np.eye(3) + COLOUR * rng.standard_normal((3, 3))
        if rng.random() < GREY:
            mix = np.full((3, 3), 1 / 3)
        mean = posed.mean((0, 1))
        offset = mean - mix @ mean + LIGHT * rng.standard_normal(3)
        changed.append(cv2.transform(posed, np.column_stack([mix, offset])))
    return torch.from_numpy(np.stack(changed)).permute(0, 3, 1, 2).clamp_(0, 1)


def bare(network, data, recipe, batch=None):
    """One epoch, with nothing that `train` adds: no keys, curves, checks, bars or checkpoints."""
    batch = batch or recipe.batch
    network.to(memory_format=torch.channels_last).train()
    optimiser = torch.optim.SGD(
        network.parameters(), recipe.rate, momentum=recipe.momentum,
        weight_decay=recipe.weight_decay, nesterov=True,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    order = rng.permutation(IMAGES)
    mean, std = (torch.tensor(value).view(1, 3, 1, 1) for value in (data.mean, data.std))
    for start in range(0, IMAGES, batch):
        chosen = order[start : start + batch]
        pictures = jitter(data.pictures[chosen], rng, flip=recipe.flip, padding=recipe.padding)
        images = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
        if recipe.augmentation == "pose_and_colour":
            images = posed_one_by_one(images, rng)
        images = ((images - mean) / std).contiguous(memory_format=torch.channels_last)
        logits = network(images)
        loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(data.labels[chosen]))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def side_by_side(manifest, recipe, batch=None):
    """Return how many images a CPU second we train on, and how many the bare loop does."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    data = lesson(manifest)
    augment = AUGMENTATIONS.get(recipe.augmentation)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        one, other = (torch_models.build(manifest, outputs=CLASSES) for _ in range(2))
        theirs.append(seconds(partial(bare, one, data, recipe, batch)))
        learn = partial(train, other, data, recipe, seed=0, augment=augment, progress=False)
        ours.append(seconds(learn))
    return IMAGES / min(ours), IMAGES / min(theirs)


@pytest.mark.bench
@pytest.mark.parametrize("name", ["resnet20_mini", "densenet40_k24_mini"])
def test_the_loop_costs_little_beside_the_network(name):
    manifest, recipe = zoo.plan(name, epochs=1)
    same = recipe.model_copy(update={"mixed_precision": False, "augmentation": "none"})
    ours, theirs = side_by_side(manifest, same)
    print(f"\n{name}: {ours:.0f} images a CPU second, bare loop {theirs:.0f}: {ours / theirs:.3f}")
    assert ours / theirs > 0.8  # the goal is 0.95; a busy machine may take some of it


def precisions():
    """Return what this processor can train in."""
    return ("float32", "bfloat16") if computes_in_bfloat16("cpu") else ("float32",)


def of_miniature(name, precision):
    """Return images a CPU second as the miniature's recipe says, and of a bare loop by 64."""
    manifest, recipe = zoo.plan(name, epochs=1)
    mixed = recipe.model_copy(update={"mixed_precision": precision == "bfloat16"})
    return side_by_side(manifest, mixed, batch=64)


@pytest.mark.bench
@pytest.mark.parametrize("precision", precisions())
@pytest.mark.parametrize("name", ["resnet18_mini", "resnet50_mini"])
def test_batches_and_bfloat16_make_a_cpu_second_go_further(name, precision):
    ours, theirs = of_miniature(name, precision)
    ratio = f"{ours:.0f} images a CPU second, bare loop {theirs:.0f}: {ours / theirs:.3f}"
    print(f"\n{name}, {precision}: {ratio}")
    # The goal is 1.5 in bfloat16; a busy machine may take some of it.
    assert ours / theirs > {"float32": 0.9, "bfloat16": 1.2}[precision]


def main():
    chosen = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    chosen.add_argument("--write", action="store_true")
    asked = chosen.parse_args()
    start, rows = time.process_time(), []
    for name in ("resnet18_mini", "resnet50_mini"):
        for precision in precisions():
            ours, theirs = of_miniature(name, precision)
            rates = {"ours": f"{ours:.0f}", "bare loop": f"{theirs:.0f}"}
            what = {"network": name, "ours in": precision}
            rows.append(what | rates | {"ours / bare": f"{ours / theirs:.3f}"})
    title = "Cost of training apart from the network"
    convention = (
        f"images per CPU second of one thread, one epoch of {IMAGES} images in memory, {CLASSES} "
        "classes; ours: the miniature's recipe and its batch size, which takes bfloat16 where the "
        "processor has it; bare loop: plain PyTorch in float32, 64 images per step, transformed "
        f"and recoloured one by one; the best of {ROUNDS} alternating rounds; "
        f"{committed.versions('torch', 'numpy')}"
    )
    print(f"{title}\n({convention})\n\n{committed.markdown(rows)}\n", flush=True)
    if asked.write:
        about = {"title": title, "convention": convention, "seconds": time.process_time() - start}
        about["command"] = "python tests/bench/bench_training.py --write"
        print(f"Written: {committed.write('training_speed', rows, **about)}\n", flush=True)


if __name__ == "__main__":
    main()
