"""A world in which public numbers are known: small real layouts, networks with random weights.

The class of most pictures is what slow code says that the first network answers, so that a network
is right about some share of them and every change of what it sees shows.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from tests.reference import public_weights

CORRUPTIONS = ("fog",)
SEVERITIES = (1, 2, 3, 4, 5)
IMAGES, HARD = 60, 60


class Net(torch.nn.Module):
    """Random filters and a linear layer; its answers differ from picture to picture."""

    def __init__(self, seed: int, outputs: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.filters = torch.nn.Parameter(torch.randn((24, 3, 5, 5), generator=generator))
        self.weights = torch.nn.Parameter(torch.randn((24 * 16, outputs), generator=generator))
        self.register_buffer("mean", torch.zeros(outputs))
        self.register_buffer("spread", torch.ones(outputs))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        seen = torch.nn.functional.conv2d(images, self.filters, stride=3).relu()
        features = torch.nn.functional.adaptive_avg_pool2d(seen, 4).flatten(1)
        return (features @ self.weights - self.mean) / self.spread

    def calibrate(self, pictures: list[Image.Image]) -> "Net":
        """Make all outputs as likely as each other on some pictures."""
        with torch.no_grad():
            shown = [np.asarray(one, np.float64) / 255 for one in pictures]
            pixels = np.stack([(one - public_weights.MEAN) / public_weights.STD for one in shown])
            logits = self(torch.from_numpy(pixels.transpose(0, 3, 1, 2)).float())
            self.mean.copy_(logits.mean(0))
            self.spread.copy_(logits.std(0))
        return self.eval()


@dataclass(frozen=True)
class World:
    folder: Path
    wnids: tuple[str, ...]  # in the order of WordNet ids, which is that of the outputs
    hard: tuple[str, ...]
    networks: dict[str, Net]

    @property
    def outputs(self) -> dict[str, int]:
        return {wnid: place for place, wnid in enumerate(self.wnids)}

    @property
    def hard_outputs(self) -> dict[str, int]:
        return {wnid: self.outputs[wnid] for wnid in self.hard}


def picture(seed: int) -> Image.Image:
    """Patches of colour with grain: an edge and a grain look other after another resize."""
    rng = np.random.default_rng(seed)
    width, height = rng.integers(290, 380, 2).tolist()
    coarse = Image.fromarray(rng.integers(0, 256, (5, 6, 3), dtype=np.uint8))
    ground = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), np.float64)
    grain = rng.normal(0, rng.uniform(5, 40), (height, width, 1))
    return Image.fromarray(np.clip(ground + grain, 0, 255).astype(np.uint8))


def world(folder: Path, wnids: tuple[str, ...], hard: tuple[str, ...]) -> World:
    """imagenet_val/val, imagenet_a/imagenet-a and imagenet_c/<corruption>/<severity>."""
    pictures = [picture(seed) for seed in range(IMAGES)]
    shown = [public_weights.central(public_weights.resized(one)) for one in pictures]
    networks = {
        name: Net(seed, len(wnids)).calibrate(shown)
        for seed, name in enumerate(("resnet50", "alexnet"))
    }
    made = World(folder, wnids, hard, networks)
    first, rng = networks["resnet50"], np.random.default_rng(0)
    for number, one in enumerate(pictures):
        said = public_weights.answer(first, shown[number], list(range(len(wnids))))
        truth = wnids[said if rng.random() < 0.7 else rng.integers(len(wnids))]
        name = f"ILSVRC2012_val_{number + 1:08d}.JPEG"
        save(folder / "imagenet_val/val" / truth / name, one)
        for corruption, factor in zip(CORRUPTIONS, (0.6,), strict=True):
            for severity in SEVERITIES:
                level = np.asarray(shown[number], np.float64)
                washed = level + factor * severity / 5 * (200 - level)
                cell = folder / "imagenet_c" / corruption / str(severity) / truth / name
                save(cell, Image.fromarray(washed.astype(np.uint8)), 85)
    for number in range(HARD):
        one = picture(1000 + number)
        seen = public_weights.central(public_weights.resized(one))
        said = public_weights.answer(first, seen, list(made.hard_outputs.values()))
        truth = wnids[said] if rng.random() < 0.5 else hard[rng.integers(len(hard))]
        save(folder / "imagenet_a/imagenet-a" / truth / f"0.1_key_{number}.jpg", one)
    for wnid in wnids:
        (folder / "imagenet_val/val" / wnid).mkdir(parents=True, exist_ok=True)
        for cell in (folder / "imagenet_c").glob("*/*"):
            (cell / wnid).mkdir(exist_ok=True)
    return made


def save(path: Path, one: Image.Image, quality: int = 95) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    one.save(path, "JPEG", quality=quality)
