"""Filters and candidates whose answers are known."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from robust_lib.preprocessing import Preprocessing
from tests.toys import Misbehaving, convolutional

ROOT = Path(__file__).resolve().parents[2]


FRAME = Preprocessing(None, 16)


RULE = {"confidence": 0.3, "most": 8}  # under which the two filters use every step


def filters(*seeds):
    return [convolutional(f"net{seed}", seed, FRAME) for seed in seeds or (10, 11)]


def same(one, other):
    assert one.steps == other.steps
    assert np.array_equal(one.predicted, other.predicted)
    for column in ("confidence", "in_truth"):
        np.testing.assert_allclose(getattr(one, column), getattr(other, column), rtol=1e-5)


@dataclass(frozen=True, eq=False)
class Pages:
    """Pictures of 16 pixels that are black but for one given pixel each."""

    pixels: tuple[tuple[int, int] | None, ...]
    labels: np.ndarray
    name: str = "pages"
    digest: str = "pages"
    classes: str = "two"
    class_names: tuple[str, ...] = ("blank", "dot")

    @property
    def ids(self):
        return tuple(f"page{number}" for number in range(len(self.pixels)))

    def __len__(self):
        return len(self.pixels)

    def read(self, index, preprocessing):
        picture = np.zeros((16, 16, 3), np.uint8)
        if self.pixels[index] is not None:
            picture[self.pixels[index]] = 255
        return picture


def dots(images):
    """Say "dot" where any pixel is bright."""
    bright = images.flatten(1).amax(1)
    return torch.stack([0.5 - bright, bright - 0.5], 1) * 20


def seer(name="seer", answer=dots, outputs=2):
    return Misbehaving(answer, name=name, outputs=outputs, preprocessing=FRAME)
