"""Detectors of plain shapes, right in some of the pictures, that fall for what looks alike."""

from dataclasses import replace

import numpy as np

from robust_lib.metrics.boxes import Detections
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.objects import scored_boxes
from robust_lib.protocols.objects.error_kinds import error_kinds
from tests.layouts import CLASSES, Shapes

LOOKS_LIKE = {"ring": "disc", "wedge": "box"}
PAIRS = tuple((taken, truth) for truth, taken in LOOKS_LIKE.items())


def object_boxes(right, images=None):
    """`right`: detector -> in how many of the images, from the first on, it names its objects.

    In the others it calls each by the next class. A foreign shape it always takes for the class
    that it looks like; that is what it is surest of.
    """
    images = images or Shapes()
    found = {}
    for name, number in right.items():
        said = []
        for place, one in enumerate(images.annotations):
            for box, label in zip(one.boxes, one.classes, strict=True):
                called = label if place < number else (label + 1) % len(CLASSES)
                said.append((place, called, box, 0.8 - place / 1000))
            for box, shape in zip(one.foreign.boxes, one.foreign.names, strict=True):
                said.append((place, CLASSES.index(LOOKS_LIKE[shape]), box, 0.95 - place / 1000))
        pictures, classes, boxes, scores = zip(*said, strict=True)
        boxes = Detections(
            np.array(pictures), np.array(classes), np.array(boxes, float), np.array(scores)
        )
        found[name] = (FoundBoxes(name, images.name, images.ids, boxes, 0.05, 100),)
    return found


def pictures():
    """Ordinary pictures, in which nobody sees anything foreign, and adversarial ones."""
    return Ordinary(name="coco_val"), Shapes(name="nao")


class Ordinary(Shapes):
    """The same pictures; a foreign shape is part of the ground, and no detector minds it."""

    @property
    def annotations(self):
        return tuple(
            replace(one, foreign=replace(one.foreign, boxes=one.foreign.boxes[:0], names=(),
                                         masks=None))
            for one in super().annotations
        )  # fmt: skip


def on_both(right):
    """Detector -> its boxes in ordinary and in adversarial pictures.

    `right`: detector -> in how many of either it is right.
    """
    sets = pictures()
    each = [
        object_boxes({name: numbers[place] for name, numbers in right.items()}, images)
        for place, images in enumerate(sets)
    ]
    return sets, {name: tuple(found[name] for found in each) for name in right}


def coco_maps(right, **settings):
    """Their mAP, matched and not yet computed."""
    given = scored_boxes.Settings(**{"samples": 50} | settings)
    sets, found = on_both(right)
    return {
        name: tuple(
            scored_boxes.scored(boxes, images.ids, images.annotations, given)
            for boxes, images in zip(both, sets, strict=True)
        )
        for name, both in found.items()
    }


def by_size(right, **settings):
    """The same, matched size by size."""
    given = scored_boxes.Settings(**{"samples": 50} | settings)
    sets, found = on_both(right)
    return {
        name: tuple(
            scored_boxes.by_size(boxes, images.ids, images.annotations, given)
            for boxes, images in zip(both, sets, strict=True)
        )
        for name, both in found.items()
    }


def kinds_of_error(right):
    """Their kinds of error."""
    sets, found = on_both(right)
    return {
        name: tuple(
            error_kinds(boxes, images.ids, images.annotations)
            for boxes, images in zip(both, sets, strict=True)
        )
        for name, both in found.items()
    }


SETS = (Ordinary(count=60, name="coco_val"), Shapes(count=60, name="nao"))


def maps(right, shown=SETS, **settings):
    """Sixty pictures of either kind; `shown`: the same ones, annotated otherwise."""
    given = scored_boxes.Settings(**{"samples": 100} | settings)
    return {
        name: tuple(
            scored_boxes.scored(
                object_boxes({name: number}, images)[name],
                images.ids, seen.annotations, given,
            )
            for number, images, seen in zip(numbers, SETS, shown, strict=True)
        )
        for name, numbers in right.items()
    }  # fmt: skip


def without_marks(images):
    """The same pictures, in which nobody has looked for foreign objects."""

    class Unmarked(type(images)):
        @property
        def annotations(self):
            return tuple(replace(one, foreign=None) for one in super().annotations)

    return Unmarked(count=len(images), name=images.name)


def unmarked(one):
    """The same boxes, scored where nobody has looked for foreign objects."""
    rules = {rule: kept for rule, kept in one.by_rule.items() if rule in scored_boxes.BOUNDS}
    return replace(one, by_rule=rules)
