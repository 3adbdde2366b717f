"""Predictions on seen and unseen subtypes that are known beforehand."""

from robust_lib.protocols.imagenet_22k_subtypes import SIDES, SubtypePredictions
from tests.protocols.nae.toys import CLASSES, masked


def subtype_answers(right, images=12, seeds=1, **changes):
    """Networks on as many pictures of seen and of unseen subtypes, two subtypes a class.

    `right`: network -> how many of the seen and how many of the unseen pictures it gets right; of
    the ordinary ones it gets as many as of the seen.
    """
    seen, unseen = ({name: both[side] for name, both in right.items()} for side in (0, 1))
    given = {
        "seen": masked("known", seen, images, seeds),
        "unseen": masked("new", unseen, images, seeds),
        "clean": masked("ordinary", seen, images, seeds),
        "subtypes": {
            side: tuple(f"{side} {CLASSES[n % 3]} {n // 3 % 2}" for n in range(images))
            for side in SIDES
        },
        "before": {name: name for name in right},
        "class_names": CLASSES,
        "samples": 200,
    }
    return SubtypePredictions(**(given | changes))
