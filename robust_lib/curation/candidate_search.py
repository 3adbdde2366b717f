"""The search that turns images and a detector's boxes into candidates and proposed boxes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from robust_lib.config.coco import Box
from robust_lib.curation.candidate_set import CandidateSet, Category, Labelled, Photograph
from robust_lib.curation.candidates import IOU, SCORE, candidates
from robust_lib.datasets import picture_size
from robust_lib.datasets.objects import Objects, foreign_of, truth_of
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections, Truth

PROPOSED = 0.5
"""Boxes of this score, a fraction, are proposed where nobody knows the objects; it is ours."""


def photographs(folder: Path, files: Sequence[str]) -> tuple[Photograph, ...]:
    """Return images with their sizes, read from the headers of their files.

    Raises:
        DataError: a file is missing or no picture; the message names it.
    """
    return tuple(Photograph(file, *picture_size(folder / file)) for file in files)


def search(
    pictures: Sequence[Photograph],
    detections: Detections,
    categories: Sequence[Category],
    *,
    detector: str,
    objects: Sequence[Objects] | None = None,
    truth: str | None = None,
    iou: float = IOU,
    score: float = SCORE,
    count_foreign: bool = False,
) -> CandidateSet:
    """Return the images with a detector's confident mistakes, and proposed boxes for annotators.

    Without objects every sure box is a candidate: people decide whether it is a mistake. Proposals
    are the objects where they are known, as OpenImages' were to the paper's annotators, else the
    detector's boxes of middling score and above.

    Args:
        categories: the label set, in the order of the detector's classes.
        objects: one entry per image; None where they are unknown.
        truth: name of the source of the objects.
        iou: a detection must overlap its object by more than this.
        score: a confident detection has a higher one, a fraction.
        count_foreign: whether objects outside of the label set count as truth, see `candidates`.

    Raises:
        InputError: a threshold that is none, or foreign objects to count where no objects are.

    >>> dog = Detections(np.array([1]), np.array([0]), np.array([[1.0, 1.0, 9.0, 9.0]]),
    ...     np.array([0.9]))
    >>> both = (Photograph("a.jpg", 64, 48), Photograph("b.jpg", 64, 48))
    >>> found = search(both, dog, [Category(18, "dog")], detector="net")
    >>> [one.file for one in found.photographs], found.searched
    (['b.jpg'], 2)
    """
    foreign = foreign_of(objects) if objects is not None and count_foreign else None
    if count_foreign and foreign is None:
        raise InputError(
            "Expected boxes of foreign objects to count, but there are none. Give a file of "
            "objects with categories outside of the label set, or leave --foreign out."
        )
    known = _nothing() if objects is None else truth_of(objects)
    by_image = candidates(known, detections, iou=iou, score=score, foreign=foreign)
    whole = CandidateSet(
        detector=detector,
        categories=tuple(categories),
        searched=len(pictures),
        settings={"iou": iou, "score": score, "truth": truth, "foreign": count_foreign},
        photographs=tuple(pictures),
        candidates=tuple(one for of in by_image.values() for one in of),
        proposals=tuple(
            _labelled(detections, place) if objects is None else _objects(objects[place])
            for place in range(len(pictures))
        ),
    )
    return whole.only(list(by_image))


def without_candidates(
    pictures: Sequence[Photograph], categories: Sequence[Category]
) -> CandidateSet:
    """Return images to draw boxes in, without a detector's mistakes."""
    return CandidateSet(
        detector="",
        categories=tuple(categories),
        searched=len(pictures),
        settings={},
        photographs=tuple(pictures),
        candidates=(),
        proposals=tuple(() for _ in pictures),
    )


def _nothing() -> Truth:
    return Truth(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 4)))


def _labelled(detections: Detections, place: int) -> tuple[Labelled, ...]:
    chosen = np.flatnonzero((detections.images == place) & (detections.scores >= PROPOSED))
    return tuple(Labelled(_box(detections.boxes[at]), int(detections.classes[at])) for at in chosen)


def _objects(of: Objects) -> tuple[Labelled, ...]:
    single = np.flatnonzero(~of.crowds)
    return tuple(Labelled(_box(of.boxes[at]), int(of.classes[at])) for at in single)


def _box(corners: Float[np.ndarray, " 4"]) -> Box:
    left, top, right, bottom = (round(float(value), 2) for value in corners)
    return left, top, right, bottom
