"""Writing a tree of corrupted pictures: ours and the package imagecorruptions, one process and two.

    python tests/bench/bench_corrupt_tree.py [--names fog ...] [--severities 1 3 5] [--images 32]
    python tests/bench/bench_corrupt_tree.py --memory [--names fog ...] [--severities 3]

Files a second of wall time, from the pictures on disk to the tree: decode, resize and crop once for
all severities; corrupt, truncate, JPEG of quality 85 for each. Both sides get the same folder and
the same processes of one thread, which have started and done one picture before the clock does; the
sides and the numbers of processes are timed in turn, and the medians of all rounds are shown. CPU
milliseconds a file tell whether a poor scaling is the code's: where the machine has other work,
they rise little and the wall time much.

With --memory: by how much the resident memory of a fresh process rises above what it holds with a
batch in memory, while that batch is corrupted; the result, as large as the batch, is part of it.
"""

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import lru_cache, partial
from pathlib import Path

import cv2
import numpy as np
import skimage.data
import torch
from PIL import Image

from robust_lib.corruptions import corrupt
from robust_lib.datasets import open_picture
from robust_lib.datasets.archive_writer import files as corrupt_files
from robust_lib.datasets.archive_writer.files import processes
from robust_lib.datasets.archive_writer.write import BENCHMARK
from robust_lib.vocabulary import COMMON, EXTRA, NAMES

SLOW = {"glass_blur": 2}  # the peer takes half a second a file: so few pictures for it
SHOWN = ("gaussian_noise", "glass_blur", "motion_blur", "snow", "fog", "jpeg_compression")
LONG_SIDE = 500  # pixels, ImageNet's most common
MEGABYTE = 1e6


