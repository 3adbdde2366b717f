"""How much the loop costs beside the model: predict() against bare forward passes, in one run.

    python tests/bench/bench_predict.py [--write]

--write puts the table where the book shows it, data_manifests/measured/predict_cost.csv and .yaml.

At 64 pixels both show the same pictures, already in memory, to the same network, and are timed in
turn, so that the ratio means something on a busy machine, too; seconds are the process's own. At
224 pixels pictures are files, which threads read ahead; then seconds are a clock's, and ask for a
quiet machine.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.cache import Store
from robust_lib.datasets import to_images
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.models import torch_models
from robust_lib.predict.classify import predict
from robust_lib.predict.reading import read
from robust_lib.preprocessing import Preprocessing
from tests import trees
from tests.reference import committed

IMAGES, BATCH, ROUNDS = 1024, 64, 5


@dataclass(frozen=True, eq=False)
class InMemory:
    """Random pictures of 64 pixels."""

    pictures: np.ndarray
    name: str = "in memory"
    digest: str = "random pictures"
    classes: str = "ten"
    class_names: tuple[str, ...] = tuple("abcdefghij")

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(f"image{number}" for number in range(len(self.pictures)))

    @property
    def labels(self) -> np.ndarray:
        return np.zeros(len(self.pictures), np.int64)

    def __len__(self) -> int:
        return len(self.pictures)

    def read(self, index: int, preprocessing: Preprocessing) -> np.ndarray:
        return self.pictures[index]


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@dataclass(frozen=True)
class Cost:
    """Images a second of one network, in three ways, and pictures' side."""

    network: str
    pixels: int
    bare: float
    predict: float
    stored: float


def in_memory(name: str, folder: Path) -> Cost:
    """Measure pictures that are in memory, in seconds of the process."""
    torch.set_num_threads(1)
    data = InMemory(np.random.default_rng(0).integers(0, 256, (IMAGES, 64, 64, 3), np.uint8))
    model = torch_models.load(name, source="random", outputs=10)
    batches = to_images(data.pictures).split(BATCH)
    bare, loop, stored = [], [], []
    for turn in range(ROUNDS):
        bare.append(seconds(lambda: [model(batch) for batch in batches]))
        loop.append(seconds(lambda: predict(model, data, batch_size=BATCH)))
        store = Store(folder / f"{name}{turn}")
        stored.append(seconds(lambda: predict(model, data, batch_size=BATCH, cache=store)))  # noqa: B023
    again = seconds(lambda: predict(model, data, batch_size=BATCH, cache=store))
    print(f"\n{name}: read back {1000 * again:.1f} ms")
    return Cost(name, 64, *(IMAGES / min(found) for found in (bare, loop, stored)))


@pytest.mark.bench
@pytest.mark.parametrize("name", ["vgg11_mini", "resnet50_mini"])
def test_the_loop_costs_little_beside_the_model(name: str, tmp_path: Path) -> None:
    cost = in_memory(name, tmp_path)
    print(committed.markdown([row(cost)]))
    # A gross regression alone: the loop also turns 8 bits into floats, which bare passes do not.
    assert cost.bare / cost.predict < 3


FILES, SIDE = 192, (500, 375)


def by_clock(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def files(place: Path) -> ImageFolder:
    """JPEG files of the usual size of ImageNet's, with the detail of photographs."""
    rng = np.random.default_rng(0)
    inside = place / "pictures" / "n00000001"
    inside.mkdir(parents=True)
    for number in range(FILES):
        coarse = Image.fromarray(rng.integers(0, 256, (24, 32, 3), np.uint8))
        coarse.resize(SIDE, Image.Resampling.BICUBIC).save(inside / f"{number:04}.jpg", quality=92)
    return ImageFolder(place / "pictures", trees.class_list(["n00000001"]))


def of_files(device: str, place: Path) -> Cost:
    """Measure pictures of files that a thread reads ahead, in seconds of a clock."""
    torch.set_num_threads(1)
    folder = files(place)
    model = torch_models.load("resnet18", source="random", device=device)
    batches = [images for _, images in read(folder, model.preprocessing, _batches(), 0, device)]
    bare, turns, ahead, stored = [], [], [], []
    for turn in range(ROUNDS):
        bare.append(by_clock(lambda: [model(batch).cpu() for batch in batches]))
        turns.append(by_clock(lambda: predict(model, folder)))
        ahead.append(by_clock(lambda: predict(model, folder, workers=1)))
        store = Store(place / f"store{turn}")
        stored.append(by_clock(lambda: predict(model, folder, workers=1, cache=store)))  # noqa: B023
    print(f"\n{device}, read in turn instead of ahead: {min(bare) / min(turns):.3f}")
    return Cost("resnet18", 224, *(FILES / min(found) for found in (bare, ahead, stored)))


@pytest.mark.bench
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_files_are_read_while_the_model_works(device: str, tmp_path: Path) -> None:
    cost = of_files(device, tmp_path)
    print(committed.markdown([row(cost)]))
    assert cost.bare / cost.predict < 2


def _batches() -> list[list[int]]:
    return [list(range(at, at + BATCH)) for at in range(0, FILES, BATCH)]


def row(cost: Cost) -> dict[str, str]:
    return {
        "network": cost.network,
        "pixels": str(cost.pixels),
        "bare forward pass": f"{cost.bare:.1f}",
        "predict": f"{cost.predict:.1f}",
        "predict, storing": f"{cost.stored:.1f}",
        "predict / bare": f"{cost.predict / cost.bare:.3f}",
        "storing / bare": f"{cost.stored / cost.bare:.3f}",
    }


def main() -> None:
    chosen = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    chosen.add_argument("--write", action="store_true")
    asked = chosen.parse_args()
    start = time.process_time()
    with tempfile.TemporaryDirectory() as place:
        costs = [in_memory(name, Path(place)) for name in ("vgg11_mini", "resnet50_mini")]
        costs.append(of_files("cpu", Path(place)))
    rows = [row(cost) for cost in costs]
    title = "Cost of prediction apart from the network"
    convention = (
        f"images per second of one computing thread, random weights; 64 pixels: {IMAGES} images "
        f"in memory, seconds of the process; 224 pixels: {FILES} JPEG files of {SIDE[0]} x "
        f"{SIDE[1]} pixels that a second thread reads ahead, seconds of wall-clock time; the best "
        f"of {ROUNDS} alternating rounds; {committed.versions('torch', 'numpy', 'pillow')}"
    )
    print(f"{title}\n({convention})\n\n{committed.markdown(rows)}\n", flush=True)
    if asked.write:
        about = {"title": title, "convention": convention, "seconds": time.process_time() - start}
        about["command"] = "python tests/bench/bench_predict.py --write"
        print(f"Written: {committed.write('predict_cost', rows, **about)}\n", flush=True)


if __name__ == "__main__":
    main()
