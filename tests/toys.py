"""Tiny data sets and models whose right answers are known, for tests of everything above them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import jaxtyping
import numpy as np
import torch

from robust_lib import seeds
from robust_lib.datasets.frame_sets import FrameSets, from_names
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.models.adapter import TorchClassifier
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.grid import Grid

AS_IS = Preprocessing(None, None)
SIDE = 16
COLOURS = ("red", "green", "blue")


@dataclass(frozen=True, eq=False)
class Swatches:
    """Noisy pictures, each brightest in one channel; the label is that channel.

    `log` gets a line for each picture read, and reading takes `seconds`.
    """

    count: int = 30
    side: int = SIDE
    name: str = "swatches"
    classes: str = "colours"
    class_names: tuple[str, ...] = COLOURS
    order: tuple[int, ...] | None = None
    log: Path | None = None
    seconds: float = 0.0

    @property
    def _numbers(self) -> tuple[int, ...]:
        return tuple(range(self.count)) if self.order is None else self.order

    @property
    def digest(self) -> str:
        return f"swatches-{self.side}-{self._numbers}"

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(f"swatch{number}" for number in self._numbers)

    @property
    def labels(self) -> np.ndarray:
        return np.array([number % 3 for number in self._numbers], np.int64)

    def __len__(self) -> int:
        return len(self._numbers)

    def read(self, index: int, preprocessing: Preprocessing) -> np.ndarray:
        time.sleep(self.seconds)
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{self.ids[index]}\n")
        rng = seeds.generator("swatch", self._numbers[index])
        picture = rng.integers(0, 120, (self.side, self.side, 3), dtype=np.uint8)
        picture[..., self.labels[index]] += 100
        return picture


@dataclass(frozen=True)
class SwatchFrames(Swatches):
    """Swatches as the frames of clips, three each, around the second; one box in each frame."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(f"val/clip_{n // 3:04d}/{n % 3:06d}.JPEG" for n in self._numbers)

    @property
    def labels(self) -> np.ndarray:
        return np.array([number // 3 % 3 for number in self._numbers], np.int64)

    @property
    def sets(self) -> FrameSets:
        frames = self.ids
        labels = {frame: [int(one)] for frame, one in zip(frames, self.labels, strict=True)}
        near = {frames[at]: [frames[at - 1], frames[at + 1]] for at in range(1, len(frames), 3)}
        return from_names(labels, near, classes=len(self.class_names))

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        box = np.array([[4, 4, self.side - 4, self.side - 4]], np.float32)
        none = np.zeros(1, bool)
        return tuple(
            Annotation(self.side, self.side, box, np.array([one]), np.zeros(1, int), none, none)
            for one in self.labels
        )


class Brightest(torch.nn.Module):
    """Logits are ten times the mean of each channel: right on every swatch."""

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return 10 * images.mean((2, 3))


def brightest(name: str = "brightest", **changes: Any) -> TorchClassifier:
    """Return the classifier that is right on every swatch."""
    settings: dict[str, Any] = {
        "module": Brightest(),
        "name": name,
        "classes": "colours",
        "outputs": 3,
        "preprocessing": AS_IS,
        "mean": (0.0, 0.0, 0.0),
        "std": (1.0, 1.0, 1.0),
    }
    return TorchClassifier(**settings | changes)


def convolutional(
    name: str = "convolutional", seed: int = 0, preprocessing: Preprocessing = AS_IS
) -> TorchClassifier:
    """Return an untrained network with the layers whose sums depend on the batch's size."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 3, padding=1),
            torch.nn.BatchNorm2d(16),
            torch.nn.ReLU(),
            torch.nn.Conv2d(16, 32, 3, stride=2),
            torch.nn.ReLU(),
            torch.nn.Dropout(0.5),
            torch.nn.AdaptiveAvgPool2d(1),
            torch.nn.Flatten(),
            torch.nn.Linear(32, 3, bias=False),
        )
    return brightest(
        name,
        module=module,
        preprocessing=preprocessing,
        mean=(0.3, 0.3, 0.3),
        std=(0.02, 0.02, 0.02),
    )


@dataclass
class Misbehaving:
    """A classifier that does whatever `answer` does."""

    answer: Callable[[torch.Tensor], Any]
    name: str = "misbehaving"
    classes: str = "colours"
    outputs: int = 3
    fingerprint: str = "none"
    preprocessing: Preprocessing = AS_IS

    def __call__(self, images: torch.Tensor) -> Any:
        return self.answer(images)


def count(network: torch.nn.Module, kind: type[torch.nn.Module]) -> int:
    """Return how many parts of a network are of a kind."""
    return sum(isinstance(part, kind) for part in network.modules())


def predicted(model: str, right: Sequence[bool], dataset: str = "toys") -> Predictions:
    """Return predictions of pictures of class 0; those that are not right say class 1."""
    return Predictions(
        model=model,
        dataset=dataset,
        ids=tuple(f"image{place:03d}" for place in range(len(right))),
        labels=np.zeros(len(right), np.int64),
        logits=None,
        predicted=np.where(right, 0, 1),
        confidence=np.full(len(right), 0.5, np.float32),
    )


def grid(
    right: Callable[[str, str | None, int, int], Sequence[bool]],
    models: Iterable[str],
    corruptions: Sequence[str],
    severities: Sequence[int],
    *,
    seeds: int = 1,
    dataset: str = "toys",
    n_full: int | None = None,
    storage: str = "memory",
) -> Grid:
    """Return a grid of predictions whose right ones are known.

    Args:
        right: (model, corruption, severity, seed) -> which predictions are right; clean pictures
            have corruption None and severity 0.
        models: names of the networks.
        corruptions, severities: the grid's axes.
        seeds: how many a network has.
        dataset, n_full, storage: what the grid says of its pictures.
    """

    def by_seed(model: str, corruption: str | None, severity: int) -> tuple[Predictions, ...]:
        return tuple(
            predicted(model, right(model, corruption, severity, seed), dataset)
            for seed in range(seeds)
        )

    clean = {model: by_seed(model, None, 0) for model in models}
    cells = {cell: by_seed(*cell) for cell in product(clean, corruptions, severities)}
    images = len(next(iter(clean.values()))[0])
    return Grid(
        dataset=dataset,
        corrupted=f"{dataset}_c",
        n_full=n_full or images,
        clean=clean,
        cells=cells,
        severities=tuple(severities),
        storage=storage,
    )


def permuted(swatches: Swatches, order: Sequence[int]) -> Swatches:
    """Return the same images in another order."""
    return Swatches(side=swatches.side, order=tuple(order))


@contextmanager
def unchecked() -> Iterator[None]:
    """Switch off the checks of shapes at calls, which users do not have, to meet our own errors."""
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)


def means(name="means", fill=None):
    """A network whose embedding of a picture is its mean colour."""
    last = torch.nn.Linear(3, 3)
    if fill is not None:
        torch.nn.init.constant_(last.weight, fill)
    module = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), last)
    return TorchClassifier(
        module=module, name=name, classes="colours", outputs=3, preprocessing=AS_IS,
        mean=(0.0,) * 3, std=(1.0,) * 3,
    )  # fmt: skip
