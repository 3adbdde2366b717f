"""Shapes in a run's roles, and detectors that need no training."""

import numpy as np

from robust_lib.miniworld.ground_set import Grounds
from robust_lib.predict.detect import detect
from tests.boxed import Saying, boxes_of, talkative
from tests.layouts import CLASSES, COLOURS, Shapes, bounds

FOUND = 0.85


def show(run):
    """Let shapes play the roles of photographs, and toys those of detectors.

    "talkative" is a real network, untrained; all others find every shape by its colour.
    """
    for role in ("coco_val", "nao"):
        run._sets[role] = Shapes(name=run.profile.data[role])
    run._sets["backgrounds"] = Grounds("bare", 1, 64)

    def detectors_of(wanted):
        return {str(one): (detector(str(one)),) for one in wanted}

    def found(images, networks=None):
        seen = run.image_set(images) if isinstance(images, str) else images
        by_name = detectors_of(networks or run.networks)
        return {name: (detect(one, seen, batch_size=64),) for name, (one,) in by_name.items()}

    run.__dict__["detectors_of"] = detectors_of
    run.__dict__["detect"] = found


def detector(name):
    """A detector of shapes by their colour, or the untrained network."""
    if name == "talkative":
        made = talkative(name)
        object.__setattr__(made, "classes", "shapes")
        return made
    return Saying(by_colour, name=name, classes="shapes", outputs=len(CLASSES))


def by_colour(image):
    """Return the box of all pixels of each class's colour; a few pixels are none."""
    picture = (255 * image.permute(1, 2, 0)).round().numpy().astype(int)
    rows = []
    for label, colour in enumerate(COLOURS):
        like = (np.abs(picture - np.array(colour)) < 12).all(-1)
        if like.sum() > 24:
            (box,) = bounds(like[None])
            rows.append((*box.tolist(), label, FOUND))
    return boxes_of(*rows)
