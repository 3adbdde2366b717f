"""The zoo: networks that are trained here once, and stored under a digest of all their causes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from robust_lib import atomic, datasets, devices, paths
from robust_lib.cache import Description, Store, content_key
from robust_lib.code_digest import source_digest
from robust_lib.config.manifests import ModelManifest, begins_as, load_model, weights_digest
from robust_lib.datasets import ImageSet
from robust_lib.datasets.decoded import IN_MEMORY, decoded
from robust_lib.errors import InputError
from robust_lib.models import builders, deepen, enhance, torch_models, weights
from robust_lib.models.adapter import TorchClassifier
from robust_lib.preprocessing import Preprocessing
from robust_lib.training import adversarial, precision, stability
from robust_lib.training.augment import AUGMENTATIONS, resized_crop
from robust_lib.training.loop import Attack, Augment, Curves, TrainingSet, train
from robust_lib.training.recipes import Recipe, recipe_of
from robust_lib.training.robust_augment import ROBUST
from robust_lib.types import Pictures
from robust_lib.vocabulary import SEVERITIES, is_user_function

PRECISIONS = ("bfloat16", "float32")
"""Number formats in which a network may have been trained; `precision.of` returns this machine's.
"""

_WEIGHT = "weight:"


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network and the course of its training."""

    model: TorchClassifier
    curves: Curves


def trained(
    name: str,
    data: ImageSet,
    *,
    seed: int,
    store: Store,
    corruption: str | None = None,
    severities: Sequence[int] = SEVERITIES,
    start: TorchClassifier | None = None,
    epochs: int | None = None,
    device: str = "cpu",
    called: str | None = None,
    workers: int = 0,
    progress: bool = True,
) -> Trained:
    """Return a network of the zoo, which is trained now if no earlier run has done so.

    Args:
        corruption: corruption of half of each batch; None: as the recipe states.
        start: the network that the row's `starts_from` names, if any.
        epochs: number of epochs instead of the recipe's, for a quick look.
        called: name of the trained network; by default, that of its row and the corruption.
        workers: number of threads that decode a training set that is too large for memory.

    Raises:
        InputError: the model is not trained here, the corruption is unknown, or `start` is not the
            one that the row requires.
        ModelError: the weights of `start` do not fit.
    """
    manifest, recipe = plan(name, epochs, corrupted=corruption is not None)
    require_start(manifest, start, corrupted=corruption is not None)
    description = description_of(
        name, data, seed=seed, corruption=corruption, severities=severities, start=start,
        epochs=epochs, device=device,
    )  # fmt: skip
    called = called or (f"{name}+{corruption}" if corruption else name)
    corruption = corruption or recipe.corruption
    augment = _augmentation(manifest, recipe, corruption, severities)
    module = torch_models.build(manifest, outputs=len(data.class_names), seed=seed)

    def learn(checkpoint: Path) -> dict[str, np.ndarray]:
        if start is not None:
            begin_as(module, start, same_classes=data.classes == start.classes)
        devices.require(device)
        curves = train(
            stability.learner(module, manifest.stability),
            training_set(data, manifest, recipe, corruption, severities, workers),
            recipe,
            seed=seed,
            checkpoint=checkpoint,
            augment=augment,
            attack=_attack(recipe, manifest, module, seed),
            device=device,
            name=f"{called} (seed {seed})",
            progress=progress,
        )
        return {"loss": np.array(curves.loss), "accuracy": np.array(curves.accuracy)}

    found = learned_once(module, store, description, learn)
    curves = Curves(found["loss"].tolist(), found["accuracy"].tolist())
    model = torch_models.classifier(manifest, module, outputs=len(data.class_names), device=device)
    named = replace(model, name=called, classes=data.classes)
    return Trained(named, curves)


def learned_once(
    module: torch.nn.Module,
    store: Store,
    description: Description,
    learn: Callable[[Path], dict[str, np.ndarray]],
) -> dict[str, np.ndarray]:
    """Return the curves of a training whose weights the network then has, stored or trained now.

    Args:
        description: everything that determines the weights.
        learn: function that trains the network, resuming from a checkpoint file, and returns its
            curves.
    """
    key, found = content_key(description), stored_as(store, description)
    checkpoint = paths.cache() / "checkpoints" / f"{key}.pt"
    if found is not None:
        atomic.remove(checkpoint)  # of a run that was killed once it had stored the network
        arrays = store.get(content_key(found), expect=found)
        state = {name: array for name, array in arrays.items() if name.startswith(_WEIGHT)}
        module.load_state_dict(
            {name.removeprefix(_WEIGHT): torch.from_numpy(array) for name, array in state.items()}
        )
        return {name: array for name, array in arrays.items() if name not in state}
    curves = learn(checkpoint)
    state = {f"{_WEIGHT}{k}": v.detach().cpu().numpy() for k, v in module.state_dict().items()}
    store.put(key, {**state, **curves}, description)
    atomic.remove(checkpoint)
    return curves


