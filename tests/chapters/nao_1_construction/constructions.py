"""A construction of twelve plain pictures: six have a sure mistake, and four are confirmed.

The detector calls every ring a disc and every wedge a box where it is sure, and two shapes of the
label set by another name. Of its mistakes one falls as most annotators agree with it, and one as
most of them call it blurry.
"""

import numpy as np

from robust_lib.curation import questions
from robust_lib.curation.object_filtration import construct
from robust_lib.metrics.boxes import Detections
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.run.object_sets import ObjectConstruction
from tests.layouts import CLASSES, Shapes

SHAPES = Shapes()
LOOKS_LIKE = {"ring": "disc", "wedge": "box"}
MISNAMED = {0: "box", 7: "cross"}
UNSURE = (8, 11)
AGREED, BLURRED = 4, 9


def found(images):
    said = []
    for place, one in enumerate(images.annotations):
        for box, label in zip(one.boxes, one.classes, strict=True):
            called = CLASSES.index(MISNAMED[place]) if place in MISNAMED else int(label)
            said.append((place, called, box, 0.9 - place / 1000))
        for box, name in zip(one.foreign.boxes, one.foreign.names, strict=True):
            sure = 0.5 if place in UNSURE else 0.95
            said.append((place, CLASSES.index(LOOKS_LIKE[name]), box, sure - place / 1000))
    pictures, classes, boxes, scores = zip(*said, strict=True)
    boxes = Detections(
        np.array(pictures), np.array(classes), np.array(boxes, float), np.array(scores)
    )
    return FoundBoxes("mine", images.name, images.ids, boxes, 0.05, 100)


def annotator(number):
    """Everybody sees what is there; the first three of five agree with one mistake, and so on."""

    def answers(one):
        _, wanted = questions.asked(one)
        mistaken = number < 3
        return {
            "class": not wanted if one.image == AGREED and mistaken else wanted,
            "box": True,
            "blurry": one.image == BLURRED and mistaken,
            "occluded": False,
            "depiction": False,
        }

    return answers


BOXES = found(SHAPES)
CONSTRUCTION = ObjectConstruction(
    "shapes_nao",
    SHAPES,
    BOXES,
    construct(SHAPES.annotations, BOXES.detections, [annotator(one) for one in range(5)]),
)
NOTHING = ObjectConstruction(
    "shapes_nao",
    SHAPES,
    BOXES,
    construct(SHAPES.annotations, BOXES.detections, [annotator(0)], score=0.99),
)
"""That of a detector that is sure of nothing."""
