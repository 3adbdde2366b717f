"""Networks and pictures whose every error is known: who is right about what."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from robust_lib.protocols.grid import CorruptedSet, evaluate
from robust_lib.vocabulary import COMMON
from tests.toys import Swatches, brightest

SEVERITIES = (1, 2, 3, 4, 5)
WEAK, MIDDLING, STRONG = 40, 65, 80
THRESHOLDS = {"weak": WEAK, "middling": MIDDLING, "strong": STRONG}


def difficulty(number, corruption, severity):
    """Return how hard an image is, 0 to 182; severity 0 is clean."""
    return 7 * number % 30 * 3 + (5 + COMMON.index(corruption)) * severity


@dataclass(frozen=True, eq=False)
class Cell(Swatches):
    """Swatches whose first pixel says how hard they are."""

    corruption: str = COMMON[0]
    severity: int = 0

    @property
    def digest(self) -> str:
        return f"{super().digest}-{self.corruption}-{self.severity}"

    def read(self, index: int, preprocessing: Any) -> np.ndarray:
        picture = super().read(index, preprocessing)
        picture[0, 0] = difficulty(self._numbers[index], self.corruption, self.severity)
        return picture


class Tolerant(torch.nn.Module):
    """Right about every swatch that is not harder than its threshold."""

    def __init__(self, threshold: int) -> None:
        super().__init__()
        self.register_buffer("threshold", torch.tensor((threshold + 0.5) / 255))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        logits = 10 * images[..., 1:, 1:].mean((2, 3))
        hard = images[:, :1, 0, 0] > self.threshold
        return torch.where(hard, logits.roll(1, 1), logits)


def tolerant(name, threshold):
    return brightest(name, module=Tolerant(threshold))


def models(*names):
    return {name: [tolerant(name, THRESHOLDS[name])] for name in names or THRESHOLDS}


def grid_of(models, corruptions=COMMON, severities=SEVERITIES, **settings):
    log, cell_models = settings.pop("log", None), settings.pop("cell_models", None)
    return evaluate(
        models,
        Cell(log=log),
        CorruptedSet(
            "swatches_c",
            lambda corruption, severity: Cell(corruption=corruption, severity=severity, log=log),
            "memory",
            models=cell_models,
        ),
        corruptions=corruptions,
        severities=severities,
        **({"store": None} | settings),
    )


def error(threshold, corruption, severity):
    return float(np.mean([difficulty(n, corruption, severity) > threshold for n in range(30)]))


def errors(threshold, corruption, severities=SEVERITIES):
    return np.array([error(threshold, corruption, severity) for severity in severities])


SEEDS = (70, 80, 85)


def seeded_grid():
    """The weakest, and three seeds of another network."""
    runs = [tolerant(f"net~{seed}", threshold) for seed, threshold in enumerate(SEEDS)]
    return grid_of({"weak": models("weak")["weak"], "net": runs})
