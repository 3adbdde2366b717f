"""The corruptions beside the oracle and the package imagecorruptions: how alike, and how fast.

    python tests/bench/bench_corruptions.py [TABLE ...] [--write]

TABLE is one or more of

    speed         CPU milliseconds for a picture, all severities
    cost          the same at severity 3, with the sum, and the memory beyond the batch
    oracle        share of 8-bit values equal to the slow oracle's, given the same draws
    peer          share of 8-bit values equal to the peer's, given the same draws
    peer_draws    two-sample tests, each side with draws of its own
    differences   what the definitions differ in, and by how much

and all of them by default. --write puts them where the book shows them,
data_manifests/measured/corruption_<TABLE>.csv and .yaml.

Speed: one thread. Both sides turn one float32 batch (16, 3, 224, 224) into another, which is what a
network eats; the peer's conversions to PIL pictures and back are therefore part of its time, and
the column "its function" is the time without them, from one PIL picture to one 8-bit array. Pairs
are measured one after the other and the medians taken, so that a busy machine slows both. Memory
is the peak of a fresh process for 32 pictures beyond what it had with them in memory, less the 19
MB of the result.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from robust_lib import devices
from robust_lib.corruptions import corrupt
from robust_lib.corruptions.frost_textures import textures
from robust_lib.datasets import to_images
from robust_lib.vocabulary import COMMON, EXTRA, NAMES, SEVERITIES, corruption_label
from tests.reference import (
    agreement,
    committed,
    corruptions,
    differences,
    peer,
    photographs,
    two_samples,
)
from tests.reference.handed import REDEFINED, stored

BATCH, PAIRS = 16, 5
PAIRS_GLASS, BATCH_GLASS = 2, 2  # the peer takes up to a second a picture
CROWD = 32  # pictures when memory is measured
RANDOM = (
    *("gaussian_noise", "shot_noise", "impulse_noise", "glass_blur", "motion_blur"),
    *("snow", "fog", "speckle_noise", "spatter"),
)

PHOTOGRAPHS = "nine photographs of scikit-image, 224 px"


# Speed


def milliseconds(function, pictures):
    """CPU milliseconds for each of so many pictures."""
    start = time.process_time()
    function()
    return 1000 * (time.process_time() - start) / pictures


def peer_on_batch(function, images, severity):
    """The peer's function from float32 batch to float32 batch."""
    pictures = (images * 255).round_().to(torch.uint8).permute(0, 2, 3, 1).contiguous().numpy()
    return to_images(np.stack(peer_on_pictures(function, pictures, severity)))


def peer_on_pictures(function, pictures, severity):
    return [stored(function(Image.fromarray(picture), severity)) for picture in pictures]


@cache
def shown(batch=BATCH):
    """Return the pictures, uint8 (batch, 224, 224, 3), and the same as float32 fractions."""
    pictures = np.resize(photographs.photographs(), (batch, 224, 224, 3))
    return pictures, agreement.tensors(pictures)


@cache
def timing(name, severity):
    """Return median milliseconds of ours, of the peer, and of its function alone."""
    pictures, images = shown()
    sides = [(partial(corrupt, images, name, severity, keys=range(BATCH)), BATCH)]
    slow = name == "glass_blur"
    if (function := getattr(peer.load(), name, None)) is not None:
        few = BATCH_GLASS if slow else BATCH
        sides.append((partial(peer_on_batch, function, images[:few], severity), few))
        sides.append((partial(peer_on_pictures, function, pictures[:few], severity), few))
    sides[0][0]()  # kernels and tables are made once
    pairs = range(PAIRS_GLASS if slow else PAIRS)
    measured = [[milliseconds(*side) for side in sides] for _ in pairs]
    return [statistics.median(side) for side in zip(*measured, strict=True)]