def folder_of_photographs(folder, count):
    """Write photographs of ImageNet's usual size and quality; return their names."""
    names = ("astronaut", "coffee", "chelsea", "rocket", "hubble_deep_field", "retina")
    sources = [getattr(skimage.data, name)() for name in names]
    sources += [skimage.data.stereo_motorcycle()[0], skimage.data.immunohistochemistry()]
    written = []
    for number in range(count):
        photograph = Image.fromarray(sources[number % len(sources)]).rotate(number // 8 * 90)
        photograph.thumbnail((LONG_SIDE, LONG_SIDE))
        name = f"n0144076{number % 4}/ILSVRC2012_val_{number + 1:08d}.JPEG"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        photograph.save(folder / name, quality=92)
        written.append(name)
    return written


@lru_cache
def peer():
    path = Path(__file__).parent.parent / "reference" / "peer.py"
    spec = importlib.util.spec_from_file_location("reference_peer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load()


def ours_on(tree, cells, names, stopped):
    """Return the CPU seconds of one batch."""
    start = time.process_time()
    corrupt_files.make(tree, dict.fromkeys(names, cells), stopped)
    return time.process_time() - start


def theirs_on(tree, cells, names, stopped):
    """Do the same with the peer's functions, one picture after the other, as they take them."""
    start = time.process_time()
    for name in names:
        picture = Image.fromarray(tree.geometry.apply(open_picture(tree.source / name)))
        for corruption, severity in cells:
            levels = np.uint8(np.asarray(getattr(peer(), corruption)(picture, severity)))
            place = tree.place((corruption, severity), name)
            place.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(levels).save(place, quality=85, optimize=True)
    return time.process_time() - start


def rate(each, work, tree, cells, names, batch):
    """Return files a second of wall time, and CPU milliseconds a file."""
    parts = [names[start : start + batch] for start in range(0, len(names), batch)]
    files = len(names) * len(cells)
    start = time.monotonic()
    used = sum(each(partial(work, tree, cells, part) for part in parts))
    return files / (time.monotonic() - start), 1000 * used / files


def measure(shown, severities, images, rounds):
    """Return rows (name, {(side, processes): (files/s, CPU ms)})."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch, processes(1) as one, processes(2) as two:
        source = Path(scratch, "val")
        names = folder_of_photographs(source, images)
        for name in shown:
            cells = tuple((name, severity) for severity in severities)
            results = {}
            for turn in range(-1, rounds):
                for side, work in (("ours", ours_on), ("peer", theirs_on)):
                    tree = corrupt_files.Tree(source, Path(scratch, side), BENCHMARK, 0, "0" * 16)
                    few = SLOW.get(name, images) if side == "peer" else images
                    for workers, each in ((1, one), (2, two)):
                        if turn < 0:  # tables, kernels and textures are made once
                            rate(each, work, tree, cells[:1], names[:workers], 1)
                            continue
                        got = rate(each, work, tree, cells, names[:few], 1 if few < 8 else 4)
                        results.setdefault((side, workers), []).append(got)
            rows.append((name, {key: middle(all_of) for key, all_of in results.items()}))
            print(f"{name} done", file=sys.stderr)
    return rows


def middle(results):
    return tuple(statistics.median(values) for values in zip(*results, strict=True))


def table(rows):
    lines = [
        "| corruption | ours, 1 process | 2 | scaling | peer, 1 process | 2 | times as fast, 1 | 2 "
        "| CPU ms a file, ours 1 / 2, peer 1 / 2 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, cells in rows:
        (o1, o1ms), (o2, o2ms) = cells["ours", 1], cells["ours", 2]
        (p1, p1ms), (p2, p2ms) = cells["peer", 1], cells["peer", 2]
        lines.append(
            f"| {name} | {o1:.1f} | {o2:.1f} | {o2 / o1:.2f} | {p1:.1f} | {p2:.1f} | "
            f"{o1 / p1:.1f} | {o2 / p2:.1f} | {o1ms:.1f} / {o2ms:.1f}, {p1ms:.1f} / {p2ms:.1f} |"
        )
    return "\n".join(lines)


# Memory.


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_of(name, severity, images, warm):
    """Print the bytes by which the peak rises above the batch."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    generator = torch.Generator().manual_seed(0)
    small = torch.rand((images, 3, 28, 28), generator=generator)
    batch = torch.nn.functional.interpolate(small, (224, 224), mode="bilinear").clamp_(0, 1)
    batch = batch.mul_(255).round_().div_(255)
    if warm:
        corrupt(batch[:1], name, severity, keys=[0])
    before = resident()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    result = corrupt(batch, name, severity, keys=list(range(images)))
    status = Path("/proc/self/status").read_text()
    print(1024 * int(status.split("VmHWM:")[1].split()[0]) - before)
    assert result.shape == batch.shape


def rise(name, severity, images, *more):
    words = [
        "--peak",
        "--names",
        name,
        "--severities",
        str(severity),
        "--images",
        str(images),
        *more,
    ]
    done = subprocess.run(
        [sys.executable, __file__, *words],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return int(done.stdout) / MEGABYTE


def memory(shown, severities, images):
    """Return a Markdown table of the rises in MB, each measured in a fresh process."""
    own = images * 3 * 224 * 224 * 4 / MEGABYTE
    lines = [
        f"{images} pictures: the batch has {own:.1f} MB, and so has the result.",
        "",
        "| corruption | severity | rise, first call | after a call with one picture |",
        "|---|---|---|---|",
    ]
    for name in shown:
        for severity in severities:
            cold, warm = (rise(name, severity, images, *more) for more in ((), ("--warm",)))
            lines.append(f"| {name} | {severity} | {cold:.0f} | {warm:.0f} |")
        print(f"{name} done", file=sys.stderr)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", nargs="+", choices=NAMES)
    parser.add_argument("--severities", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--images", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--peak", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--warm", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.peak:
        peak_of(chosen.names[0], chosen.severities[0], chosen.images, chosen.warm)
    elif chosen.memory:
        print(memory(chosen.names or COMMON + EXTRA, chosen.severities, chosen.images))
    else:
        shown = chosen.names or SHOWN
        print(table(measure(shown, chosen.severities, chosen.images, chosen.rounds)))
        print(f"\nLoad {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
