"""The pictures of a training set: in memory where they are few, else mapped from a file."""

from collections.abc import Sequence

import numpy as np

from robust_lib import datasets, paths
from robust_lib.config.manifests import ModelManifest
from robust_lib.datasets import ImageSet
from robust_lib.datasets.decoded import IN_MEMORY, decoded
from robust_lib.preprocessing import Preprocessing
from robust_lib.training.loop import TrainingSet
from robust_lib.training.recipes import Recipe
from robust_lib.types import Pictures


def training_set(
    data: ImageSet,
    manifest: ModelManifest,
    recipe: Recipe,
    corruption: str | None,
    severities: Sequence[int],
    workers: int = 0,
) -> TrainingSet:
    """Return what a network is trained on: pictures, and corrupted copies where its recipe has any.

    Args:
        recipe: whether a corruption makes copies once, or is drawn anew at each step.
        corruption: that it is trained with; None: with none.

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
    """Return all pictures of a training set as one array, which is not to be written to.

    Of a set that is too large for memory it is mapped from a file, which is made once for all
    networks that see the pictures alike.

    Args:
        workers: threads that make the file; fewer than one is one.

    Raises:
        InputError: pictures that differ in size after the preprocessing.
        DataError: a picture cannot be read.
        CacheError: the file was altered, or the disk is full.
    """
    if len(data) * datasets.stack(data, [0], preprocessing).nbytes <= IN_MEMORY:
        return datasets.stack(data, range(len(data)), preprocessing)
    mapped = decoded(data, preprocessing, paths.cache() / "decoded", workers=workers)
    return np.asarray(mapped)
