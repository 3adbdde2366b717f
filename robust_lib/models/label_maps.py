"""From one label space to another: fewer classes, broader classes, classes by name.

ImageNet-A and -O score 200 of a classifier's 1000 outputs: the others are masked before the
softmax, so confidences are those of a 200-way choice [nae, sec. 5]. ImageNet-Vid-Robust scores 30
broad classes, each by the largest of its ImageNet outputs [vid, sec. 3].
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from robust_lib.config.class_lists import ClassList
from robust_lib.errors import InputError


def subset(
    logits: Float[np.ndarray, "images outputs"], indices: Sequence[int]
) -> Float[np.ndarray, "images classes"]:
    """Return the logits of some of the outputs, in the given order.

    Raises:
        InputError: an output that is not there, or one named twice.

    >>> subset(np.array([[0.1, 0.2, 0.3]]), [2, 0])
    array([[0.3, 0.1]])
    """
    return logits[:, _checked(logits, indices)]


def merge_max(
    logits: Float[np.ndarray, "images outputs"], groups: Sequence[Sequence[int]]
) -> Float[np.ndarray, "images classes"]:
    """Return one logit a group of outputs: the largest of its members'.

    Outputs of no group are dropped. The maximum is taken of logits, not of probabilities, which
    gives the same winner and does not depend on the outputs that are dropped.

    Raises:
        InputError: an empty group, an output that is not there, or one that is in two groups.

    >>> merge_max(np.array([[0.1, 0.4, 0.3, 9.0]]), [[0, 1], [2]])
    array([[0.4, 0.3]])
    """
    if not len(groups) or any(not len(group) for group in groups):
        raise InputError("Expected at least one group of outputs, and none of them empty.")
    members = _checked(logits, [output for group in groups for output in group])
    begins = np.cumsum([0, *(len(group) for group in groups[:-1])])
    return np.maximum.reduceat(logits[:, members], begins, axis=1)


def project(
    logits: Float[np.ndarray, "images outputs"], classes: ClassList
) -> Float[np.ndarray, "images classes"]:
    """Return an ImageNet-1K classifier's logits in the label space of a class list.

    Raises:
        InputError: the list is not mapped to ImageNet-1K outputs, or the logits have not 1000.
    """
    if logits.shape[1] != 1000:
        raise InputError(
            f"Expected the 1000 logits of an ImageNet-1K classifier, but got {logits.shape[1]}."
        )
    return merge_max(logits, classes.imagenet)


def places(names: Sequence[str], classes: ClassList) -> Int[np.ndarray, " names"]:
    """Return where names stand in a class list; category ids of files are not to be trusted.

    Raises:
        InputError: a name that the list has not.

    >>> from robust_lib.config.class_lists import load_classes
    >>> places(["cup", "person"], load_classes("coco"))
    array([41,  0])
    """
    known = {name: place for place, name in enumerate(classes.names)}
    unknown = sorted(set(names) - known.keys())
    if unknown:
        raise InputError(
            f"Expected names of classes of {classes.name}, but got {', '.join(unknown)}."
        )
    return np.array([known[name] for name in names], dtype=np.int64)


def _checked(
    logits: Float[np.ndarray, "images outputs"], indices: Sequence[int]
) -> Int[np.ndarray, " chosen"]:
    chosen = np.asarray(indices, dtype=np.int64)
    outputs = logits.shape[1]
    if chosen.size == 0 or chosen.min() < 0 or chosen.max() >= outputs:
        raise InputError(
            f"Expected indices from 0 to {outputs - 1}, at least one, but got {list(indices)}."
        )
    if np.unique(chosen).size < chosen.size:
        raise InputError("Expected every output once, but some are named twice.")
    return chosen
