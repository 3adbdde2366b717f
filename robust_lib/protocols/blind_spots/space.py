"""Three sets of images in one embedding space: training, pool, and adversarial images.

In the paper, OpenImages is the pool, COCO the training set [nao, sec. 4.3].
"""

from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
from jaxtyping import Bool, Float, Int64

from robust_lib.errors import InputError
from robust_lib.explain.embedding_map import principal_components
from robust_lib.metrics.density_ratio import OUTSIDE
from robust_lib.predict.embed import Embeddings

COMPONENTS = 50


@dataclass(frozen=True, eq=False)
class Space:
    """Training images, a pool of all images, and adversarial ones, by principal components.

    Attributes:
        training: embeddings of the detectors' training images.
        pool: of a sample of all images.
        adversarial: of images of the pool that were chosen as adversarial.
        points: the training images and after them the pool's.
        chosen: the adversarial images.
        own: the place of each of these among `points`; -1: it was not drawn into the sample.
        explained: share of the variance of `points` in their components.
    """

    training: Embeddings
    pool: Embeddings
    adversarial: Embeddings
    points: Float[np.ndarray, "pictures components"]
    chosen: Float[np.ndarray, "adversarial components"]
    own: Int64[np.ndarray, " adversarial"]
    explained: float

    @property
    def is_training(self) -> Bool[np.ndarray, " pictures"]:
        """Return which of the points are training pictures."""
        return np.arange(len(self.points)) < len(self.training)

    @property
    def convention(self) -> str:
        """Return what the space is, as text."""
        size, components = self.training.vectors.shape[1], self.points.shape[1]
        shown = self.training.preprocessing.words
        return (
            f"{size:,} numbers a picture from {self.training.model} (pictures {shown}), "
            f"{components} principal components with {100 * self.explained:.0f} % of the variance"
        )


def space(
    training: Embeddings, pool: Embeddings, adversarial: Embeddings, components: int = COMPONENTS
) -> Space:
    """Return three sets of images by the principal components of the first two.

    Args:
        adversarial: these are found in the pool by their names.

    Raises:
        InputError: embeddings of several networks, or of pictures that were shown differently.

    >>> made = space(*toys.embeddings())
    >>> len(made.points), len(made.chosen), int((made.own >= 0).sum())
    (240, 12, 10)
    """
    sets = (training, pool, adversarial)
    if len({(one.model, one.preprocessing, one.vectors.shape[1]) for one in sets}) > 1:
        told = "; ".join(f"{one.dataset}: {one.model}, {one.preprocessing.words}" for one in sets)
        raise InputError(f"Expected embeddings of one network, shown alike, but got {told}.")
    both = np.concatenate([training.vectors, pool.vectors])
    found = principal_components(both, components)
    at = {_stem(name): len(training) + place for place, name in enumerate(pool.ids)}
    own = np.array([at.get(_stem(name), OUTSIDE) for name in adversarial.ids], np.int64)
    points, chosen = found.of(both), found.of(adversarial.vectors)
    return Space(training, pool, adversarial, points, chosen, own, found.explained)


def _stem(name: str) -> str:
    """Return a picture's own name: copies lie in other folders, some as other files."""
    return PurePosixPath(name).stem
