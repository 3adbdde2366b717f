"""What a GPU does: the corruptions beside the peer's one thread, predictions, the rates of a plan.

    python tests/bench/bench_gpu.py [TABLE ...] [--write]

TABLE is one or more of

    corruptions  how like the processor's, and pictures a second beside the peer's
    predict      predict() beside bare forward passes and beside reading alone
    networks     ResNet-50: pictures a second, and how far its answers are from the processor's

and all of them by default. --write puts them where the book shows them,
data_manifests/measured/gpu_<TABLE>.csv and .yaml.

Times are a clock's, of work that the GPU has done, best of some rounds in turn. Corruptions turn
one float32 batch on the GPU into another; the peer's side is one thread of the same machine's
processor, which does the same in its memory (as in bench_corruptions.py).
"""

import itertools
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from robust_lib import devices
from robust_lib.cache import Store
from robust_lib.corruptions import corrupt
from robust_lib.corruptions.levels import truncate
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Archive, as_stored
from robust_lib.models import torch_models
from robust_lib.predict.classify import predict
from robust_lib.predict.reading import read
from robust_lib.vocabulary import COMMON, EXTRA, NAMES, corruption_label
from tests import trees
from tests.bench import bench_corruptions, bench_reading
from tests.reference import agreement, committed, photographs

BATCH, ROUNDS, SEVERITY = 256, 3, 3
COPIES = 32  # of each file: enough for seconds of work
PRECISIONS = ("float32", "tf32", "bfloat16")


