"""Any classifier as one of a class list: as it is, or with ImageNet's other outputs left out."""

from robust_lib.class_lists import ClassList, class_names
from robust_lib.errors import InputError
from robust_lib.models.contract import Classifier
from robust_lib.models.wrappers import subset

IMAGENET = "imagenet_1k"


def masked(model: Classifier, classes: ClassList) -> Classifier:
    """Return a classifier of the classes of a list, masked if it is one of ImageNet-1K.

    Raises:
        InputError: a model that knows other classes, or classes that are not one output each.
    """
    require_fit(model.name, model.classes, model.outputs, classes)
    if model.outputs == len(classes):
        return model
    return subset(model, [outputs[0] for outputs in classes.imagenet], classes.name)


def require_fit(name: str, space: str, outputs: int, classes: ClassList) -> None:
    """Raise InputError unless a model's outputs are, or have among them, the classes of a list.

    Args:
        name: the model's.
        space: label space of its outputs.
        outputs: how many it has.
        classes: the list.
    """
    mapped = all(len(entry.imagenet) == 1 for entry in classes.entries)
    other = space in class_names() and space != classes.name
    if outputs == len(classes) and not other:
        return
    if space == IMAGENET and mapped:
        return
    raise InputError(
        f"Expected {name} to have {len(classes)} outputs, the classes of {classes.name}, or the "
        f"1000 of ImageNet-1K to choose them from, but it has {outputs} of {space}. Name another "
        "model, or another class list."
    )
