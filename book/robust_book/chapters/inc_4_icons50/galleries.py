"""Which icons the chapter on ICONS-50 shows, and under which words."""

from dataclasses import dataclass

from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.surface_variation import SAMPLE_CLASSES


@dataclass(frozen=True)
class Gallery:
    """Some icons, each with a caption.

    Attributes:
        places: which icons.
        captions: one an icon.
    """

    places: tuple[int, ...]
    captions: tuple[str, ...]


def sample(icons: Icons50, classes: int = SAMPLE_CLASSES, each: int = 4) -> Gallery:
    """Return some icons of each of some classes, under the classes' names.

    The classes lie evenly in the list, and a class shows as many vendors as it can.

    >>> found = sample(run.images, classes=2, each=2)
    >>> found.captions, [run.images.icons[place].style for place in found.places]
    (('Bird', 'Bird', 'Flag', 'Flag'), ['google', 'microsoft', 'openmoji', 'openmoji'])
    """
    labels = sorted(set(icons.labels.tolist()))
    chosen = [labels[place * len(labels) // classes] for place in range(min(classes, len(labels)))]
    places: list[int] = []
    for label in chosen:
        of_class = [place for place, icon in enumerate(icons.icons) if icon.label == label]
        by_style: dict[str, int] = {}
        for place in of_class:
            by_style.setdefault(icons.icons[place].style, place)
        first = list(by_style.values())
        places += (first + [place for place in of_class if place not in first])[:each]
    return Gallery(tuple(places), tuple(icons.names(places)))


def predicted(predictions: Predictions, icons: Icons50, label: int, most: int = 24) -> Gallery:
    """Return icons of one class under the classes that a network predicts, its mistakes first.

    A tick stands before a caption that is right.

    Args:
        predictions: of one network, on icons that were held out.
        icons: all icons.
        label: the class.
        most: icons.

    Raises:
        InputError: no icon of the class was held out.

    >>> said = toys.predicted_on("style:microsoft", 2)
    >>> predicted(said, run.images, run.images.class_names.index("Bird"), most=3).captions
    ('Hat', 'Hat', '✓ Bird')
    """
    of_class = [place for place, true in enumerate(predictions.labels) if true == label]
    if not of_class:
        raise InputError(
            f"Expected icons of the class {icons.class_names[label]} among those held out, but "
            "there are none. Name another class, or hold out another style."
        )
    ranked = sorted(of_class, key=lambda place: bool(predictions.correct[place]))[:most]
    names = [icons.class_names[int(predictions.predicted[place])] for place in ranked]
    ticks = ["\N{CHECK MARK} " if predictions.correct[place] else "" for place in ranked]
    position = {name: place for place, name in enumerate(icons.ids)}
    return Gallery(
        tuple(position[predictions.ids[place]] for place in ranked),
        tuple(f"{tick}{name}" for tick, name in zip(ticks, names, strict=True)),
    )
