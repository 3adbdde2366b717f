"""Answers to the exercises on NAO: construction, mAP, blind spots and attribution."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from robust_book.course.answers import (
    Exercise,
    Value,
    choice,
    fixed,
    greatest,
    least,
    number,
    tried,
)
from robust_lib.curation.candidates import EGREGIOUS, HARD, egregious
from robust_lib.curation.questions import failed
from robust_lib.explain.patch_swaps import swapped
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import mean_average_precision
from robust_lib.protocols.objects.scored_boxes import RULES
from robust_lib.results.table import Results

CAT, SHARK = [10.0, 10.0, 50.0, 40.0], [60.0, 10.0, 90.0, 40.0]
ELSEWHERE = [[0.0, 0.0, 9.0, 9.0], [20.0, 0.0, 29.0, 9.0]]
NEITHER = "no candidate"


def boxes_of(kind: type[Any], classes: list[int], boxes: list[list[float]], *scores: float) -> Any:
    """Return objects or detections of one image."""
    values = (np.zeros(len(classes), int), np.array(classes, int), np.array(boxes))
    return kind(*values, np.array(scores)) if scores else kind(*values)


def called(*, shark_counts: bool) -> str:
    """Return the kind of candidate for a shark labelled airplane with exactly its box.

    >>> called(shark_counts=False)
    'hard false positive'
    """
    nothing = Truth(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))
    shark = boxes_of(Truth, [0], [SHARK])
    airplane = boxes_of(Detections, [4], [SHARK], 0.9)
    on_it = egregious(nothing, airplane, foreign=shark if shark_counts else None)
    return EGREGIOUS if len(on_it) else HARD


def stays(sharp: int, blurry: int) -> bool:
    """Return whether an object is kept, given the numbers of annotators for sharp and for blurry.

    >>> stays(3, 2)
    True
    """
    answers = {"class": True, "box": True, "blurry": False, "occluded": False, "depiction": False}
    return not failed([answers] * sharp + [answers | {"blurry": True}] * blurry, is_class=True)


def rules(rows: Results) -> dict[str, float]:
    """Return rule about out-of-distribution objects -> mean mAP of a run's detectors."""
    values: dict[str, list[float]] = {}
    for row in rows.select(metric="map_without_ood").rows:
        _, separated, rule = row.dataset.partition("/")
        if separated:
            values.setdefault(rule, []).append(row.value)
    return {rule: float(np.mean(found)) for rule, found in values.items()}


@lru_cache
def three_classes(*, forgiven: bool) -> float:
    """Return the mAP of the detector that labels a shark as an airplane and a bird."""
    truth = boxes_of(Truth, [0, 1, 2], [CAT, *ELSEWHERE])
    said = boxes_of(Detections, [0, 1, 2], [CAT, SHARK, SHARK], 0.8, 0.9, 0.7)
    foreign = boxes_of(Truth, [0], [SHARK])
    return mean_average_precision(truth, said, 0.5, foreign if forgiven else None)


@lru_cache
def one_class(*, forgiven: bool) -> float:
    """Return the mAP of the detector that labels a shark as a cat."""
    truth = boxes_of(Truth, [0], [CAT])
    said = boxes_of(Detections, [0, 0], [SHARK, CAT], 0.9, 0.8)
    foreign = boxes_of(Truth, [0], [SHARK])
    return mean_average_precision(truth, said, 0.5, foreign if forgiven else None)


_KINDS = "hard false positive, egregious misclassification or no candidate"


AROUND, NEAREST = 5, 50
MOVED = 30


def log_ratio(training: float, pool: float, *, half: float = 0.5) -> float:
    """Return the logarithm of the density ratio for samples of some size.

    >>> round(log_ratio(1.0, 1.0), 2)
    -2.11
    """
    return float(np.log((AROUND + half) / training) - np.log((NEAREST - AROUND + half) / pool))


def spots(value: Any) -> str | None:
    """Return the fault of two masks of rare images: for one distribution, and for a shifted one."""
    before, after = (np.asarray(one) for one in value)
    if before.dtype != bool or after.dtype != bool:
        return "the answer should be two masks of True and False, as `is_rare` returns them."
    if before.mean() > 0.05:
        return (
            "there are blind spots within one distribution: were both samples drawn in the "
            "same way?"
        )
    if after.sum() < MOVED:
        return (
            "not all moved images are found: are they images of the pool, and were they moved "
            "far enough?"
        )
    if after.mean() > 0.5:
        return "most images are rare: is the mask inverted?"
    return None


def classes(rows: Results) -> dict[str, float]:
    """Return class -> change of its probability caused by backgrounds, on ordinary images.

    Classes are those of the figure of backgrounds; places and other changes are none.
    """
    found = rows.select(item="nao-fig6", metric="probability_change").rows
    if not found:
        return {}
    ordinary = found[0].dataset
    named = [row for row in found if row.dataset.startswith(f"{ordinary}/")]
    by_class = {row.dataset.removeprefix(f"{ordinary}/"): row.value for row in named}
    return {k: v for k, v in by_class.items() if "/" not in k and k not in ("noise", "shuffle")}


