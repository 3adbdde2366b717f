"""From a pool of images to those with a detector's confident mistakes [nao, sec. 3].

A detector's confident mistakes are candidates; annotators decide whether each is valid. An image is
kept if at least one of its candidates is confirmed.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from robust_lib import atomic
from robust_lib.curation import questions
from robust_lib.curation.annotation_sheet import Sheet
from robust_lib.curation.candidates import IOU, SCORE, Candidate, Kind, candidates
from robust_lib.curation.questions import Answers
from robust_lib.datasets.objects import Objects, foreign_of, truth_of
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections

Annotator = Callable[[Candidate], Answers]
"""Answers the questions of the first stage about one candidate."""

POOL, WITH_CANDIDATE, CONFIRMED = "pictures", "with a candidate", "confirmed"
"""The steps of the funnel, all counted in images."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ObjectFiltration:
    """The decisions on a pool of images.

    Attributes:
        candidates: candidates in the order of the images, the most confident of each image first.
    """

    pictures: int
    candidates: tuple[Candidate, ...]
    answers: tuple[tuple[Answers, ...], ...]
    settings: Mapping[str, Any]

    @cached_property
    def failed(self) -> tuple[tuple[str, ...], ...]:
        """The questions that reject each candidate; an empty tuple for a confirmed one."""
        return tuple(
            questions.failed(answers, is_class=questions.asked(one)[1])
            for one, answers in zip(self.candidates, self.answers, strict=True)
        )

    @cached_property
    def confirmed(self) -> tuple[Candidate, ...]:
        """The confirmed candidates."""
        both = zip(self.candidates, self.failed, strict=True)
        return tuple(one for one, why in both if not why)

    @property
    def places(self) -> tuple[int, ...]:
        """The indices, in the pool, of the images that are kept."""
        return pictures_of(self.confirmed)

    def funnel(self) -> dict[str, int]:
        """Return the number of images after each step."""
        return {
            POOL: self.pictures,
            WITH_CANDIDATE: len(pictures_of(self.candidates)),
            CONFIRMED: len(self.places),
        }

    def falls(self) -> dict[str, int]:
        """Return the number of candidates that each question rejects; several may reject one."""
        return {name: sum(name in why for why in self.failed) for name in questions.NAMES}


def construct(
    objects: Sequence[Objects],
    detections: Detections,
    annotators: Sequence[Annotator],
    *,
    iou: float = IOU,
    score: float = SCORE,
    count_foreign: bool = False,
) -> ObjectFiltration:
    """Return the images in a pool that have a confident mistake which annotators confirm.

    Args:
        objects: one entry per image of the pool.
        annotators: an odd number, so that there is a majority.
        iou: the IoU of a detection and its object must be above this.
        score: the score of a confident detection must be above this, a fraction.
        count_foreign: whether objects outside the label set count as ground truth; see
            `candidates`.

    Raises:
        InputError: no images, no annotators, invalid thresholds, a detection in an unknown image,
            or `count_foreign` for images that were not searched for such objects.

    >>> import numpy as np
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]], np.float32)
    >>> shark = Objects(64, 48, box[:0], np.array([], np.int64))
    >>> airplane = Detections(np.array([0]), np.array([4]), box, np.array([0.9]))
    >>> says = dict(zip(questions.NAMES, (False, True, False, False, False), strict=True))
    >>> construct([shark] * 3, airplane, [lambda one: says] * 5).funnel()
    {'pictures': 3, 'with a candidate': 1, 'confirmed': 1}
    """
    if not objects or not annotators:
        raise InputError(
            f"Expected images and annotators, but got {len(objects)} images and {len(annotators)} "
            "annotators. The paper uses five."
        )
    if len(detections.images) and detections.images.max() >= len(objects):
        raise InputError(
            f"Expected detections in {len(objects)} images, but one is in image "
            f"{detections.images.max()}, counted from 0. Pass the objects of all images."
        )
    foreign = foreign_of(objects) if count_foreign else None
    if count_foreign and foreign is None:
        raise InputError(
            f"Expected boxes of out-of-distribution objects to count, but not all {len(objects)} "
            "images were searched for them. Count only the objects of the label set."
        )
    by_image = candidates(truth_of(objects), detections, iou=iou, score=score, foreign=foreign)
    found = tuple(one for of in by_image.values() for one in of)
    return ObjectFiltration(
        pictures=len(objects),
        candidates=found,
        answers=tuple(tuple(ask(one) for ask in annotators) for one in found),
        settings={"iou": iou, "score": score, "count_foreign": count_foreign},
    )


def pictures_of(found: Sequence[Candidate], kind: Kind | None = None) -> tuple[int, ...]:
    """Return the images of some candidates, or of those of one kind, each once, in order."""
    return tuple(sorted({one.image for one in found if kind in (None, one.kind)}))


CONFIRMED = "confirmed"


def summary(made: ObjectFiltration) -> str:
    """Return a line per question: number of rejected candidates, and agreement of the annotators.

    >>> from robust_lib.curation.candidates import Candidate
    >>> shark = Candidate(0, 0, "hard false positive", (1.0, 1.0, 9.0, 9.0), 0, 0.9)
    >>> says = dict(zip(questions.NAMES, (False, True, False, False, False), strict=True))
    >>> made = ObjectFiltration(pictures=1, candidates=(shark,), answers=((says,) * 3,),
    ...     settings={})
    >>> summary(made).splitlines()[0]
    "class: 0 of 1 candidates rejected; agreement 100.0 %, Fleiss' kappa not defined (equal votes)"
    """
    falls, total = made.falls(), len(made.candidates)
    lines = [f"{name}: {falls[name]} of {total} candidates rejected" for name in questions.NAMES]
    if total and len(made.answers[0]) > 1:
        shares, kappas = questions.agreement(made.answers), questions.kappa(made.answers)
        lines = [
            f"{line}; agreement {100 * shares[name]:.1f} %, Fleiss' kappa {_kappa(kappas[name])}"
            for name, line in zip(questions.NAMES, lines, strict=True)
        ]
    return "\n".join(lines)


def save(made: ObjectFiltration, sheet: Sheet, path: Path) -> None:
    """Write a CSV file: box, class in question, yes votes for each question, and outcome."""
    with atomic.file(path) as written, written.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        votes = [f"{name}_yes" for name in questions.NAMES]
        writer.writerow(["box", "asked", "annotators", *votes, "falls_by"])
        for task, answers, why in zip(sheet.tasks, made.answers, made.failed, strict=True):
            counts = [sum(one[name] for one in answers) for name in questions.NAMES]
            fate = " ".join(why) or CONFIRMED
            writer.writerow([task.id, task.asked, len(answers), *counts, fate])


def _kappa(value: float) -> str:
    return "not defined (equal votes)" if value != value else f"{value:.3f}"
