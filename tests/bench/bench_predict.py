"""How much the loop costs beside the model: predict() against bare forward passes, in one run.

At 64 pixels both show the same pictures, already in memory, to the same network, and are timed in
turn, so that the ratio means something on a busy machine, too; seconds are the process's own. At
224 pixels pictures are files, which threads read ahead; then seconds are a clock's, and ask for a
quiet machine.
"""

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


@pytest.mark.bench
@pytest.mark.parametrize("name", ["vgg11_mini", "resnet50_mini"])
def test_the_loop_costs_little_beside_the_model(name: str, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    data = InMemory(np.random.default_rng(0).integers(0, 256, (IMAGES, 64, 64, 3), np.uint8))
    model = torch_models.load(name, source="random", outputs=10)
    batches = to_images(data.pictures).split(BATCH)
    bare, loop, stored = [], [], []
    for turn in range(ROUNDS):
        bare.append(seconds(lambda: [model(batch) for batch in batches]))
        loop.append(seconds(lambda: predict(model, data, batch_size=BATCH)))
        store = Store(tmp_path / f"{name}{turn}")
        stored.append(seconds(lambda: predict(model, data, batch_size=BATCH, cache=store)))  # noqa: B023
    again = seconds(lambda: predict(model, data, batch_size=BATCH, cache=store))
    ratio = min(loop) / min(bare)
    print(
        f"\n{name}: bare {IMAGES / min(bare):.0f}, predict {IMAGES / min(loop):.0f}, storing "
        f"{IMAGES / min(stored):.0f} images/CPU-s; predict/bare {ratio:.2f}; read back "
        f"{1000 * again:.1f} ms"
    )
    # A gross regression alone: the loop also turns 8 bits into floats, which bare passes do not.
    assert ratio < 3


FILES, SIDE = 192, (500, 375)


def by_clock(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@pytest.fixture
def folder(tmp_path: Path) -> ImageFolder:
    """JPEG files of the usual size of ImageNet's, with the detail of photographs."""
    rng = np.random.default_rng(0)
    inside = tmp_path / "pictures" / "n00000001"
    inside.mkdir(parents=True)
    for number in range(FILES):
        coarse = Image.fromarray(rng.integers(0, 256, (24, 32, 3), np.uint8))
        coarse.resize(SIDE, Image.Resampling.BICUBIC).save(inside / f"{number:04}.jpg", quality=92)
    return ImageFolder(tmp_path / "pictures", trees.class_list(["n00000001"]))


@pytest.mark.bench
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_files_are_read_while_the_model_works(
    device: str, folder: ImageFolder, tmp_path: Path
) -> None:
    torch.set_num_threads(1)
    model = torch_models.load("resnet18", source="random", device=device)
    batches = [images for _, images in read(folder, model.preprocessing, _batches(), 0, device)]
    bare, turns, ahead, stored = [], [], [], []
    for turn in range(ROUNDS):
        bare.append(by_clock(lambda: [model(batch).cpu() for batch in batches]))
        turns.append(by_clock(lambda: predict(model, folder)))
        ahead.append(by_clock(lambda: predict(model, folder, workers=1)))
        store = Store(tmp_path / f"store{turn}")
        stored.append(by_clock(lambda: predict(model, folder, workers=1, cache=store)))  # noqa: B023
    rates = {"in turn": turns, "read ahead": ahead, "stored": stored}
    said = ", ".join(f"{name} {min(bare) / min(found):.3f}" for name, found in rates.items())
    print(f"\n{device}, 224 px: bare {FILES / min(bare):.1f} images/s; of it: {said}")
    assert min(ahead) < 2 * min(bare)


def _batches() -> list[list[int]]:
    return [list(range(at, at + BATCH)) for at in range(0, FILES, BATCH)]
