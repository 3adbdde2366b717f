"""The training loop of detectors: images with boxes, flips, torchvision's losses.

As for classifiers, the order, flips and random samples inside the network are keyed, here by the
step; checkpoints are written during training, so a run that was killed ends with the same weights
as one that was not.
"""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float32, Int64
from tqdm import tqdm

from robust_lib import datasets, seeds
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError, ModelError
from robust_lib.preprocessing import Preprocessing
from robust_lib.training import checkpoints, precision
from robust_lib.training.loop import optimiser_of
from robust_lib.training.recipes import Recipe

LEG = 1000
"""Steps after which a checkpoint is written at the latest; an epoch, where that is shorter."""

_AS_IT_IS = Preprocessing(None, None)

Images = list[torch.Tensor]
Targets = list[dict[str, torch.Tensor]]


@runtime_checkable
class Boxed(Protocol):
    """The objects of one image, which is a photograph (`Objects`) or a frame (`Annotation`).

    If it has `masks`, with one flag per pixel of each object, they are passed to networks that
    learn masks.
    """

    @property
    def boxes(self) -> Float32[np.ndarray, "boxes 4"]:
        """Return the objects' boxes, xyxy pixels."""

    @property
    def classes(self) -> Int64[np.ndarray, " boxes"]:
        """Return the objects' classes, from 0."""


@runtime_checkable
class Annotations(Protocol):
    """The objects of each image, in memory or read on request."""

    def __len__(self) -> int:
        """Return the number of images."""

    def __getitem__(self, place: int, /) -> Boxed:
        """Return the objects of one image."""


@runtime_checkable
class BoxedImages(ImageSet, Protocol):
    """An image set with the objects of its images; its digest also depends on the boxes."""

    @property
    def annotations(self) -> Annotations:
        """The objects of each image, in the order of the ids; boxes are xyxy pixels."""


@dataclass
class LossCurves:
    """The mean loss and the mean of each of its parts, after each stage of at most one epoch."""

    loss: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=dict)


def train_detector(
    module: torch.nn.Module,
    data: BoxedImages,
    recipe: Recipe,
    *,
    seed: int,
    checkpoint: Path | None = None,
    leg: int = LEG,
    device: str = "cpu",
    name: str = "detector",
    progress: bool = True,
) -> LossCurves:
    """Train a detector in place and return its curves.

    Args:
        module: the network, initialised by the caller; in training, it maps images and targets to
            losses by name, as torchvision's detectors do.
        data: the training images; those without objects are background.
        recipe: epochs or iterations, rates, flips; other augmentations are for classifiers.
        leg: number of steps after which the checkpoint is written, if an epoch is longer.

    Raises:
        InputError: a recipe with augmentations other than flips, or boxes that do not belong to the
            images.
        ModelError: the loss became NaN or infinite.
        CacheError: the checkpoint cannot be read, or could not be written.
    """
    _check(data, recipe)
    module.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = optimiser_of(module, recipe)
    curves, first, steps = LossCurves(), 0, recipe.steps(len(data))
    if checkpoint is not None and checkpoint.exists():
        first, kept = checkpoints.resume(checkpoint, module, optimiser, device)
        curves = LossCurves(**kept)
    leg = min(leg, math.ceil(len(data) / recipe.batch))
    bar = tqdm(total=steps, initial=first, desc=name, disable=not progress)
    module.train()
    with bar, torch.random.fork_rng(devices=[device] if device != "cpu" else []):
        seen: list[dict[str, float]] = []
        for step, (images, targets) in _batches(data, recipe, seed, range(first, steps)):
            torch.manual_seed(seeds.key(seed, "sampled", step) % 2**63)
            for group in optimiser.param_groups:
                group["lr"] = recipe.rate_at(step, steps)
            seen.append(_step(module, optimiser, recipe, images, targets, device))
            bar.update(1)
            bar.set_postfix(loss=f"{sum(seen[-1].values()):.3f}", refresh=False)
            if (step + 1) % leg and step + 1 < steps:
                continue
            _note(curves, seen, f"step {step + 1} of {steps}", name)
            seen = []
            if checkpoint is not None:
                checkpoints.save(checkpoint, module, optimiser, step + 1, asdict(curves))
    module.eval()
    return curves