def memory(name, severity=3):
    """Return the MB that a fresh process needs beyond the batch and the result, at its peak."""
    script = f"""
import pathlib, torch, cv2
from robust_lib.corruptions import corrupt
torch.set_num_threads(1); cv2.setNumThreads(1)
def status(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) * 1024
images = torch.rand({CROWD}, 3, 224, 224)
pathlib.Path("/proc/self/clear_refs").write_text("5")  # forget the peak of the imports
before = status("VmRSS")
made = corrupt(images, "{name}", {severity}, keys=range({CROWD}))
print(status("VmHWM") - before - made.numel() * 4)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return max(0.0, int(done.stdout) / 1e6)


def speed():
    """Return a row a corruption and severity; the peer has no occlusions."""
    rows = []
    for name in NAMES:
        for severity in SEVERITIES:
            ours, *theirs = timing(name, severity)
            rows.append(
                {
                    "corruption": name,
                    "severity": str(severity),
                    "ours_ms": f"{ours:.2f}",
                    "peer_ms": f"{theirs[0]:.2f}" if theirs else "",
                    "ratio": f"{theirs[0] / ours:.1f}" if theirs else "",
                }
            )
    return rows


def cost():
    """Return the table at severity 3."""
    times = {name: timing(name, 3) for name in COMMON + EXTRA}
    rows = [
        cost_row(corruption_label(name), *own, f"{memory(name):.0f}") for name, own in times.items()
    ]
    sums = [sum(times[name][side] for name in COMMON) for side in range(3)]
    return [*rows, cost_row("Sum of the 15 common", *sums, "")]


def cost_row(label, ours, theirs, bare, megabytes):
    return {
        "Corruption": label,
        "ours": f"{ours:.2f}",
        "peer": f"{theirs:.2f}",
        "its function": f"{bare:.2f}",
        "times as fast": f"{theirs / ours:.1f}",
        "memory": megabytes,
    }


# Agreement


def shares(compare):
    """Return a row a corruption of compare(name, severity) -> equal shares, largest differences."""
    rows = []
    for name in COMMON + EXTRA:
        if name in REDEFINED and compare is with_peer:
            continue
        cells = {s: compare(name, s) for s in SEVERITIES}
        rows.append(
            {"Corruption": corruption_label(name)}
            | {f"severity {s}": f"{100 * equal.mean():.3f}" for s, (equal, _) in cells.items()}
            | {"largest": str(max(int(apart.max()) for _, apart in cells.values()))}
        )
    return rows


def with_oracle(name, severity):
    folder = peer.frost_folder()
    return agreement.compare(corruptions, name, severity, photographs.photographs(), folder)


def with_peer(name, severity):
    return agreement.compare_with_peer(peer.load(), name, severity, photographs.photographs())


def peer_draws():
    """Return the smallest p-value of each kind over the severities, for each random corruption."""
    picture = photographs.photographs()[two_samples.PICTURE]
    rows = []
    for name in (*RANDOM, *REDEFINED):
        draws = two_samples.draws_of(name)
        found = defaultdict(list)
        for severity in SEVERITIES:
            both = two_samples.samples(peer.load(), name, severity, picture, draws)
            for kind, p in two_samples.p_values(*both).items():
                found[kind].append(p)
        least = {kind: min(ps) for kind, ps in found.items()}
        rows.append(
            {"Corruption": corruption_label(name), "draws": str(draws)}
            | {kind: f"{p:.5f}" for kind, p in least.items()}
            | {"finding": "differ" if min(least.values()) < bound() else "no difference"}
        )
    return rows


def bound():
    """Return the p-value below which one comparison is called a difference."""
    return two_samples.LEVEL / (len(RANDOM) * len(SEVERITIES) * 3)


def known_differences():
    look = textures(peer.frost_folder())
    rows = []
    for words, name, measure in differences.DIFFERENCES:
        size = measure(peer.load(), name, photographs.photographs(), look)
        rows.append(
            {
                "What the peer does": words,
                "benchmark": f"{size.benchmark:.2f}",
                "peer": f"{size.peer:.2f}",
                "apart": "" if size.between is None else f"{size.between:.4f}",
            }
        )
    return rows


# name: (how it is made, title, convention)
def tables():
    libraries = committed.versions(
        "imagecorruptions", "torch", "opencv-python-headless", "numpy", "scikit-image"
    )
    timed = (
        f"images of 224 px; float32 batches of {BATCH} in and out; median of {PAIRS} pairs (glass "
        f"blur: {PAIRS_GLASS}, of {BATCH_GLASS} images); {libraries}"
    )
    equal = f"{PHOTOGRAPHS}; largest: difference in levels"
    return {
        "speed": (speed, "Time per image (CPU ms) by severity", timed),
        "cost": (
            cost,
            "Time per image (CPU ms) and memory (MB) at severity 3",
            f"{timed}; its function: from PIL image to 8-bit array, without conversions; memory: "
            f"MB beyond the batch for {CROWD} images, of our function, in a fresh process",
        ),
        "oracle": (
            partial(shares, with_oracle),
            "Equal 8-bit values (%) of our corruptions and the oracle, given the same draws",
            f"{equal}; the benchmark's own frost images",
        ),
        "peer": (
            partial(shares, with_peer),
            "Equal 8-bit values (%) of our corruptions and imagecorruptions, given the same draws",
            f"{equal}; without elastic transform and frost, which imagecorruptions defines "
            "differently",
        ),
        "peer_draws": (
            peer_draws,
            "Our corruptions and imagecorruptions, each with its own draws: p-values",
            f"smallest of five p-values (severities) of {two_samples.RELABELLINGS:,} relabellings, "
            f"one photograph, as many draws from each side; a difference counts if p < "
            f"{bound():.5f}, that is, {two_samples.LEVEL} for all comparisons of the {len(RANDOM)} "
            "random corruptions with one definition; motion blur with the peer's levels rounded; "
            "the last two are defined differently",
        ),
        "differences": (
            known_differences,
            "Differences between imagecorruptions and the benchmark (8-bit levels)",
            f"mean absolute differences, five severities, {PHOTOGRAPHS}; benchmark, peer: from the "
            "clean image; apart: difference between the two, given the same draws, if the draws "
            "can be the same",
        ),
    }


def main():
    measure(tables(), __doc__, "corruption", Path(__file__).name)


def measure(known, described, stem, file, device="cpu"):
    """Make the tables that the command line asks for, print them, and write them if it says so.

    Args:
        known: name -> how a table is made, its title and its convention.
        described: what the command says of itself.
        stem: begins the names of the files that are written.
        file: of tests/bench, that makes them again.
        device: what computes.
    """
    chosen = argparse.ArgumentParser(
        description=described, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    chosen.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(known))
    chosen.add_argument("--write", action="store_true")
    asked = chosen.parse_args()
    if unknown := set(asked.tables) - set(known):
        chosen.error(f"no such table: {', '.join(unknown)}; there are {', '.join(known)}")
    if not devices.is_there(device):
        chosen.error(f"there is no {device} here")
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    clock = time.process_time if device == "cpu" else time.perf_counter
    for name in asked.tables or known:
        make, title, convention = known[name]
        start = clock()
        rows = make()
        seconds = clock() - start
        print(f"{title}\n({convention})\n\n{committed.markdown(rows)}\n", flush=True)
        if asked.write:
            about = {"title": title, "convention": convention, "seconds": seconds, "device": device}
            about["command"] = f"python tests/bench/{file} {name} --write"
            print(f"Written: {committed.write(f'{stem}_{name}', rows, **about)}\n", flush=True)


@pytest.mark.bench
def test_speed_and_memory():
    """In a process of its own: the type checks of the tests would be measured, too."""
    command = [sys.executable, __file__, "cost"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    print(f"\n{done.stdout}")
    cells = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if "| " in line]
    rows = {name: rest for name, *rest in cells[2:]}
    assert len(rows) == len(COMMON + EXTRA) + 1
    # A gross regression alone: a busy machine moves the ratio, though it slows both.
    assert float(rows.pop("Sum of the 15 common")[3]) > 10
    assert max(float(rest[4]) for rest in rows.values()) <= 64


if __name__ == "__main__":
    main()
