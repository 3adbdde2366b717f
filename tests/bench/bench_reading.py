"""What reading costs: a picture of the archive, a photograph, a network's weights; what follows.

    python tests/bench/bench_reading.py [--write]

--write puts the two tables where the book shows them: what was measured, and how long ImageNet-C
takes on many GPUs, which is computed from it and from the rates of one (bench_gpu.py).
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.datasets import stack
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Archive
from robust_lib.models import torch_models
from robust_lib.preprocessing import Preprocessing
from tests import trees
from tests.bench import scale
from tests.reference import committed

FILES, ROUNDS = 256, 7


def pictures(folder, side, quality):
    """Write JPEG files with the detail of photographs."""
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True)
    for number in range(FILES):
        coarse = Image.fromarray(rng.integers(0, 256, (24, 32, 3), np.uint8))
        grain = rng.normal(0, 9, (side[1], side[0], 3))
        fine = np.asarray(coarse.resize(side, Image.Resampling.BICUBIC)) + grain
        made = Image.fromarray(fine.clip(0, 255).astype(np.uint8))
        made.save(folder / f"{number:04}.JPEG", quality=quality)


def milliseconds(work, number):
    """Return the processor's milliseconds of one of so many, the best of some rounds."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return 1000 * min(found) / number


def measured():
    """Return what -> (bytes a file, milliseconds)."""
    wnids, every = ["n00000001"], range(FILES)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        pictures(root / "fog" / "1" / wnids[0], (224, 224), 85)
        pictures(root / "val" / wnids[0], (500, 375), 92)
        sets = {
            "an image of the archive": (
                Archive(root, "fog", 1, classes=trees.class_list(wnids)), Preprocessing(None, 224),
            ),
            "a photograph of 500 x 375 pixels": (
                ImageFolder(root / "val", trees.class_list(wnids)), Preprocessing(256, 224),
            ),
        }  # fmt: skip
        found = {}
        for what, (images, geometry) in sets.items():
            size = np.mean([(images.folder / one).stat().st_size for one in images.ids])
            took = milliseconds(lambda: stack(images, every, geometry), FILES)  # noqa: B023
            found[what] = (float(size), took)
        weights = root / "resnet50.pt"
        module = torch_models.load("resnet50", source="random").module
        torch.save(module.state_dict(), weights)

        def load():
            model = torch_models.load("resnet50", source="random")
            model.module.load_state_dict(torch.load(weights, weights_only=True))
            assert model.fingerprint

        found["a ResNet-50"] = (float(weights.stat().st_size), milliseconds(load, 1))
    return found


def rows(found):
    return [
        {"read": what, "kB": f"{size / 1000:.0f}", "CPU ms": f"{took:.2f}"}
        for what, (size, took) in found.items()
    ]


def main():
    chosen = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    chosen.add_argument("--write", action="store_true")
    asked = chosen.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    start = time.process_time()
    costs = rows(measured())
    by_name = {row["read"]: float(row["CPU ms"]) for row in costs}
    tables = {
        "reading_cost": (
            costs,
            "Cost of reading images for one thread",
            f"JPEG files of {FILES} synthetic images, warm cache; decoded, cropped and stacked "
            "as 8 bits; weights: built, read from disk and hashed; the best of "
            f"{ROUNDS}; {committed.versions('torch', 'pillow', 'numpy')}",
        ),
        "scale": (
            scale.table(by_name["an image of the archive"], by_name["a ResNet-50"] / 1000),
            "ImageNet-C with 50 networks like ResNet-50, on 1 to 64 GPUs",
            "computed, not run: 15 corruptions, 5 severities, 50,000 images; one job per "
            "corruption, 8 reading threads; reading and loading as measured (reading_cost); "
            "networks as measured on one H200 (gpu_networks)",
        ),
    }  # fmt: skip
    for name, (table, title, convention) in tables.items():
        print(f"{title}\n({convention})\n\n{committed.markdown(table)}\n", flush=True)
        if asked.write:
            about = {"title": title, "convention": convention}
            about["seconds"] = time.process_time() - start
            about["command"] = "python tests/bench/bench_reading.py --write"
            print(f"Written: {committed.write(name, table, **about)}\n", flush=True)


@pytest.mark.bench
def test_reading():
    """In a process of its own: the type checks of the tests would be measured, too."""
    done = subprocess.run([sys.executable, __file__], text=True, stdout=subprocess.PIPE)
    print(f"\n{done.stdout}")
    assert done.returncode == 0


if __name__ == "__main__":
    main()