@lru_cache
def share_moved(patch: float, *, by_area: bool = False) -> float:
    """Return the mean share of a crop that is moved by three swaps of patches."""
    if by_area:
        return 6 * patch**2
    crop = (np.arange(60 * 60 * 3).reshape(60, 60, 3) % 251).astype(np.uint8)
    generators = (np.random.default_rng(seed) for seed in range(100))
    found = [swapped(crop, rng, swaps=3, patch=patch) for rng in generators]
    return float(np.mean([(one != crop).any(-1).mean() for one in found]))


def _logarithm(training: float) -> dict[str, Value]:
    right = log_ratio(training, 1.0)
    return {
        "the half image on each side is missing.": fixed(log_ratio, training, 1.0, half=0.0),
        "it is the ratio itself, not its logarithm.": np.exp(right),
        "it is to the base of ten: use the natural logarithm.": right / np.log(10),
        "it is in bits: use the natural logarithm.": right / np.log(2),
        "training images were divided by all nearest neighbours.": np.log(
            AROUND / NEAREST / training
        ),
    }


_HALF = "Half an image is added on each side; each side is divided by its sample."
_SIX = "the six patches may overlap, and a pixel that has moved twice counts once."

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
                    ("own_only", False, "Which objects remain if the shark does not count as one?"),
                    ("with_shark", True, "The box is now on an object: what is its class?"),
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
                    lambda rows: greatest(rules(rows)),
                    "Compare the columns of the table, not its rows.",
                    {"this rule has the lowest mAP.": lambda rows: least(rules(rows))},
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
                        "classes without any detection were left out of the mean.": 1.0,
                        "one of three classes is missing from the mean.": 0.5,
                        "mAP is a mean over classes, and the class cat is found.": 0,
                    },
                )
                for name, forgiven in (("with_the_shark", False), ("without_it", True))
            )
        ),
        3: Exercise(
            (
                number(
                    "costs",
                    "a fraction, the mAP with the shark labelled as a cat",
                    lambda rows: one_class(forgiven=False),
                    "Which of the two boxes comes first, and how precise is the detector then?",
                    {
                        "that is the mAP if the shark is ignored.": (
                            lambda rows: one_class(forgiven=True)
                        ),
                        "the cat is still found: its recall is 1.": 0,
                    },
                ),
                number(
                    "forgiven",
                    "a fraction, the mAP if the shark is ignored",
                    lambda rows: one_class(forgiven=True),
                    "Which boxes remain if the shark's box does not count?",
                    {
                        "that is the mAP with the shark's box counted.": (
                            lambda rows: one_class(forgiven=False)
                        )
                    },
                ),
            )
        ),
    },
    "nao_3_blind_spots": {
        2: Exercise(
            (
                number(
                    "equal",
                    "a natural logarithm",
                    fixed(log_ratio, 1.0, 1.0),
                    _HALF,
                    _logarithm(1.0)
                    | {"that is with more training images.": fixed(log_ratio, 2.0, 1.0)},
                ),
                number(
                    "twice",
                    "a natural logarithm",
                    fixed(log_ratio, 2.0, 1.0),
                    _HALF,
                    _logarithm(2.0)
                    | {
                        "that is with two samples of one size.": fixed(log_ratio, 1.0, 1.0),
                        "each image of a larger sample has less weight, not more.": (
                            fixed(log_ratio, 0.5, 1.0)
                        ),
                    },
                ),
            )
        ),
        3: Exercise(
            (
                tried(
                    "rare_pictures",
                    "two masks: for samples from one distribution, and with thirty images moved "
                    "aside",
                    lambda rows: True,
                    spots,
                ),
            )
        ),
    },
    "nao_4_attribution": {
        1: Exercise(
            (
                choice(
                    "most_changed",
                    "the name of a class, on ordinary images",
                    lambda rows: greatest(classes(rows)),
                    "Look for the dot farthest to the right.",
                    {"here, backgrounds matter least.": lambda rows: least(classes(rows))},
                    among=lambda rows: list(classes(rows)),
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                number(
                    "in_left_half",
                    "a fraction",
                    1.0,
                    "Black pixels do not change the output, so their attribution is zero.",
                    {"this is the half's share of the area.": 0.5},
                ),
                number(
                    "moved_box",
                    "a fraction, on average",
                    0.5,
                    "The box slides from one side to the other.",
                    {
                        "that is the box on the left half itself.": 1.0,
                        "it does not jump: all positions in between are equally likely.": 0.0,
                    },
                    tolerance=0.06,
                ),
            )
        ),
        3: Exercise(
            tuple(
                number(
                    name,
                    "a fraction of the box",
                    fixed(share_moved, patch),
                    "Average over many swaps which pixels differ.",
                    mistakes,
                    tolerance=0.06,
                )
                # Small patches hardly meet: there the sum of their areas is nearly right.
                for name, patch, mistakes in (
                    ("halves", 0.5, {_SIX: fixed(share_moved, 0.5, by_area=True)}),
                    ("tenths", 0.1, {}),
                )
            )
        ),
    },
}
