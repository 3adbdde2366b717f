"""Fewer or broader classes: which outputs of a network correspond to them.

ImageNet-A and -O score 200 of a classifier's 1000 outputs: the others are left out before the
softmax, so confidences are those of a 200-way choice [nae, sec. 5]. ImageNet-Vid-Robust scores 30
broad classes, each by the largest of its ImageNet outputs [vid, sec. 3].
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from robust_lib import paths
from robust_lib.config.class_lists import class_names, load_classes
from robust_lib.config.manifests import load_model, model_names
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.miniworld.worlds import load_world
from robust_lib.models.contract import Classifier
from robust_lib.models.wrappers import Derived

Groups = tuple[tuple[int, ...], ...]
"""The outputs that belong to each class."""


def outputs_of(
    space: str, count: int, classes: str, names: Sequence[str]
) -> tuple[int, ...] | None:
    """Return the outputs for some classes, in order; None if the network has different classes.

    ImageNet-A and ImageNet-O have a part of ImageNet's classes, and parts of a miniature world have
    a part of the world's. An unknown label space needs its class list: equal numbers of outputs and
    classes do not show which output belongs to which class.

    Args:
        space: label space of the network.
        count: number of its outputs.

    >>> outputs_of("imagenet_1k", 1000, "imagenet_a", load_classes("imagenet_a").names)[:3]
    (6, 11, 13)
    >>> outputs_of("imagenet_o", 200, "imagenet_a", load_classes("imagenet_a").names) is None
    True
    """
    if space == classes:
        return tuple(range(count)) if count == len(names) else None
    known: dict[str, int] = {}
    if space == "imagenet_1k" and classes in class_names():
        entries = load_classes(classes).entries
        known = {one.name: one.imagenet[0] for one in entries if len(one.imagenet) == 1}
    elif _is_world(space):
        known = {name: place for place, name in enumerate(load_world(space).inside)}
    found = tuple(known[name] for name in names if known.get(name, count) < count)
    return found if len(found) == len(names) else None


def groups_of(space: str, count: int, classes: str, names: Sequence[str]) -> Groups | None:
    """Return the outputs for each of some classes; None if the network has different classes.

    A class of ImageNet-VID is wider than ImageNet's classes and has several outputs, and so do the
    wider classes of a miniature world. Every other class has one. Arguments are those of
    `outputs_of`.

    >>> groups = groups_of("imagenet_1k", 1000, "imagenet_vid", load_classes("imagenet_vid").names)
    >>> groups[2], sum(map(len, groups))  # bears, and all
    ((294, 295, 296, 297), 288)
    """
    wide: Groups | None = None
    if space == "imagenet_1k" and classes == "imagenet_vid":
        wide = tuple(load_classes(classes).imagenet)
    elif classes.startswith(f"{space}_") and _is_world(space):
        world = load_world(space)
        places = {name: place for place, name in enumerate(world.inside)}
        for listed, members in world.wide.items():
            if classes == f"{space}_{listed}":
                wide = tuple(tuple(places[one] for one in group) for group in members.values())
    if wide is not None:
        return wide if max(max(group) for group in wide) < count else None
    found = outputs_of(space, count, classes, names)
    return None if found is None else tuple((output,) for output in found)


def known_groups(model: Classifier, images: ImageSet) -> Groups | None:
    """Return the outputs for each class of an image set; None if the network lacks classes."""
    return groups_of(model.classes, model.outputs, images.classes, images.class_names)


def require_groups(name: str, space: str, count: int, classes: str, names: Sequence[str]) -> Groups:
    """Return the outputs for each of some classes; see `require`.

    Raises:
        InputError: the network does not have these classes.
    """
    found = groups_of(space, count, classes, names)
    if found is None:
        raise _unknown(name, space, count, classes, names)
    return found


def require(
    name: str, space: str, count: int, classes: str, names: Sequence[str]
) -> tuple[int, ...]:
    """Return the outputs for some classes, in order.

    Args:
        space: see `outputs_of`, also for the other arguments.

    Raises:
        InputError: the network does not have these classes.
    """
    found = outputs_of(space, count, classes, names)
    if found is None:
        raise _unknown(name, space, count, classes, names)
    return found


def restrict(model: Classifier, classes: str, names: Sequence[str]) -> Classifier:
    """Return a classifier for some classes; other outputs are removed before any softmax.

    Raises:
        InputError: the network does not have these classes.
    """
    found = require(model.name, model.classes, model.outputs, classes, names)
    return model if found == tuple(range(model.outputs)) else select(model, found, classes)


def select(
    model: Classifier, outputs: Sequence[int], classes: str, *, name: str | None = None
) -> Derived:
    """Return a classifier with some of a model's outputs, selected by `select_logits`.

    Args:
        name: name of the new model; None keeps the name.

    Raises:
        InputError: an index that is not an output, or that occurs twice.
    """
    chosen = [int(output) for output in _checked(model.outputs, outputs)]
    return Derived(
        model=model,
        recipe=f"outputs {chosen} as {classes}",
        answer=lambda images: model(images)[:, chosen],
        name=name or model.name,
        classes=classes,
        outputs=len(chosen),
        preprocessing=model.preprocessing,
    )


def select_logits(
    logits: Float[np.ndarray, "images outputs"], outputs: Sequence[int]
) -> Float[np.ndarray, "images classes"]:
    """Return the logits of some of the outputs, in the given order.

    Raises:
        InputError: an output that does not exist, or one that occurs twice.

    >>> select_logits(np.array([[0.1, 0.2, 0.3]]), [2, 0])
    array([[0.3, 0.1]])
    """
    return logits[:, _checked(logits.shape[1], outputs)]


def _unknown(name: str, space: str, count: int, classes: str, names: Sequence[str]) -> InputError:
    cure = "Use a model with these classes, or data or a class list with the model's classes."
    if not _is_known(space):
        cure = (
            f"The project has no list of {space}, so the classes of its outputs are unknown: if "
            f'they are in the order of {classes}, return the model with classes="{classes}".'
        )
    return InputError(
        f"Expected {name} to have {len(names)} outputs, one per class of {classes}, or to "
        f"have these classes among others, but it has {count} of {space}. {cure}"
    )


def _checked(count: int, outputs: Sequence[int]) -> Int[np.ndarray, " chosen"]:
    chosen = np.asarray(outputs, dtype=np.int64)
    if chosen.size == 0 or chosen.min() < 0 or chosen.max() >= count:
        raise InputError(
            f"Expected indices of outputs, from 0 to {count - 1} and at least one, but got "
            f"{list(outputs)[:5]}{' and so on' if len(outputs) > 5 else ''}."
        )
    if np.unique(chosen).size < chosen.size:
        raise InputError("Expected every output once, but some occur twice.")
    return chosen


def _is_world(space: str) -> bool:
    return (paths.manifests() / "worlds" / f"{space}.yaml").exists()


def _is_known(space: str) -> bool:
    of_models = {load_model(name).classes for name in model_names()}
    return space in {*class_names(), *of_models} or _is_world(space)