def batch_of(
    data: BoxedImages, places: Sequence[int], *, mirrored: Sequence[bool]
) -> tuple[Images, Targets]:
    """Return images and their objects in the form from which torchvision's detectors learn.

    Labels count from 1, since 0 is the background. A box without width or height, such as VOC's
    boxes that are one pixel wide, is widened to one pixel.

    Args:
        mirrored: which images are mirrored left to right, together with their boxes.
    """
    images, targets = [], []
    for place, mirror in zip(places, mirrored, strict=True):
        picture, objects = data.read(place, _AS_IT_IS)[None], data.annotations[place]
        boxes, width = objects.boxes, picture.shape[2]
        masks = getattr(objects, "masks", None)
        if mirror:
            picture = np.ascontiguousarray(picture[:, :, ::-1])
            left, top, right, bottom = boxes.T
            boxes = np.stack([width - right, top, width - left, bottom], 1)
        boxes = np.concatenate([boxes[:, :2], np.maximum(boxes[:, 2:], boxes[:, :2] + 1)], 1)
        target = {"boxes": boxes.astype(np.float32), "labels": objects.classes + 1}
        if masks is not None:
            target["masks"] = (masks[:, :, ::-1] if mirror else masks).astype(np.uint8)
        images.append(datasets.to_images(picture)[0])
        targets.append({key: torch.from_numpy(value) for key, value in target.items()})
    return images, targets


def _batches(
    data: BoxedImages, recipe: Recipe, seed: int, steps: range
) -> Iterator[tuple[int, tuple[Images, Targets]]]:
    """Yield the batch of each step; while one is learnt from, a thread reads the next."""
    per_epoch = math.ceil(len(data) / recipe.batch)

    @lru_cache(maxsize=2)
    def order(epoch: int) -> np.ndarray:
        return seeds.generator(seed, "epoch", epoch).permutation(len(data))

    def read(step: int) -> tuple[Images, Targets]:
        epoch, batch = divmod(step, per_epoch)
        chosen = order(epoch)[batch * recipe.batch : (batch + 1) * recipe.batch].tolist()
        keys = [seeds.key(seed, data.ids[place], "mirror", epoch) for place in chosen]
        return batch_of(data, chosen, mirrored=[recipe.flip and key % 2 == 0 for key in keys])

    with ThreadPoolExecutor(1, thread_name_prefix="read") as pool:
        ahead = pool.submit(read, steps[0]) if steps else None
        for step in steps:
            assert ahead is not None
            ready, ahead = ahead, pool.submit(read, step + 1) if step + 1 < steps.stop else None
            yield step, ready.result()


def _step(
    module: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    recipe: Recipe,
    images: Images,
    targets: Targets,
    device: str,
) -> dict[str, float]:
    """Learn from one batch; return its losses by name."""
    there = [image.to(device) for image in images]
    asked = [{key: value.to(device) for key, value in one.items()} for one in targets]
    with precision.autocast(recipe, device):
        losses: dict[str, torch.Tensor] = module(there, asked)
        loss = torch.stack([part.float() for part in losses.values()]).sum()
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    if recipe.clip is not None:
        torch.nn.utils.clip_grad_norm_(module.parameters(), recipe.clip)
    optimiser.step()
    return {key: float(value.detach()) for key, value in losses.items()}


def _note(curves: LossCurves, seen: Sequence[dict[str, float]], where: str, name: str) -> None:
    """Add the means of a leg to the curves, if they are numbers."""
    means = {key: math.fsum(one[key] for one in seen) / len(seen) for key in seen[0]}
    if not all(map(math.isfinite, means.values())):
        wrong = ", ".join(f"{key} {value}" for key, value in means.items())
        raise ModelError(
            f"Expected the losses of {name} to stay finite, but at {where} they were {wrong}. "
            "Lower the recipe's rate or set its clip."
        )
    for key, value in means.items():
        curves.parts.setdefault(key, []).append(value)
    curves.loss.append(math.fsum(means.values()))


def _check(data: BoxedImages, recipe: Recipe) -> None:
    if not len(data):
        raise InputError("Expected at least one picture to train on, but got none.")
    if len(data.annotations) != len(data):
        raise InputError(
            f"Expected the objects of each of the {len(data)} pictures of {data.name}, but got "
            f"those of {len(data.annotations)}."
        )
    asked = {
        "augmentation": recipe.augmentation != "none",
        "attack": recipe.attack != "none",
        "padding": recipe.padding > 0,
        "crops": recipe.crops != "shifted",
    }
    if any(asked.values()):
        named = ", ".join(key for key, wanted in asked.items() if wanted)
        raise InputError(
            f"Expected a recipe for detectors, whose pictures are mirrored and no more, but this "
            f"one sets {named}. Boxes would not follow: set padding to 0 and leave out the others."
        )
