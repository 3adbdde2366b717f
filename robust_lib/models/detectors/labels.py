"""Labels: the class that each label of a detector stands for.

Detectors of 80 classes often have 91 labels, COCO's category ids: 0 is the background, and ten ids
were never given to a category. The meaning of a label is determined by name or id, never by
counting.
"""

from collections.abc import Sequence

from robust_lib.config import class_lists
from robust_lib.errors import InputError

Labels = tuple[int, ...]
"""The class of each label, from 0; `NO_CLASS` where it has none, as the background has."""

NO_CLASS = -1


def by_name(categories: Sequence[str], names: Sequence[str]) -> Labels:
    """Return the class of each label, from the names of the labels' categories.

    Args:
        categories: the name of each label's category, in the order of the labels.

    Raises:
        InputError: a class without a label, or with two.

    >>> by_name(["__background__", "cat", "N/A", "dog"], ["dog", "cat"])
    (-1, 1, -1, 0)
    """
    missing = [name for name in names if name not in categories]
    twice = [name for name in names if list(categories).count(name) > 1]
    if missing or twice:
        told = f"{', '.join((missing or twice)[:5])} {'is missing' if missing else 'occurs twice'}"
        if not missing:
            at = [str(place) for place, name in enumerate(categories) if name == twice[0]]
            told += f" ({twice[0]} as labels {' and '.join(at)})"
        raise InputError(
            f"Expected a label for each of {len(names)} classes, but among {len(categories)} "
            f"categories {told}. Classes are matched by name: spell them as in the class list."
        )
    places = {name: place for place, name in enumerate(names)}
    return tuple(places.get(category, NO_CLASS) for category in categories)


def by_coco_id(classes: str) -> Labels:
    """Return the class of each label, for labels that are COCO's category ids.

    Raises:
        InputError: the class list has no COCO ids.

    >>> labels = by_coco_id("coco")
    >>> labels[:2], labels[12], labels[90], len(labels)
    ((-1, 0), -1, 79, 91)
    """
    known = {entry.coco_id: entry.index for entry in class_lists.load_classes(classes).entries}
    ids = [one for one in known if one is not None]
    if len(ids) != len(class_lists.load_classes(classes)):
        raise InputError(
            f"Expected classes with COCO's category ids, but {classes} has classes without one. "
            "Match labels by name: robust_lib.models.detectors.labels.by_name."
        )
    return tuple(known.get(label, NO_CLASS) for label in range(max(ids) + 1))
