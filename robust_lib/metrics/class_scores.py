"""Scores for fewer, wider classes than a network's own, such as the 30 of ImageNet's videos."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from robust_lib.errors import InputError, one_of
from robust_lib.types import Probabilities

Pooling = Literal["max", "sum"]


def require_pooling(scores: str) -> None:
    """Raise InputError if the name is not a way to combine the scores of several classes.

    >>> require_pooling("max")
    """
    if scores not in get_args(Pooling):
        raise InputError(one_of("scores", scores, get_args(Pooling)))


def class_scores(
    logits: Probabilities, members: Sequence[Sequence[int]], how: Pooling = "max"
) -> Float[np.ndarray, "images groups"]:
    """Return a score for each group of classes: the largest logit of its members [vid, sec. 2].

    Columns that belong to no group are left out, such as 712 of ImageNet's 1,000 for its videos.
    The paper does not say how the scores of several classes become one; its authors' code takes the
    maximum.

    Args:
        members: for each group, the columns that belong to it.
        how: "max" of the logits, or "sum" of the probabilities over all columns.

    Raises:
        InputError: a group without members, a column that does not exist or is in two groups, NaN,
            or an unknown way to combine scores.

    >>> logits = np.array([[3.0, 1.0, 2.9, 2.8]])
    >>> class_scores(logits, [[0], [2, 3]]).tolist()
    [[3.0, 2.9]]
    >>> class_scores(logits, [[0], [2, 3]], how="sum").round(2).tolist()
    [[0.35, 0.6]]
    """
    require_pooling(how)
    sizes = [len(group) for group in members]
    if not sizes or 0 in sizes:
        raise InputError(
            f"Expected groups of at least one class each, but got groups of {sizes}. Omit classes "
            "of which the network has no member."
        )
    columns = np.array([column for group in members for column in group])
    if columns.min() < 0 or columns.max() >= logits.shape[1]:
        raise InputError(
            f"Expected members from 0 to {logits.shape[1] - 1}, the columns of the logits, but got "
            f"{columns.min()} to {columns.max()}. Pass the outputs of the whole network."
        )
    if len(np.unique(columns)) < len(columns):
        twice = np.flatnonzero(np.bincount(columns) > 1).tolist()
        raise InputError(f"Expected every column in at most one group, but got {twice} in several.")
    if np.isnan(logits).any():
        raise InputError(
            "Expected numbers as logits, but got NaN. Run check_classifier on the model."
        )
    starts = np.cumsum([0, *sizes[:-1]])
    if how == "max":
        largest: Float[np.ndarray, "images groups"] = np.maximum.reduceat(
            logits[:, columns], starts, axis=1
        )
        return largest
    probabilities = softmax(logits.astype(np.float64), axis=1)
    total: Float[np.ndarray, "images groups"] = np.add.reduceat(
        probabilities[:, columns], starts, axis=1
    )
    return total