def seconds(work):
    """Return the shortest of some rounds by the clock, after one that makes kernels and tables."""
    found = []
    for _ in range(1 + ROUNDS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        found.append(time.perf_counter() - start)
    return min(found[1:])


# Corruptions


def corruptions():
    """Return a row a corruption, and what all of the benchmark come to."""
    small = agreement.tensors(photographs.photographs())
    large = agreement.tensors(np.resize(photographs.photographs(), (BATCH, 224, 224, 3))).cuda()
    rows, costs = [], []
    for name in NAMES:
        keys = [f"key {number}" for number in range(len(small))]
        here = truncate(corrupt(small, name, SEVERITY, keys=keys)).int()
        there = truncate(corrupt(small.cuda(), name, SEVERITY, keys=keys).cpu()).int()
        ours = seconds(lambda: corrupt(large, name, SEVERITY, keys=range(BATCH))) / BATCH  # noqa: B023
        theirs = None
        if name in COMMON + EXTRA:
            theirs = bench_corruptions.timing(name, SEVERITY)[1] / 1000
        if name in COMMON:
            costs.append((ours, theirs))
        equal = f"{100 * float((here == there).double().mean()):.3f}"
        apart = str(int((here - there).abs().max()))
        rows.append(corruption_row(corruption_label(name), equal, apart, ours, theirs))
    ours, theirs = (sum(side) for side in zip(*costs, strict=True))
    return [*rows, corruption_row("All 15 common, one after another", "", "", ours, theirs)]


def corruption_row(label, equal, apart, ours, theirs):
    return {
        "Corruption": label,
        "equal to the processor's (%)": equal,
        "largest": apart,
        "GPU, images per second": f"{1 / ours:.0f}",
        "peer, one thread": f"{1 / theirs:.1f}" if theirs else "",
        "times as fast": f"{theirs / ours:.0f}" if theirs else "",
    }


# Predictions


def network(precision):
    """Return a ResNet-50 on the GPU, of the same random weights each time."""
    return torch_models.load("resnet50", source="random", device="cuda", precision=precision)


def copies(folder, side, quality):
    """Write pictures and hard links to them, so that there are enough for seconds of work."""
    bench_reading.pictures(folder, side, quality)
    for file, number in itertools.product(sorted(folder.iterdir()), range(1, COPIES)):
        os.link(file, file.with_stem(f"{file.stem}_{number}"))


def predictions():
    """Return a row for each kind of picture and precision."""
    readers, wnids = len(os.sched_getaffinity(0)), ["n00000001"]
    rows = []
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        copies(root / "fog" / "1" / wnids[0], (224, 224), 85)
        copies(root / "val" / wnids[0], (500, 375), 92)
        classes = trees.class_list(wnids)
        sets = {
            "of the archive": Archive(root, "fog", 1, classes=classes),
            "500 x 375 photographs": ImageFolder(root / "val", classes),
        }
        for (words, images), precision in itertools.product(sets.items(), PRECISIONS):
            model = network(precision)
            if isinstance(images, Archive):
                model = replace(model, preprocessing=as_stored(model.preprocessing))
            seen, number = model.preprocessing, len(images)
            batches = [list(range(at, at + BATCH)) for at in range(0, number, BATCH)]
            shown = torch.rand(BATCH, 3, 224, 224, device="cuda")
            bare = seconds(lambda: [model(shown) for _ in batches])  # noqa: B023
            reading = seconds(lambda: [None for _ in read(images, seen, batches, readers, "cuda")])  # noqa: B023
            loop = seconds(lambda: predict(model, images, batch_size=BATCH, workers=readers))  # noqa: B023
            fresh = itertools.count()
            stored = seconds(
                lambda: predict(
                    model, images, batch_size=BATCH, workers=readers,  # noqa: B023
                    cache=Store(root / f"{precision}{next(fresh)}"),  # noqa: B023
                )
            )  # fmt: skip
            rows.append(
                {
                    "images": words,
                    "precision": precision,
                    "bare forward pass": f"{number / bare:.0f}",
                    f"reading alone, {readers} threads": f"{number / reading:.0f}",
                    "predict": f"{number / loop:.0f}",
                    "predict, storing": f"{number / stored:.0f}",
                    "predict / the slower": f"{max(bare, reading) / loop:.3f}",
                    "storing / the slower": f"{max(bare, reading) / stored:.3f}",
                }
            )
    return rows


# Networks


def networks():
    """Return a row a precision."""
    here = torch_models.load("resnet50", source="random")
    few = torch.rand(64, 3, 224, 224, generator=torch.Generator().manual_seed(0))
    expected = here(few).double()
    rows = []
    for precision in PRECISIONS:
        model = network(precision)
        found = model(few.cuda()).cpu().double()
        shown = torch.rand(BATCH, 3, 224, 224, device="cuda")
        forward = seconds(lambda: [model(shown) for _ in range(10)])  # noqa: B023
        training = seconds(lambda: [step(model.module, shown, precision) for _ in range(5)])  # noqa: B023
        rows.append(
            {
                "precision": precision,
                "predicting, images per second": f"{10 * BATCH / forward:.0f}",
                "training, images per second": f"{5 * BATCH / training:.0f}",
                "answers apart": f"{float((found - expected).abs().max() / expected.std()):.5f}",
            }
        )
    return rows


def step(module, images, precision):
    """One way forward and back of a batch, of a network in training."""
    module.train()
    batch = images.contiguous(memory_format=torch.channels_last)
    with (
        torch.enable_grad(),
        torch.autocast("cuda", torch.bfloat16, precision == "bfloat16"),
        devices.convolving(tf32=precision != "float32"),
    ):
        logits = module(batch)
        loss = functional.cross_entropy(logits, torch.zeros(len(images), device="cuda").long())
        module.zero_grad(set_to_none=True)
        loss.backward()
    module.eval()


def tables():
    libraries = committed.versions("torch", "torchvision", "numpy")
    return {
        "corruptions": (
            corruptions,
            f"Corruptions on a GPU at severity {SEVERITY}",
            f"equal: 8-bit values of nine photographs, and the largest difference in levels; GPU: "
            f"float32 batches of {BATCH}, 224 px, in its memory; peer: CPU time, as in "
            f"corruption_speed, on {committed.processor()}; {libraries}, "
            f"{committed.versions('imagecorruptions', 'opencv-python-headless', 'scikit-image')}",
        ),
        "predict": (
            predictions,
            "Predicting with a ResNet-50 on a GPU, images per second",
            f"{COPIES * bench_reading.FILES:,} JPEG files, warm, batches of {BATCH}; the slower: "
            f"of bare forward pass and reading; best of {ROUNDS}; {committed.processor()}; "
            f"{libraries}",
        ),
        "networks": (
            networks,
            "ResNet-50 on a GPU",
            f"batches of {BATCH}, 224 px, random weights; tf32: float32 whose convolutions round "
            "to TF32; training: a forward and a backward pass; answers apart: largest difference "
            "of a logit from the processor's float32, in standard deviations of the logits, 64 "
            f"images; best of {ROUNDS}; {libraries}",
        ),
    }  # fmt: skip


def main():
    bench_corruptions.measure(tables(), __doc__, "gpu", Path(__file__).name, device="cuda")


@pytest.mark.bench
@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_is_worth_its_while():
    rows = {row["Corruption"]: row for row in corruptions()}
    # A gross regression alone: goal and figures stand in the committed table.
    assert float(rows["All 15 common, one after another"]["times as fast"]) > 100


if __name__ == "__main__":
    main()
