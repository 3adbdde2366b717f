"""Accuracy: the fraction of images whose label is among a classifier's top k predictions."""

import numpy as np

from robust_lib.errors import InputError
from robust_lib.types import Correct, Labels, Probabilities


def top1(logits: Probabilities, labels: Labels) -> float:
    """Return the fraction of images whose largest logit is that of their true class.

    If several logits are equally large, the first counts as the largest.

    Args:
        logits: (images, classes), or any scores that are larger for more likely classes.
        labels: (images,), each the column of the true class.

    Raises:
        InputError: see `correct`.

    >>> top1(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    0.5
    """
    return float(correct(logits, labels).mean())


def topk(logits: Probabilities, labels: Labels, k: int) -> float:
    """Return the fraction of images whose label is among the k largest logits.

    >>> topk(np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]]), np.array([1, 2]), k=2)
    0.5
    """
    return float(correct(logits, labels, k).mean())


def correct(logits: Probabilities, labels: Labels, k: int = 1) -> Correct:
    """Return, for each image, whether its label is among the k largest logits.

    Raises:
        InputError: no images, different numbers of labels and rows, a label without a column, NaN,
            or an impossible k.

    >>> correct(np.array([[0.0, 0.0], [0.0, 0.0]]), np.array([0, 1])).tolist()
    [True, False]
    """
    images, classes = logits.shape
    if images == 0 or labels.shape != (images,):
        raise InputError(
            "Expected as many labels as rows of logits and at least one, but got labels of shape "
            f"{labels.shape} for logits of shape {logits.shape}."
        )
    if labels.min() < 0 or labels.max() >= classes:
        raise InputError(
            f"Expected labels from 0 to {classes - 1}, the columns of the logits, but got "
            f"{labels.min()} to {labels.max()}. Map both to the same classes."
        )
    if not 1 <= k <= classes:
        raise InputError(f"Expected k from 1 to the {classes} classes, but got {k}.")
    if np.isnan(logits).any():
        raise InputError(
            "Expected numbers as logits, but got NaN. Run check_classifier on the model."
        )
    own = logits[np.arange(images), labels][:, None]
    earlier = np.arange(classes)[None, :] < labels[:, None]
    rank = (logits > own).sum(1) + ((logits == own) & earlier).sum(1)
    among: Correct = rank < k
    return among
