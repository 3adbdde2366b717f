"""How much the loop costs beside the model: predict() against bare forward passes, in one run.

Both show the same pictures, already in memory, to the same network, and are timed in turn, so that
the ratio means something on a busy machine, too. Seconds are the process's own.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from robust_lib.cache import Store
from robust_lib.datasets import to_images
from robust_lib.models import torch_models
from robust_lib.predict.classify import predict
from robust_lib.preprocessing import Preprocessing

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