def stored_as(store: Store, description: Description) -> Description | None:
    """Return the description under which a trained network is stored; None if it is not stored.

    A network from a different machine may have been trained in a precision that this machine does
    not use. It is just as valid, and its own description states the precision.
    """
    others = [{**description, "precision": one} for one in PRECISIONS]
    if store.has(content_key(description)):
        return description
    return next((one for one in others if store.is_taken(content_key(one))), None)


def plan(
    name: str, epochs: int | None = None, *, corrupted: bool = False
) -> tuple[ModelManifest, Recipe]:
    """Return a model's manifest and recipe, with a different number of epochs if requested.

    Raises:
        InputError: the model is not trained here, or less than one epoch.
    """
    manifest = load_model(name)
    return manifest, recipe_of(manifest, epochs, corrupted=corrupted)


def description_of(
    name: str,
    data: ImageSet,
    *,
    seed: int,
    corruption: str | None = None,
    severities: Sequence[int] = SEVERITIES,
    start: TorchClassifier | None = None,
    epochs: int | None = None,
    device: str = "cpu",
) -> dict[str, object]:
    """Return the store's description of the network that `trained` returns."""
    manifest, recipe = plan(name, epochs, corrupted=corruption is not None)
    also = corruption or recipe.corruption
    return describe(manifest, recipe, data, seed, also, severities, start, device=device)


def describe(
    manifest: ModelManifest,
    recipe: Recipe,
    data: ImageSet,
    seed: int,
    corruption: str | None = None,
    severities: Sequence[int] = SEVERITIES,
    start: TorchClassifier | None = None,
    *,
    device: str = "cpu",
) -> dict[str, object]:
    """Return everything that determines the weights, as the store's description."""
    begun = {} if start is None else {"starts from": start.fingerprint}
    spoilt = {
        "corruption": corruption,
        "severities": list(severities),
        "corruption code": source_digest("training.half_corrupted", "corruptions"),
    }
    if corruption and is_user_function(corruption):
        from robust_lib.corruptions import user_function  # imports OpenCV

        spoilt["corruption file"] = user_function.digest(corruption)
    return (
        (spoilt if corruption else {})
        | begun
        | {
            "what": "trained network",
            "model": manifest.name,
            "manifest": weights_digest(manifest),
            "recipe": recipe.model_dump(mode="json"),
            "data": data.digest,
            "seed": seed,
            "precision": precision.of(recipe, device),
            "code": code_of(manifest, recipe, starts=start is not None),
        }
    )


def code_of(manifest: ModelManifest, recipe: Recipe, *, starts: bool) -> str:
    """Return a digest of the code that determines a network's weights.

    Args:
        starts: whether it starts from the weights of a different network.
    """
    return source_digest(
        "training.loop",
        "training.precision",
        "training.recipes",
        *(["models.deepen"] if starts else ()),
        *_augmentation_code(recipe),
        *_attack_code(manifest, recipe),
        *(["models.enhance"] if manifest.wrapper is not None else ()),
        *builders.CODE.get(manifest.builder, ()),
        "seeds",
    )


def begin_as(
    module: torch.nn.Module, start: TorchClassifier, *, same_classes: bool = False
) -> None:
    """Load the weights of a different network, or of a shallower one of its family, into a network.

    Args:
        same_classes: whether both have the same classes; only then are the last layer's weights
            copied.

    Raises:
        ModelError: the weights do not fit.
    """
    own, state = module.state_dict(), start.module.state_dict()
    if deepen.is_deeper(module, start.module):
        state = deepen.deepened(start.module, module)
    last = next(reversed(own)).rpartition(".")[0]
    new = {} if same_classes else own
    head = {name: value for name, value in new.items() if name.rpartition(".")[0] == last}
    weights.put(module, {**state, **head}, f"what starts from {start.name}")


