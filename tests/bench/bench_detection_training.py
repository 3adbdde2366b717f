"""How fast detectors are trained, beside a bare loop of torch over the same batches, in one run.

    pytest tests/bench/bench_detection_training.py -m bench -s

The bare loop has nothing but forward, backward and step. On a processor, seconds are the process's
own; on a GPU, with DEVICE=cuda, they are the clock's, for the work is elsewhere.
"""

import os
import time
from functools import partial

import numpy as np
import pytest
import torch

from robust_lib import seeds
from robust_lib.models.detectors import builders
from robust_lib.training.detection import batch_of, train_detector
from robust_lib.training.loop import optimiser_of
from robust_lib.training.zoo import plan
from tests.boxed import Squares

DEVICE = os.environ.get("DEVICE", "cpu")
SMALL = ["fasterrcnn_resnet50_mini", "fasterrcnn_resnet101_mini", "rfcn_resnet101_mini"]
REAL = ["fasterrcnn_resnet50_vid", "fasterrcnn_resnet101_vid", "rfcn_resnet101_vid"]
NAMES = SMALL if DEVICE == "cpu" else SMALL + REAL
STEPS, ROUNDS = 12, 3


def bare(module, batches, recipe, seed):
    """The same steps with nothing that `train_detector` adds: no keys, curves, checks, threads."""
    module.to(DEVICE, memory_format=torch.channels_last).train()
    optimiser = optimiser_of(module, recipe)
    for step, (images, targets) in enumerate(batches):
        torch.manual_seed(seeds.key(seed, "sampled", step) % 2**63)
        there = [image.to(DEVICE) for image in images]
        asked = [{key: value.to(DEVICE) for key, value in one.items()} for one in targets]
        loss = torch.stack(list(module(there, asked).values())).sum()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), recipe.clip)
        optimiser.step()


def seconds(work):
    clock = time.process_time if DEVICE == "cpu" else time.perf_counter
    start = clock()
    work()
    if DEVICE != "cpu":
        torch.cuda.synchronize()
    return clock() - start


@pytest.mark.bench
@pytest.mark.parametrize("name", NAMES)
def test_the_loop_costs_little_beside_the_network(name):
    torch.set_num_threads(1 if DEVICE == "cpu" else torch.get_num_threads())
    manifest, recipe = plan(name, epochs=1)
    data = Squares(recipe.batch * STEPS, side=128 if name in SMALL else 600)
    for place in range(len(data)):
        data.read(place, None)  # drawn beforehand
    order = seeds.generator(0, "epoch", 0).permutation(len(data)).tolist()
    cut = [order[at : at + recipe.batch] for at in range(0, len(order), recipe.batch)]
    batches = [batch_of(data, places, mirrored=[False] * len(places)) for places in cut]
    ours, theirs = [], []
    for _ in range(ROUNDS):
        made = [builders.build(manifest, outputs=3) for _ in range(2)]
        theirs.append(seconds(partial(bare, made[0], batches, recipe, 0)))
        settings = {"seed": 0, "device": DEVICE, "progress": False}
        ours.append(seconds(partial(train_detector, made[1], data, recipe, **settings)))
    ratio = min(theirs) / min(ours)
    print(
        f"\n{name} on {DEVICE}: {len(data) / min(ours):.1f} images a second, bare loop "
        f"{len(data) / min(theirs):.1f}: {ratio:.3f} of it; {min(ours) / STEPS:.3f} s a step"
    )
    assert np.isfinite(ratio)
    assert ratio > 0.8  # the goal is 0.95; a busy machine may take some of it
