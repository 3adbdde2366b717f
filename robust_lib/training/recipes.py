"""Recipes: everything that determines how a network is trained, as a frozen record."""

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from robust_lib import paths
from robust_lib.config.manifests import ModelManifest
from robust_lib.config.strict_yaml import Entry, Record, read_like, read_yaml
from robust_lib.errors import InputError, one_of


class Recipe(Record):
    """How a network is trained; with data, architecture and seed, it determines the weights.

    `iterations`, if given, is the number of steps after which training ends, even within an epoch.
    Rates are per step, `warmup` is the fraction of all steps over which the rate rises from zero,
    `drops` are fractions of all steps after which the step schedule divides the rate by ten,
    `epsilon` is the maximum strength of the attack, a fraction of the full range of levels. `decay`
    states which parameters have weight decay: those with more than one dimension, that is, no
    biases and no gains of normalisation, or all, as in torch's SGD. `crops` are shifts by up to
    `padding` pixels, with the uncovered area filled as `fill` states, or parts of the image,
    resized to full size. The plateau schedule divides the rate by ten whenever the loss has not
    fallen for more than `patience` epochs in a row. `corruption` states how half of each batch is
    corrupted: `anew`, each time an image is used, or `once` for the whole training, before all
    other augmentation. `smoothing` is the share that the loss takes from the true class and divides
    among all classes. Mixed precision is bfloat16 on devices with instructions for it; others use
    float32.
    """

    epochs: int = Field(gt=0)
    iterations: int | None = Field(default=None, gt=0)
    batch: int = Field(gt=0)
    optimiser: Literal["sgd", "adamw"] = "sgd"
    rate: float = Field(gt=0)
    momentum: float = Field(default=0.9, ge=0, lt=1)
    nesterov: bool = True
    weight_decay: float = Field(default=5e-4, ge=0)
    decay: Literal["weights", "all"] = "weights"
    schedule: Literal["cosine", "step", "plateau"] = "cosine"
    warmup: float = Field(default=0.05, ge=0, lt=1)
    drops: tuple[float, ...] = (0.5, 0.75)
    patience: int = Field(default=10, ge=0)
    flip: bool = True
    crops: Literal["shifted", "resized"] = "shifted"
    padding: int = Field(default=4, ge=0)
    fill: Literal["reflection", "zeros"] = "reflection"
    clip: float | None = Field(default=None, gt=0)
    smoothing: float = Field(default=0.0, ge=0, lt=1)
    mixed_precision: bool = False
    augmentation: Literal[
        "none", "pose_and_colour", "augmix", "noise", "texture", "texture_only", "deepaugment"
    ] = "none"
    corruption: str | None = None
    corrupted: Literal["anew", "once"] = "anew"
    attack: Literal["none", "uniform_noise", "fgsm", "pgd"] = "none"
    epsilon: float = Field(default=8 / 255, ge=0, le=1)

    def steps(self, images: int) -> int:
        """Return the number of training steps for a given number of images.

        >>> Recipe(epochs=2, batch=8, rate=0.1).steps(20)
        6
        >>> Recipe(epochs=2, batch=8, rate=0.1, iterations=5).steps(20)
        5
        """
        every = self.epochs * math.ceil(images / self.batch)
        return min(every, self.iterations or every)

    def rate_at(self, step: int, steps: int, losses: Sequence[float] = ()) -> float:
        """Return the learning rate at one step of a run of `steps` steps.

        Args:
            step: index of the step, from 0.
            losses: losses of the previous epochs; only the plateau schedule uses them.

        >>> recipe = Recipe(epochs=1, batch=1, rate=0.1, warmup=0.0)
        >>> [round(recipe.rate_at(s, 4), 3) for s in range(4)]
        [0.1, 0.085, 0.05, 0.015]
        """
        rising = self.warmup * steps
        if step < rising:
            return self.rate * min(1.0, (step + 1) / rising)
        if self.schedule == "plateau":
            return self.rate * 0.1 ** plateaus(losses, self.patience)
        done = (step - rising) / max(1.0, steps - rising)
        if self.schedule == "cosine":
            return self.rate * 0.5 * (1 + math.cos(math.pi * done))
        return self.rate * 0.1 ** sum(step >= drop * steps for drop in self.drops)


def plateaus(losses: Sequence[float], patience: int) -> int:
    """Return how often a loss has not fallen for more than `patience` epochs in a row.

    The rule is that of torch's ReduceLROnPlateau: a loss has fallen if it is below the smallest
    earlier one by one part in 10,000, and the count restarts after each plateau.

    >>> plateaus([3.0, 2.0, 2.0, 2.5, 2.0, 2.0], patience=1)
    2
    """
    least, idle, found = math.inf, 0, 0
    for loss in losses:
        idle = 0 if loss < least * (1 - 1e-4) else idle + 1
        least = loss if idle == 0 else least
        if idle > patience:
            found, idle = found + 1, 0
    return found


def load_recipe(name: str) -> Recipe:
    """Return a recipe by its name in data_manifests/recipes.yaml.

    An entry may be `like: OTHER`, where OTHER has no `like` of its own: it takes the keys that it
    lacks from that entry.

    Raises:
        InputError: an unknown name.
        ManifestError: an invalid entry; the message names file, line and key.
    """
    path = paths.manifests() / "recipes.yaml"
    known = read_yaml(path)
    if name not in known:
        raise InputError(one_of("recipe", name, known))
    return read_like(name, lambda one: Entry(known[one], path, (one,)), known, Recipe)


def recipe_of(
    manifest: ModelManifest, epochs: int | None = None, *, corrupted: bool = False
) -> Recipe:
    """Return a model's recipe, with a different number of epochs if requested.

    Args:
        corrupted: whether half of each batch is corrupted, for which the model may have a separate
            recipe.

    Raises:
        InputError: the model is not trained here, or less than one epoch.
    """
    if epochs is not None and epochs < 1:
        raise InputError(f"Expected at least one epoch, but got {epochs}.")
    if manifest.recipe is None:
        raise InputError(
            f"Expected a model with a recipe, but {manifest.name} has none: it is not trained "
            "here. Models with a recipe stand in data_manifests/models."
        )
    recipe = load_recipe((corrupted and manifest.corrupted_recipe) or manifest.recipe)
    return recipe if epochs is None else recipe.model_copy(update={"epochs": epochs})
