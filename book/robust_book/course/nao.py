"""What the exercises on the construction of NAO and on its mAP ask for."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from robust_book.course.answers import Exercise, choice, fixed, number
from robust_lib.curation.candidates import EGREGIOUS, HARD, egregious
from robust_lib.curation.questions import failed
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import mean_average_precision
from robust_lib.protocols.objects.scored_boxes import RULES
from robust_lib.results.table import Results

CAT, SHARK = [10.0, 10.0, 50.0, 40.0], [60.0, 10.0, 90.0, 40.0]
ELSEWHERE = [[0.0, 0.0, 9.0, 9.0], [20.0, 0.0, 29.0, 9.0]]
NEITHER = "no candidate"


def boxes_of(kind: type[Any], classes: list[int], boxes: list[list[float]], *scores: float) -> Any:
    """Return objects or detections of one picture."""
    values = (np.zeros(len(classes), int), np.array(classes, int), np.array(boxes))
    return kind(*values, np.array(scores)) if scores else kind(*values)


def called(*, shark_counts: bool) -> str:
    """Return what a shark is that is called an airplane with its very box.

    >>> called(shark_counts=False)
    'hard false positive'
    """
    nothing = Truth(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))
    shark = boxes_of(Truth, [0], [SHARK])
    airplane = boxes_of(Detections, [4], [SHARK], 0.9)
    on_it = egregious(nothing, airplane, foreign=shark if shark_counts else None)
    return EGREGIOUS if len(on_it) else HARD


def stays(sharp: int, blurry: int) -> bool:
    """Return whether an object stays that so many annotators call sharp, and so many blurry.

    >>> stays(3, 2)
    True
    """
    answers = {"class": True, "box": True, "blurry": False, "occluded": False, "depiction": False}
    return not failed([answers] * sharp + [answers | {"blurry": True}] * blurry, is_class=True)


def rules(rows: Results) -> dict[str, float]:
    """Return the mean mAP of a run's detectors by the rule about foreign objects."""
    values: dict[str, list[float]] = {}
    for row in rows.select(metric="map_without_ood").rows:
        _, separated, rule = row.dataset.partition("/")
        if separated:
            values.setdefault(rule, []).append(row.value)
    return {rule: float(np.mean(found)) for rule, found in values.items()}


def kindest(rows: Results) -> str | None:
    """Return the rule that forgives most."""
    found = rules(rows)
    return max(found, key=lambda rule: found[rule]) if len(found) > 1 else None


def harshest(rows: Results) -> str:
    """Return the rule that forgives least."""
    found = rules(rows)
    return min(found, key=lambda rule: found[rule])


@lru_cache
def three_classes(*, forgiven: bool) -> float:
    """Return the mAP of the detector that calls a shark an airplane and a bird."""
    truth = boxes_of(Truth, [0, 1, 2], [CAT, *ELSEWHERE])
    said = boxes_of(Detections, [0, 1, 2], [CAT, SHARK, SHARK], 0.8, 0.9, 0.7)
    foreign = boxes_of(Truth, [0], [SHARK])
    return mean_average_precision(truth, said, 0.5, foreign if forgiven else None)


@lru_cache
def one_class(*, forgiven: bool) -> float:
    """Return the mAP of the detector that calls a shark a cat."""
    truth = boxes_of(Truth, [0], [CAT])
    said = boxes_of(Detections, [0, 0], [SHARK, CAT], 0.9, 0.8)
    foreign = boxes_of(Truth, [0], [SHARK])
    return mean_average_precision(truth, said, 0.5, foreign if forgiven else None)


_KINDS = "hard false positive, egregious misclassification or no candidate"

EXERCISES: Mapping[str, Mapping[int, Exercise]] = {
    "nao_1_construction": {
        2: Exercise(
            tuple(
                choice(
                    name,
                    _KINDS,
                    fixed(called, shark_counts=counts),
                    hint,
                    among=lambda rows: (HARD, EGREGIOUS, NEITHER),
                )
                for name, counts, hint in (
                    ("own_only", False, "Which objects are there, if the shark is none?"),
                    ("with_shark", True, "The box lies on an object now: of which class?"),
                )
            )
        ),
        3: Exercise(
            tuple(
                choice(
                    name,
                    "True if it stays, else False",
                    fixed(stays, sharp, 2),
                    "A strict majority has to confirm it.",
                    among=lambda rows: (True, False),
                )
                for name, sharp in (("of_five", 3), ("of_four", 2))
            )
        ),
    },
    "nao_2_map": {
        1: Exercise(
            (
                choice(
                    "rule",
                    "the rule with the highest mAP, averaged over this run's detectors",
                    kindest,
                    "Compare the columns of the table, not its rows.",
                    {"that one forgives least.": harshest},
                    among=lambda rows: list(rules(rows)),
                    shown=lambda rows: {words: rule for rule, words in RULES.items()},
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            tuple(
                number(
                    name,
                    "a fraction",
                    fixed(three_classes, forgiven=forgiven),
                    "Average precision class by class, then the mean over all three classes.",
                    {
                        "classes of which nothing is found were left out of the mean.": (
                            lambda rows: 1.0
                        ),
                        "one of three classes is missing from the mean.": lambda rows: 0.5,
                        "mAP is a mean over classes, and cat is one that is found.": lambda rows: 0,
                    },
                )
                for name, forgiven in (("with_the_shark", False), ("without_it", True))
            )
        ),
        3: Exercise(
            (
                number(
                    "costs",
                    "a fraction, the mAP with the shark called a cat",
                    lambda rows: one_class(forgiven=False),
                    "Which of the two boxes comes first, and how precise is the detector then?",
                    {
                        "that is the mAP if the shark is forgiven.": (
                            lambda rows: one_class(forgiven=True)
                        ),
                        "the cat is found all the same: its recall is full.": lambda rows: 0,
                    },
                ),
                number(
                    "forgiven",
                    "a fraction, the mAP if the shark is forgiven",
                    lambda rows: one_class(forgiven=True),
                    "What is left once the shark's box does not count?",
                    {
                        "that is the mAP with the shark's box counted.": (
                            lambda rows: one_class(forgiven=False)
                        )
                    },
                ),
            )
        ),
    },
}
