"""Which outputs of a network are some classes: those of a data set, or of a class list."""

from collections.abc import Sequence

from robust_lib import paths
from robust_lib.config.class_lists import class_names, load_classes
from robust_lib.config.manifests import load_model, model_names
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.miniworld.worlds import load_world
from robust_lib.models.contract import Classifier
from robust_lib.models.wrappers import subset


def chosen(space: str, count: int, classes: str, names: Sequence[str]) -> tuple[int, ...] | None:
    """Return which outputs of a network are some classes, in their order; None: it knows others.

    ImageNet-A and ImageNet-O have a part of ImageNet's classes, as parts of a miniature world have
    of the world's. Outputs of a label space that the project does not know count as the classes if
    they are as many.

    Args:
        space: label space of the network.
        count: how many outputs it has.
        classes: label space that is wanted.
        names: of its classes.

    >>> chosen("imagenet_1k", 1000, "imagenet_a", load_classes("imagenet_a").names)[:3]
    (6, 11, 13)
    >>> chosen("imagenet_o", 200, "imagenet_a", load_classes("imagenet_a").names) is None
    True
    """
    if space == classes or (count == len(names) and space not in _spaces()):
        return tuple(range(count)) if count == len(names) else None
    known: dict[str, int] = {}
    if space == "imagenet_1k" and classes in class_names():
        entries = load_classes(classes).entries
        known = {one.name: one.imagenet[0] for one in entries if len(one.imagenet) == 1}
    elif (paths.manifests() / "worlds" / f"{space}.yaml").exists():
        known = {name: place for place, name in enumerate(load_world(space).inside)}
    found = tuple(known[name] for name in names if known.get(name, count) < count)
    return found if len(found) == len(names) else None


def known_outputs(model: Classifier, images: ImageSet) -> tuple[int, ...] | None:
    """Return which outputs of a network are the classes of an image set; None: it knows others."""
    return chosen(model.classes, model.outputs, images.classes, images.class_names)


def require(
    name: str, space: str, count: int, classes: str, names: Sequence[str]
) -> tuple[int, ...]:
    """Return which outputs of a network are some classes, in their order.

    Args:
        name: the network's.
        space: see `chosen`, as for the rest.
        count: how many outputs it has.
        classes: label space that is wanted.
        names: of its classes.

    Raises:
        InputError: it does not know them.
    """
    found = chosen(space, count, classes, names)
    if found is None:
        raise InputError(
            f"Expected {name} to have {len(names)} outputs, one a class of {classes}, or to know "
            f"these classes among others, but it has {count} of {space}. Name a model that knows "
            "them, or data or a class list that has the model's."
        )
    return found


def narrowed(model: Classifier, classes: str, names: Sequence[str]) -> Classifier:
    """Return a classifier of some classes: the others' outputs are left out before any softmax.

    Raises:
        InputError: it does not know them.
    """
    found = require(model.name, model.classes, model.outputs, classes, names)
    return model if found == tuple(range(model.outputs)) else subset(model, found, classes)


def _spaces() -> set[str]:
    return {*class_names(), *(load_model(name).classes for name in model_names())}
