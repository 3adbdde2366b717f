"""The zoo: networks that are trained here, each once, kept under the digest of all that made it."""

from dataclasses import dataclass

import numpy as np
import torch

from robust_lib import paths
from robust_lib.cache import Store, content_key
from robust_lib.errors import InputError
from robust_lib.manifests import ModelManifest, digest, load_model
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.models import torch_models
from robust_lib.models.adapter import TorchClassifier
from robust_lib.source import source_digest
from robust_lib.training.augment import AUGMENTATIONS
from robust_lib.training.loop import Curves, TrainingSet, train
from robust_lib.training.recipes import Recipe, load_recipe

_WEIGHT = "weight:"


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network and how its training went."""

    model: TorchClassifier
    curves: Curves


def trained(
    name: str,
    data: Scenes,
    *,
    seed: int,
    store: Store,
    epochs: int | None = None,
    device: str = "cpu",
    progress: bool = True,
) -> Trained:
    """Return a network of the zoo, trained now if no run has done so before.

    Args:
        name: a row of data_manifests/models that has a recipe.
        data: the training split.
        seed: of initialisation, order and augmentation.
        store: where weights and curves are kept.
        epochs: instead of the recipe's, for a quick look.
        device: where to train and to run.
        progress: whether to show a bar.

    Raises:
        InputError: the model is not trained here.
    """
    manifest, recipe = plan(name, epochs)
    description = describe(manifest, recipe, data, seed)
    key = content_key(description)
    module = torch_models.build(manifest, outputs=len(data.class_names), seed=seed)
    if store.has(key):
        arrays = store.get(key, expect=description)
        curves = _load(module, arrays)
    else:
        curves = _train(module, manifest, recipe, data, seed, key, device, progress)
        store.put(key, _arrays(module, curves), description)
    model = torch_models.classifier(manifest, module, outputs=len(data.class_names), device=device)
    return Trained(model, curves)


def is_trained(
    name: str, data: Scenes, *, seed: int, store: Store, epochs: int | None = None
) -> bool:
    """Return whether a network is in the store already."""
    manifest, recipe = plan(name, epochs)
    return store.has(content_key(describe(manifest, recipe, data, seed)))


def plan(name: str, epochs: int | None = None) -> tuple[ModelManifest, Recipe]:
    """Return a model's manifest and recipe, with another number of epochs if asked for.

    Raises:
        InputError: the model is not trained here, or less than one epoch.
    """
    if epochs is not None and epochs < 1:
        raise InputError(f"Expected at least one epoch, but got {epochs}.")
    manifest = load_model(name)
    if manifest.recipe is None:
        raise InputError(
            f"Expected a model with a recipe, but {name} has none: it is not trained here. Models "
            "with a recipe stand in data_manifests/models."
        )
    recipe = load_recipe(manifest.recipe)
    return manifest, recipe if epochs is None else recipe.model_copy(update={"epochs": epochs})


def describe(manifest: ModelManifest, recipe: Recipe, data: Scenes, seed: int) -> dict[str, object]:
    """Return all that decides the weights, as the store's description."""
    return {
        "what": "trained network",
        "model": manifest.name,
        "manifest": digest(manifest),
        "recipe": recipe.model_dump(mode="json"),
        "data": data.digest,
        "seed": seed,
        "code": source_digest(
            "training.loop", "training.recipes", "training.augment", "models.mini", "seeds"
        ),
    }


def _train(
    module: torch.nn.Module,
    manifest: ModelManifest,
    recipe: Recipe,
    data: Scenes,
    seed: int,
    key: str,
    device: str,
    progress: bool,
) -> Curves:
    checkpoint = paths.cache() / "checkpoints" / f"{key}.pt"
    curves = train(
        module,
        TrainingSet(data.pictures, data.labels, data.ids, manifest.mean, manifest.std),
        recipe,
        seed=seed,
        checkpoint=checkpoint,
        augment=AUGMENTATIONS.get(recipe.augmentation),
        device=device,
        name=f"{manifest.name} (seed {seed})",
        progress=progress,
    )
    checkpoint.unlink(missing_ok=True)
    return curves


def _arrays(module: torch.nn.Module, curves: Curves) -> dict[str, np.ndarray]:
    state = {f"{_WEIGHT}{k}": v.detach().cpu().numpy() for k, v in module.state_dict().items()}
    return {**state, "loss": np.array(curves.loss), "accuracy": np.array(curves.accuracy)}


def _load(module: torch.nn.Module, arrays: dict[str, np.ndarray]) -> Curves:
    state = {
        name.removeprefix(_WEIGHT): torch.from_numpy(array)
        for name, array in arrays.items()
        if name.startswith(_WEIGHT)
    }
    module.load_state_dict(state)
    return Curves(arrays["loss"].tolist(), arrays["accuracy"].tolist())
