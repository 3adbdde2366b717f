"""Effective robustness: a network's distance above the line of ordinary ones [taori2020].

Accuracy under a distribution shift rises with ordinary accuracy, almost linearly if both axes are
logits. The effective robustness of a network is its distance above the line through networks
trained in the ordinary way.
"""

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit, logit

from robust_lib.errors import InputError

Accuracies = Float[np.ndarray, "*draws networks"]

FEWEST = 3
"""The smallest number of networks for a line: any two are on a line."""


def logit_line(
    original: Accuracies, perturbed: Accuracies, n: int
) -> tuple[Float[np.ndarray, "*draws"], Float[np.ndarray, "*draws"]]:
    """Return the slope and intercept of the least-squares line through accuracies on logit axes.

    Both are NaN if all networks have the same accuracy.

    Args:
        original: accuracies as fractions, networks on the last axis, like `perturbed`.
        n: number of images behind each accuracy; accuracies of 0 and 1 are moved by half an image,
            since they have no logit.

    Raises:
        InputError: fewer than three networks.

    >>> original = np.array([0.5, 0.75, 0.9])
    >>> slope, intercept = logit_line(original, expit(logit(original) - 1), 1000)
    >>> round(float(slope), 6), round(float(intercept), 6)
    (1.0, -1.0)
    """
    if original.shape[-1] < FEWEST:
        raise InputError(
            f"Expected {FEWEST} or more networks for a line, but got {original.shape[-1]}."
        )
    x, y = _logits(original, n), _logits(perturbed, n)
    off = x - x.mean(-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.asarray((off * y).sum(-1) / (off * off).sum(-1))
    return slope, np.asarray(y.mean(-1) - slope * x.mean(-1))


def effective_robustness(
    original: Accuracies, perturbed: Accuracies, ordinary: Bool[np.ndarray, " networks"], n: int
) -> Accuracies:
    """Return each network's accuracy minus that predicted by the line of ordinary networks.

    Args:
        original: accuracies as fractions, networks on the last axis, like `perturbed`.
        ordinary: the networks that define the line.
        n: see `logit_line`.

    Raises:
        InputError: fewer than three ordinary networks.

    >>> original = np.array([0.5, 0.75, 0.9, 0.8])
    >>> lifted = expit(logit(original) - 1) + np.array([0, 0, 0, 0.1])
    >>> ordinary = np.array([True, True, True, False])
    >>> effective_robustness(original, lifted, ordinary, 1000).round(6).tolist()[-1]
    0.1
    """
    slope, intercept = logit_line(original[..., ordinary], perturbed[..., ordinary], n)
    expected = expit(slope[..., None] * _logits(original, n) + intercept[..., None])
    return np.asarray(perturbed - expected)


def _logits(accuracies: Accuracies, n: int) -> Accuracies:
    return np.asarray(logit(np.clip(accuracies, 0.5 / n, 1 - 0.5 / n)))
