"""The zoo's detectors: each trained here once, and stored under a digest of all its causes."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from robust_lib import devices
from robust_lib.cache import Store
from robust_lib.code_digest import source_digest
from robust_lib.config.manifests import ModelManifest, weights_digest
from robust_lib.models.adapter import TorchClassifier
from robust_lib.models.detectors import builders
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.training import precision
from robust_lib.training.detection import BoxedImages, LossCurves, train_detector
from robust_lib.training.recipes import Recipe
from robust_lib.training.zoo import learned_once, plan, require_start

_PART = "part:"


@dataclass(frozen=True, eq=False)
class TrainedDetector:
    """A trained detector and the course of its training."""

    model: TorchDetector
    curves: LossCurves


def trained_detector(
    name: str,
    data: BoxedImages,
    *,
    seed: int,
    store: Store,
    start: TorchClassifier | None = None,
    epochs: int | None = None,
    device: str = "cpu",
    progress: bool = True,
) -> TrainedDetector:
    """Return a detector of the zoo, which is trained now if no earlier run has done so.

    Args:
        start: the classifier that the row's `starts_from` names, if any; the backbone starts from
            its weights.
        epochs: number of epochs instead of the recipe's, for a quick look.

    Raises:
        InputError: the model is not a detector or not trained here, or `start` is not the one that
            the row requires.
        ModelError: the weights of `start` do not fit, the loss became infinite, or the library that
            builds the network is not installed.
    """
    manifest, recipe = plan(name, epochs)
    builders.require_usable(manifest)
    require_start(manifest, start)
    description = description_of(name, data, seed=seed, start=start, epochs=epochs, device=device)
    module = builders.build(manifest, outputs=len(data.class_names), seed=seed)

    def learn(checkpoint: Path) -> dict[str, np.ndarray]:
        if start is not None:
            builders.begin_as(module, start.module, start.name)
        devices.require(device)
        curves = train_detector(
            module,
            data,
            recipe,
            seed=seed,
            checkpoint=checkpoint,
            device=device,
            name=f"{name} (seed {seed})",
            progress=progress,
        )
        parts = {f"{_PART}{part}": np.array(values) for part, values in curves.parts.items()}
        return {**parts, "loss": np.array(curves.loss)}

    found = learned_once(module, store, description, learn)
    loss = found.pop("loss").tolist()
    parts = {key.removeprefix(_PART): values.tolist() for key, values in found.items()}
    curves = LossCurves(loss, parts)
    model = builders.detector(manifest, module, outputs=len(data.class_names), device=device)
    return TrainedDetector(replace(model, classes=data.classes), curves)


def description_of(
    name: str,
    data: BoxedImages,
    *,
    seed: int,
    start: TorchClassifier | None = None,
    epochs: int | None = None,
    device: str = "cpu",
) -> dict[str, object]:
    """Return the store's description of the detector that `trained_detector` returns."""
    return describe(*plan(name, epochs), data, seed, start, device=device)


def describe(
    manifest: ModelManifest,
    recipe: Recipe,
    data: BoxedImages,
    seed: int,
    start: TorchClassifier | None = None,
    *,
    device: str = "cpu",
) -> dict[str, object]:
    """Return everything that determines the weights, as the store's description."""
    begun = {} if start is None else {"starts from": start.fingerprint}
    return begun | {
        "what": "trained detector",
        "model": manifest.name,
        "manifest": weights_digest(manifest),
        "recipe": recipe.model_dump(mode="json"),
        "data": data.digest,
        "seed": seed,
        "precision": precision.of(recipe, device),
        "code": source_digest(
            *("training.detection", "training.loop", "training.precision", "training.recipes"),
            *builders.CODE[manifest.builder],
            "seeds",
        ),
    }
