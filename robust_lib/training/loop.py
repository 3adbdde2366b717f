"""The training loop: SGD or AdamW on images in memory, resumable to the same bits.

Order, flips, crops and dropout are keyed by (seed, epoch), and a checkpoint is written after each
epoch, so a run that was killed ends with the same weights as one that was not.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Int
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from robust_lib import seeds
from robust_lib.errors import InputError, ModelError
from robust_lib.training import checkpoints, precision
from robust_lib.training.recipes import Recipe
from robust_lib.types import Labels, Pictures

Augment = Callable[[torch.Tensor, tuple[str, ...], int], torch.Tensor]
"""(images in [0, 1], ids, epoch) -> images in [0, 1]; must be keyed by ids and epoch alone."""

Attack = Callable[[torch.Tensor, torch.Tensor, tuple[str, ...], int], torch.Tensor]
"""(images in [0, 1], labels, ids, epoch) -> images in [0, 1]; keyed so, and must leave the network
as it was."""


@dataclass
class Curves:
    """The training by epoch: mean loss and accuracy on the training batches, as fractions."""

    loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class TrainingSet:
    """Images, labels and ids for training, and how images are normalised for the network.

    If there are corrupted copies of the images, they replace half of each batch.

    Raises:
        InputError: the numbers of labels, ids and images differ, copies have a different shape, or
            there are no images.
    """

    pictures: Pictures
    labels: Labels
    ids: tuple[str, ...]
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    corrupted: Pictures | None = None

    def __post_init__(self) -> None:
        sizes = (len(self.pictures), len(self.labels), len(self.ids))
        if len(set(sizes)) != 1:
            raise InputError(
                "Expected as many labels and ids as pictures, but got "
                f"{sizes[1]} labels and {sizes[2]} ids for {sizes[0]} pictures."
            )
        if not self.ids:
            raise InputError("Expected at least one picture to train on, but got none.")
        if self.corrupted is not None and self.corrupted.shape != self.pictures.shape:
            raise InputError(
                f"Expected corrupted copies of the shape of the pictures, {self.pictures.shape}, "
                f"but got {self.corrupted.shape}."
            )

    def shown(self, chosen: Int[np.ndarray, " batch"]) -> Pictures:
        """Return some of the images, with the first half of them replaced by corrupted copies.

        The half is rounded down. The order is drawn for each epoch, so the half differs each time.

        >>> clean, dark = np.full((3, 1, 1, 3), 9, np.uint8), np.zeros((3, 1, 1, 3), np.uint8)
        >>> grey = (0.5,) * 3
        >>> data = TrainingSet(clean, np.arange(3), ("a", "b", "c"), grey, grey, dark)
        >>> data.shown(np.array([2, 0, 1]))[:, 0, 0, 0].tolist()
        [0, 9, 9]
        """
        pictures: Pictures = self.pictures[chosen]
        if self.corrupted is not None:
            half = chosen[: len(chosen) // 2]
            pictures[: len(half)] = self.corrupted[half]
        return pictures


def train(
    module: torch.nn.Module,
    data: TrainingSet,
    recipe: Recipe,
    *,
    seed: int,
    checkpoint: Path | None = None,
    augment: Augment | None = None,
    attack: Attack | None = None,
    device: str = "cpu",
    name: str = "network",
    progress: bool = True,
) -> Curves:
    """Train a network in place and return its curves.

    Args:
        module: the network, initialised by the caller; it maps normalised images to logits (n,
            classes) or, in training, to those of several exits (exits, n, classes).
        augment: changes a batch of images in [0, 1] before normalisation.
        attack: changes the batch after that, so that the network errs on it.

    Raises:
        ModelError: the loss became NaN or infinite.
        CacheError: the checkpoint cannot be read or written.
    """
    module.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = optimiser_of(module, recipe)
    curves = Curves()
    first = 0
    if checkpoint is not None and checkpoint.exists():
        first, kept = checkpoints.resume(checkpoint, module, optimiser, device)
        curves = Curves(**kept)
    per_epoch = math.ceil(len(data.ids) / recipe.batch)
    steps = recipe.steps(len(data.ids))
    bar = tqdm(total=steps, initial=first * per_epoch, desc=name, disable=not progress)
    with bar, torch.random.fork_rng(devices=[device] if device != "cpu" else []):
        for epoch in range(first, math.ceil(steps / per_epoch)):
            torch.manual_seed(seeds.key(seed, "dropout", epoch) % 2**63)
            loss, accuracy = _epoch(
                module,
                data,
                recipe,
                optimiser,
                (epoch, steps, seed),
                curves.loss,
                augment,
                attack,
                device,
                bar,
            )
            if not math.isfinite(loss):
                raise ModelError(
                    f"Expected the loss of {name} to stay finite, but it became {loss} in epoch "
                    f"{epoch + 1} of {recipe.epochs}. Lower the recipe's rate or set its clip."
                )
            curves.loss.append(loss)
            curves.accuracy.append(accuracy)
            if checkpoint is not None:
                checkpoints.save(checkpoint, module, optimiser, epoch + 1, asdict(curves))
    module.eval()
    return curves


def _epoch(
    module: torch.nn.Module,
    data: TrainingSet,
    recipe: Recipe,
    optimiser: torch.optim.Optimizer,
    where: tuple[int, int, int],
    losses: Sequence[float],
    augment: Augment | None,
    attack: Attack | None,
    device: str,
    bar: Any,
) -> tuple[float, float]:
    epoch, steps, seed = where
    module.train()
    rng = seeds.generator(seed, "epoch", epoch)
    order = rng.permutation(len(data.ids))
    per_epoch = range(0, len(order), recipe.batch)
    starts = per_epoch[: steps - epoch * len(per_epoch)]  # a recipe may end within an epoch
    mean = torch.tensor(data.mean, device=device).view(1, 3, 1, 1)
    std = torch.tensor(data.std, device=device).view(1, 3, 1, 1)
    total, right = 0.0, 0
    for batch, start in enumerate(starts):
        chosen = order[start : start + recipe.batch]
        pictures = jitter(
            data.shown(chosen), rng, flip=recipe.flip, padding=recipe.padding, fill=recipe.fill
        )
        images = torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float() / 255
        labels = torch.from_numpy(data.labels[chosen]).to(device, torch.int64)
        ids = tuple(data.ids[i] for i in chosen)
        if augment is not None:
            images = augment(images, ids, epoch)
        if attack is not None:
            with precision.autocast(recipe, device):
                images = attack(images, labels, ids, epoch)
        images = ((images - mean) / std).contiguous(memory_format=torch.channels_last)
        rate = recipe.rate_at(epoch * len(per_epoch) + batch, steps, losses)
        for group in optimiser.param_groups:
            group["lr"] = rate
        with precision.autocast(recipe, device):
            logits = module(images)
        # Of a network with several exits all learn, and the last one answers.
        exits = logits.reshape(-1, logits.shape[-1])
        asked = labels.repeat(len(exits) // len(labels))
        loss = cross_entropy(exits.float(), asked, label_smoothing=recipe.smoothing)
        logits = exits[-len(labels) :]
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if recipe.clip is not None:
            torch.nn.utils.clip_grad_norm_(module.parameters(), recipe.clip)
        optimiser.step()
        total += float(loss.detach()) * len(chosen)
        right += int((logits.argmax(1) == labels).sum())
        bar.update(1)
        bar.set_postfix(epoch=epoch + 1, loss=f"{float(loss.detach()):.3f}", refresh=False)
    seen = min(len(order), len(starts) * recipe.batch)
    return total / seen, right / seen


def jitter(
    pictures: Pictures,
    rng: np.random.Generator,
    *,
    flip: bool,
    padding: int,
    fill: Literal["reflection", "zeros"] = "reflection",
) -> Pictures:
    """Return the images mirrored at random and shifted by up to `padding` pixels.

    The area that a shift uncovers is filled by reflection, or with black.
    """
    n, height, width, _ = pictures.shape
    if padding:
        edge = ((0, 0), (padding, padding), (padding, padding), (0, 0))
        padded = np.pad(pictures, edge, mode="reflect" if fill == "reflection" else "constant")
        top, left = rng.integers(0, 2 * padding + 1, (2, n))
        pictures = np.stack(
            [
                picture[y : y + height, x : x + width]
                for picture, y, x in zip(padded, top, left, strict=True)
            ]
        )
    if flip:
        mirrored = rng.random(n) < 0.5
        pictures = pictures.copy()
        pictures[mirrored] = pictures[mirrored, :, ::-1]
    return np.ascontiguousarray(pictures)


def optimiser_of(module: torch.nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """Return the optimiser that a recipe specifies for a network's parameters."""
    # Biases and normalisation gains are few and one-dimensional; decaying them only shifts scales.
    every = recipe.decay == "all"
    kept = [p for p in module.parameters() if every or p.ndim > 1]
    free = [p for p in module.parameters() if not every and p.ndim <= 1]
    groups = [
        {"params": kept, "weight_decay": recipe.weight_decay},
        {"params": free, "weight_decay": 0.0},
    ]
    if recipe.optimiser == "sgd":
        return torch.optim.SGD(
            groups, recipe.rate, momentum=recipe.momentum, nesterov=recipe.nesterov, fused=True
        )
    return torch.optim.AdamW(groups, recipe.rate, fused=True)
