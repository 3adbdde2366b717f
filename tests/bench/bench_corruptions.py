"""Cost of the corruptions: ours and the package imagecorruptions, in one run on the same pictures.

    python tests/bench/bench_corruptions.py [--severities 1 3 5] [--batch 16] [--pairs 5]
    python tests/bench/bench_corruptions.py --agreement

One thread, CPU milliseconds for a picture of 224 px, the median of pairs measured one after the
other: a busy machine slows both. Ours turns a float32 batch into a float32 batch, the peer one
uint8 picture into one uint8 picture. With --agreement: the share of 8-bit values in which ours and
the slow oracle agree, given the same draws.
"""

import argparse
import importlib.util
import statistics
import time
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image

from robust_lib.corruptions import COMMON, EXTRA, corrupt

SLOW = ("glass_blur",)  # the peer takes a second a picture


def reference(name):
    path = Path(__file__).parent.parent / "reference" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"reference_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cost(function):
    """CPU milliseconds."""
    start = time.process_time()
    function()
    return 1000 * (time.process_time() - start)


def peer_on_all(function, pictures, severity):
    for picture in pictures:
        np.uint8(np.asarray(function(Image.fromarray(picture), severity)))


def measure(names=COMMON + EXTRA, severities=(1, 3, 5), batch=16, pairs=5):
    """Return rows (name, severity, our ms, peer's ms, median ratio of pairs)."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    peer = reference("peer").load()
    pictures = np.resize(reference("photographs").photographs(), (batch, 224, 224, 3))
    images = torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy()).float() / 255
    keys = list(range(batch))
    rows = []
    for name in names:
        function = getattr(peer, name)
        shown = pictures[:2] if name in SLOW else pictures
        repeats = min(pairs, 2) if name in SLOW else pairs
        for severity in severities:
            corrupt(images, name, severity, keys=keys)  # tables and kernels are made once
            ours_once = partial(corrupt, images, name, severity, keys=keys)
            theirs_once = partial(peer_on_all, function, shown, severity)
            timings = [
                (cost(ours_once) / batch, cost(theirs_once) / len(shown)) for _ in range(repeats)
            ]
            ours, theirs = (statistics.median(side) for side in zip(*timings, strict=True))
            ratio = statistics.median(other / own for own, other in timings)
            rows.append((name, severity, ours, theirs, ratio))
    return rows


def table(rows):
    """Return the rows as a Markdown table, and the sums over the 15 common corruptions."""
    lines = [
        "| corruption | severity | ours ms | peer ms | times as fast |",
        "|---|---|---|---|---|",
        *(
            f"| {name} | {severity} | {ours:.2f} | {theirs:.2f} | {ratio:.1f} |"
            for name, severity, ours, theirs, ratio in rows
        ),
    ]
    for severity in sorted({row[1] for row in rows}):
        common = [row for row in rows if row[1] == severity and row[0] in COMMON]
        if len(common) == len(COMMON):
            ours, theirs = (sum(row[side] for row in common) for side in (2, 3))
            lines.append(
                f"| **15 common** | {severity} | {ours:.1f} | {theirs:.1f} | {theirs / ours:.1f} |"
            )
    return "\n".join(lines)


def agree(names=COMMON + EXTRA, severities=(1, 2, 3, 4, 5)):
    """Return a Markdown table: percent of equal values (largest difference) by severity."""
    oracle, agreement = reference("corruptions"), reference("agreement")
    pictures = reference("photographs").photographs()
    frost = Path(importlib.util.find_spec("imagecorruptions").origin).parent / "frost"
    lines = [
        "| corruption | " + " | ".join(f"severity {severity}" for severity in severities) + " |",
        "|---" * (1 + len(severities)) + "|",
    ]
    for name in names:
        shown = pictures[:2] if name in SLOW else pictures
        cells = []
        for severity in severities:
            equal, apart = agreement.compare(oracle, name, severity, shown, frost)
            cells.append(f"{100 * equal.mean():.4f} ({apart.max()})")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", nargs="+", default=COMMON + EXTRA)
    parser.add_argument("--severities", nargs="+", type=int, default=[1, 3, 5])
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--agreement", action="store_true")
    chosen = parser.parse_args()
    if chosen.agreement:
        print(agree(chosen.names))
        return
    print(table(measure(chosen.names, chosen.severities, chosen.batch, chosen.pairs)))


if __name__ == "__main__":
    main()
