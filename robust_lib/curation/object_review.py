"""Simulated annotators, which judge candidates from the generator's ground truth.

Each annotator has individual limits of perception, drawn once, and occasional lapses. They
therefore disagree on objects that are half covered or faint, as people do, and the majority is
informative. They replace the paper's five annotators [nao, sec. 3.4]; no people took part.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from robust_lib import seeds
from robust_lib.curation.candidates import Candidate
from robust_lib.curation.questions import NAMES, Answers, asked
from robust_lib.datasets.layouts import Layouts
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import intersection_over_union
from robust_lib.miniworld.layouts import Thing

FITS = (0.55, 0.75)  # the IoU with a thing's box from which a box has the right size and place
WHOLE = (0.75, 0.92)  # the share of a thing that must be seen, lest it is called occluded
CLEAR = (0.04, 0.1)  # the contrast with its surroundings below which a thing is called blurry
LAPSE = 0.03  # how often any answer is given by mistake
NEAR = 0.1  # the IoU below which a box is on nothing


def annotators(images: Layouts, count: int = 5) -> tuple[Callable[[Candidate], Answers], ...]:
    """Return simulated annotators for the candidates in a set of photographs.

    Their limits and lapses are random, keyed by annotator and candidate.

    Raises:
        InputError: fewer than one annotator.
    """
    if count < 1:
        raise InputError(f"Expected at least one annotator, but got {count}. The paper uses five.")

    @cache  # what lies under a box is the same for all
    def under(candidate: Candidate) -> tuple[float, Thing | None]:
        return _under(candidate, images.truth(candidate.image).things)

    return tuple(_annotator(images, under, number) for number in range(count))


def _annotator(
    images: Layouts, under: Callable[[Candidate], tuple[float, Thing | None]], number: int
) -> Callable[[Candidate], Answers]:
    rng = seeds.generator(0, "annotator", number)
    fits, whole, clear = (float(rng.uniform(*limits)) for limits in (FITS, WHOLE, CLEAR))

    def answer(candidate: Candidate) -> Answers:
        overlap, thing = under(candidate)
        wanted, _ = asked(candidate)
        if thing is None:
            seen = (False, False, False, False, False)
        else:
            seen = (
                thing.name == images.class_names[wanted],
                overlap >= fits,
                thing.blurred or thing.contrast < clear,
                thing.visible < whole,
                thing.depiction,
            )
        item = (images.ids[candidate.image], candidate.predicted, *candidate.box)
        lapses = seeds.generator(0, "lapse", number, *map(str, item)).random(len(NAMES)) < LAPSE
        return {
            name: bool(one) != bool(lapse)
            for name, one, lapse in zip(NAMES, seen, lapses, strict=True)
        }

    return answer


def _under(candidate: Candidate, things: Sequence[Thing]) -> tuple[float, Thing | None]:
    """Return the object that a candidate's box overlaps most, and the IoU; None if nothing."""
    if not things:
        return 0.0, None
    boxes = np.array([thing.box for thing in things])
    box = np.tile(np.array(candidate.box), (len(boxes), 1))
    overlaps = intersection_over_union(box, boxes, np.zeros(len(boxes), bool))
    best = int(overlaps.argmax())
    return (float(overlaps[best]), things[best]) if overlaps[best] >= NEAR else (0.0, None)
