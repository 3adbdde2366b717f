"""Anomaly scores: one number per image from its logits or features; higher is more anomalous."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from jaxtyping import Float
from scipy import special

from robust_lib.errors import InputError
from robust_lib.types import Labels, Probabilities, Scores

Features = Float[np.ndarray, "images features"]


def msp(logits: Probabilities) -> Scores:
    """Return minus the maximum softmax probability, the score of [nae, sec. 5].

    Select the columns of the relevant classes first: the softmax is over the given columns.

    Returns:
        float64, from -1 (certain) to -1 / classes (no information).

    Raises:
        InputError: no images, no classes, or logits that are not finite.

    >>> msp(np.array([[0.0, 0.0], [1000.0, 0.0]])).tolist()
    [-0.5, -1.0]
    """
    scores: Scores = -special.softmax(_checked(logits), axis=1).max(axis=1)
    return scores


def max_logit(logits: Probabilities) -> Scores:
    """Return minus the largest logit.

    Raises:
        InputError: see `msp`.

    >>> max_logit(np.array([[2.0, 1.0]])).tolist()
    [-2.0]
    """
    scores: Scores = -_checked(logits).max(axis=1)
    return scores


def energy(logits: Probabilities) -> Scores:
    """Return the free energy: minus the logarithm of the sum of the exponentials of the logits.

    Raises:
        InputError: see `msp`.

    >>> energy(np.array([[1000.0, 0.0]])).tolist()
    [-1000.0]
    """
    scores: Scores = -special.logsumexp(_checked(logits), axis=1)
    return scores


def entropy(logits: Probabilities) -> Scores:
    """Return the entropy of the softmax in nats: 0 (certain) to log(classes) (no information).

    Raises:
        InputError: see `msp`.

    >>> entropy(np.array([[0.0, 0.0], [1000.0, 0.0]])).round(3).tolist()
    [0.693, 0.0]
    """
    scores: Scores = special.entr(special.softmax(_checked(logits), axis=1)).sum(axis=1)
    return scores


SCORES: Mapping[str, Callable[[Probabilities], Scores]] = MappingProxyType(
    {"msp": msp, "max_logit": max_logit, "energy": energy, "entropy": entropy}
)
"""The scores that need nothing but logits."""


@dataclass(frozen=True, eq=False)
class Mahalanobis:
    """One Gaussian per class with a common covariance; distant images are anomalous.

    Attributes:
        means: (classes, features), in the order of the labels.
        whitening: (features, directions); after it, all classes have unit variance in every
            direction.
    """

    means: Float[np.ndarray, "classes features"]
    whitening: Float[np.ndarray, "features directions"]

    def score(self, features: Features) -> Scores:
        """Return the squared Mahalanobis distance of each image to the nearest class mean.

        Raises:
            InputError: no images, a number of features that differs from the fitted one, or
                features that are not finite.
        """
        values = _checked(features, "features")
        if values.shape[1] != self.means.shape[1]:
            raise InputError(
                f"Expected the {self.means.shape[1]} features that were fitted, but got "
                f"{values.shape[1]}. Use features of the same layer."
            )
        from scipy.spatial.distance import cdist  # which little else needs

        apart = cdist(values @ self.whitening, self.means @ self.whitening, "sqeuclidean")
        scores: Scores = apart.min(axis=1)
        return scores


def fit_mahalanobis(features: Features, labels: Labels, *, shrinkage: float = 0.0) -> Mahalanobis:
    """Return Gaussians fitted to labelled images: one mean per class and one covariance for all.

    The covariance is the mean, over all images, of the outer products of their deviations from
    their class mean. Directions without any deviation are left out (the pseudo-inverse).

    Args:
        labels: integers; the classes are those that occur.
        shrinkage: 0 keeps the covariance; values up to 1 mix it with an isotropic one of the same
            total variance, for many features and few images.

    Raises:
        InputError: no images, a different number of labels, features that are not finite or never
            differ within a class, or a shrinkage outside [0, 1].

    >>> fitted = fit_mahalanobis(np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -2.0], [0.0, 2.0]]),
    ...     np.zeros(4, int))
    >>> fitted.score(np.array([[1.0, 0.0], [0.0, 2.0]])).round(6).tolist()
    [2.0, 2.0]
    """
    values = _checked(features, "features")
    if labels.shape != (len(values),):
        raise InputError(
            f"Expected a label for each of the {len(values)} images, but got labels of shape "
            f"{labels.shape}."
        )
    if not 0 <= shrinkage <= 1:
        raise InputError(f"Expected a shrinkage from 0 to 1, but got {shrinkage}.")
    classes, place = np.unique(labels, return_inverse=True)
    means = np.stack([values[place == number].mean(axis=0) for number in range(len(classes))])
    apart = values - means[place]
    covariance = apart.T @ apart / len(values)
    ball = np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    variances, directions = np.linalg.eigh((1 - shrinkage) * covariance + shrinkage * ball)
    # The tolerance of a pseudo-inverse: below it, a variance is rounding.
    kept = variances > len(covariance) * np.finfo(np.float64).eps * np.abs(variances).max()
    if not kept.any():
        raise InputError("Expected features that differ between images of a class, but none does.")
    return Mahalanobis(means, directions[:, kept] / np.sqrt(variances[kept]))


def _checked(values: Probabilities, what: str = "logits") -> Float[np.ndarray, "images columns"]:
    if 0 in values.shape:
        raise InputError(
            f"Expected {what} of at least one image and one column, but got shape {values.shape}."
        )
    if not np.isfinite(values).all():
        raise InputError(
            f"Expected finite {what}, but got NaN or infinity. To omit classes, select the other "
            "columns."
        )
    return values.astype(np.float64)