def require_start(
    manifest: ModelManifest, start: TorchClassifier | None, *, corrupted: bool = False
) -> None:
    """Raise InputError unless a starting network is given exactly if a row names one."""
    asked = begins_as(manifest, corrupted=corrupted)
    if (asked is None) != (start is None):
        raise InputError(
            f"Expected {asked or 'no network'} for {manifest.name} to start from, "
            f"but got {'none' if start is None else start.name}. The row of {manifest.name} in "
            "data_manifests/models names this network in `starts_from` or `corrupted_recipe`."
        )


def _attack(
    recipe: Recipe, manifest: ModelManifest, module: torch.nn.Module, seed: int
) -> Attack | None:
    if manifest.stability is not None:
        if recipe.attack != "none":
            raise InputError(
                f"Expected a recipe without an attack for the stability training of "
                f"{manifest.name}, but {manifest.recipe} attacks with {recipe.attack}."
            )
        return stability.pairs(manifest.stability.noise, seed=seed)
    if recipe.attack == "none":
        return None
    return adversarial.against(
        module,
        recipe.attack,
        mean=manifest.mean,
        std=manifest.std,
        epsilon=recipe.epsilon,
        seed=seed,
    )


def _augmentation(
    manifest: ModelManifest, recipe: Recipe, corruption: str | None, severities: Sequence[int]
) -> Augment | None:
    steps: list[Augment] = [resized_crop] if recipe.crops == "resized" else []
    plain = {**AUGMENTATIONS, **ROBUST}.get(recipe.augmentation)
    steps += [] if plain is None else [plain]
    if corruption is not None and recipe.corrupted == "anew":
        # Only networks that are meant to know a corruption load what makes them.
        from robust_lib.training.half_corrupted import half_corrupted

        steps.append(half_corrupted(corruption, severities=severities))
    if (wrapper := manifest.wrapper) is not None:
        steps.append(lambda images, ids, epoch: enhance.changed(images, wrapper))

    def augment(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
        for step in steps:
            images = step(images, ids, epoch)
        return images

    return augment if steps else None


def _augmentation_code(recipe: Recipe) -> tuple[str, ...]:
    """Return the modules that decide what is done to the images of a recipe."""
    if recipe.augmentation not in ROBUST:
        return ("training.augment",)
    also = ("training.augment",) if recipe.crops == "resized" else ()
    return ("training.robust_augment", *also)


def _attack_code(manifest: ModelManifest, recipe: Recipe) -> tuple[str, ...]:
    """Return the modules that decide what is added to the images of a recipe, and to its loss."""
    if manifest.stability is not None:
        return "training.adversarial", "training.stability"
    return ("training.adversarial",) if recipe.attack != "none" else ()


def training_set(
    data: ImageSet,
    manifest: ModelManifest,
    recipe: Recipe,
    corruption: str | None,
    severities: Sequence[int],
    workers: int = 0,
) -> TrainingSet:
    """Return a network's training set: images, and corrupted copies if its recipe uses any.

    Args:
        recipe: the recipe, which states whether corrupted copies are made once or drawn at each
            step.
        corruption: the corruption in training; None for none.

    Raises:
        InputError, DataError, CacheError: see `pictures`.
    """
    shown = pictures(data, manifest.preprocessing, workers)
    copies = None
    if corruption is not None and recipe.corrupted == "once":
        # Only networks that are meant to know a corruption load what makes them.
        from robust_lib.training.half_corrupted import corrupted_once

        copies = corrupted_once(shown, data.ids, corruption, severities=severities)
    return TrainingSet(shown, data.labels, data.ids, manifest.mean, manifest.std, copies)


def pictures(data: ImageSet, preprocessing: Preprocessing, workers: int = 0) -> Pictures:
    """Return all images of a training set as one read-only array.

    If the set is too large for memory, the array is mapped from a file, which is made once for all
    networks with the same preprocessing.

    Args:
        workers: number of threads that make the file; at least one is used.

    Raises:
        InputError: images that differ in size after the preprocessing.
        DataError: an image cannot be read.
        CacheError: the file was altered, or the disk is full.
    """
    if len(data) * datasets.stack(data, [0], preprocessing).nbytes <= IN_MEMORY:
        return datasets.stack(data, range(len(data)), preprocessing)
    mapped = decoded(data, preprocessing, paths.cache() / "decoded", workers=workers)
    return np.asarray(mapped)
