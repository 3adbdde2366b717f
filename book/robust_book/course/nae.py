"""Answers to the exercises on ImageNet-A and ImageNet-O."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from robust_book.course.answers import Exercise, choice, number, tried
from robust_lib.curation.decisions import adversarial_steps
from robust_lib.metrics.anomaly import aupr, auroc
from robust_lib.metrics.calibration import rms_calibration_error
from robust_lib.results.table import Results

ORDINARY, FOREIGN = np.array([0.1, 0.2, 0.3]), np.array([0.25])
LOGITS, KEPT = np.array([2.0, 9.0, 0.0, 0.0, 3.0]), (0, 4)
CONFIDENCE, CORRECT = np.repeat([0.5, 0.9], 100), np.tile([True, False], 100)
STEPS = ("filtered", "shortlisted", "selected")
HEADINGS = {
    "All wrong": "filtered", "Truth unlikely": "filtered", "Shortlist": "shortlisted",
    "Kept": "selected",
}  # fmt: skip
"""What the chapter's table calls a step -> the step."""


def taken(rows: Results) -> dict[str, float] | None:
    """Return the share of the remaining candidates that each step of the funnel removes."""
    counts = [row.value for row in rows.select(item="nae-funnel", metric="images").rows]
    if len(counts) != len(STEPS) + 1 or not all(counts[:-1]):
        return None
    pairs = itertools.pairwise(counts)
    return {name: 1 - after / before for name, (before, after) in zip(STEPS, pairs, strict=True)}


def greediest(rows: Results) -> set[str] | None:
    """Return the step of a run that removes the largest share, or several that tie."""
    shares = taken(rows)
    return None if not shares else {k for k, v in shares.items() if v == max(shares.values())}


def kept(most: int) -> int:
    """Return the number of ten similar candidates that are shortlisted.

    >>> kept(4)
    4
    """
    labels, predicted = np.zeros(10, int), np.ones((10, 1), int)
    return adversarial_steps(labels, predicted, np.full((10, 1), 0.05), 0.15, most).count(
        "shortlisted"
    )


def share(among: tuple[int, ...]) -> float:
    """Return the softmax probability of the last of several classes."""
    above = np.exp(LOGITS[list(among)])
    return float(above[-1] / above.sum())


def raised(value: Any) -> str | None:
    """Return the fault of three losses: without attack, after one step, after ten."""
    before, one, ten = (float(torch.as_tensor(each)) for each in value)
    if one <= before:
        return (
            "one step lowers the loss: an attack follows the gradient, not the opposite direction."
        )
    if ten < one - 1e-3:
        return (
            "ten steps raise the loss by less than one step does: does each step continue "
            "from the previous one?"
        )
    if ten - before > 100 * (one - before):
        return "ten steps raise it a hundredfold: are the images kept within the strength?"
    return None


def margin(function: Any) -> str | None:
    """Return the fault of a score: the difference between the two largest logits."""
    if not callable(function):
        return "the answer should be the function itself, without parentheses after its name."
    logits = np.random.default_rng(3).normal(size=(6, 5))
    ordered = np.sort(logits, 1)
    given = np.asarray(function(logits.copy()), float)
    if given.shape != (6,):
        return (
            "the function should return a score for each image, that is, for each row of the "
            "logits."
        )
    right = ordered[:, -1] - ordered[:, -2]
    shares = np.sort(np.exp(logits) / np.exp(logits).sum(1, keepdims=True), 1)
    slips = {
        "it is the difference between the largest and the smallest logit.": ordered[:, -1]
        - ordered[:, 0],
        "it uses the last two columns without sorting: sort each row first.": (
            logits[:, -1] - logits[:, -2]
        ),
        "it uses the two smallest logits: after sorting, the largest come last.": ordered[:, 1]
        - ordered[:, 0],
        "it is the difference of probabilities: no softmax is needed.": (
            shares[:, -1] - shares[:, -2]
        ),
    }
    # Both ways round: a score of how ordinary a picture is becomes one of how foreign it is.
    if any(np.allclose(given, sign * right) for sign in (1, -1)):
        return None
    for sentence, wrong in slips.items():
        if any(np.allclose(given, sign * wrong) for sign in (1, -1)):
            return sentence
    return "it is a different score. Sort each row, then subtract."


def calmer(value: Any) -> str | None:
    """Return the fault of two pairs, before and after: calibration error, and AURRA."""
    (error, calm_error), (area, calm_area) = value
    numbers = [float(one) for one in (error, calm_error, area, calm_area)]
    if max(numbers) > 1 or min(numbers) < 0:
        return "the answers should be fractions."
    if numbers[0] == numbers[1]:
        return "the calibration error did not change: was the softmax taken after the division?"
    if abs(numbers[2] - numbers[3]) > 0.1:
        return (
            "AURRA hardly depends on the size of the confidences: are the pairs in the right order?"
        )
    return None


EXERCISES: Mapping[str, Mapping[int, Exercise]] = {
    "nae_1_construction": {
        1: Exercise(
            (
                choice(
                    "step",
                    "filtered, shortlisted or selected: the step at which this run's funnel loses "
                    "most",
                    greediest,
                    "Compute each share relative to the previous step.",
                    among=lambda rows: STEPS,
                    shown=lambda rows: HEADINGS,
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                choice(
                    "shortlisted",
                    "a number of candidates",
                    kept(3),
                    "How many images of one confusion are allowed?",
                    {
                        "the rejected ones were counted.": 10 - kept(3),
                        "the limit per confusion was not applied.": kept(10),
                        "the limit is per confusion, and all of these are the same confusion.": 1,
                    },
                ),
            )
        ),
    },
    "nae_2_imagenet_a": {
        2: Exercise(
            (
                choice(
                    "without_mask",
                    "the class that it predicts, counted from 0",
                    int(LOGITS.argmax()),
                    "The largest of five logits.",
                    {
                        "it is counted from one, not from zero.": int(LOGITS.argmax()) + 1,
                        "that is its prediction with the mask.": KEPT[1],
                    },
                ),
                choice(
                    "with_mask",
                    "the class that it predicts among the first and the last, of five from 0",
                    KEPT[int(LOGITS[list(KEPT)].argmax())],
                    "The largest of those two logits.",
                    {
                        "that is its place among the two; count among the five.": int(
                            LOGITS[list(KEPT)].argmax()
                        ),
                        "it is counted from one, not from zero.": 5,
                    },
                ),
                number(
                    "confidence",
                    "a fraction, with the mask",
                    lambda rows: share(KEPT),
                    "The softmax of two logits.",
                    {
                        "the softmax was taken over all five classes.": (
                            lambda rows: share((0, 1, 2, 3, 4))
                        ),
                        "logits were divided directly, without exponentials.": (
                            LOGITS[4] / LOGITS[list(KEPT)].sum()
                        ),
                    },
                    tolerance=0.01,
                ),
            )
        ),
        3: Exercise(
            (
                tried(
                    "losses",
                    "three losses: without attack, after one step, after ten",
                    lambda rows: True,
                    raised,
                ),
            )
        ),
    },
    "nae_3_imagenet_o": {
        2: Exercise(
            (
                number(
                    "found_aupr",
                    "a fraction",
                    lambda rows: aupr(ORDINARY, FOREIGN),
                    "Use the precision at the point where the out-of-distribution image is "
                    "detected.",
                    {
                        "ordinary images were treated as the class to detect.": (
                            lambda rows: aupr(FOREIGN, ORDINARY)
                        ),
                        "it is the AUROC.": lambda rows: auroc(ORDINARY, FOREIGN),
                    },
                ),
                number(
                    "found_auroc",
                    "a fraction",
                    lambda rows: auroc(ORDINARY, FOREIGN),
                    "In how many pairs does the out-of-distribution image have the higher score?",
                    {"it is the AUPR.": lambda rows: aupr(ORDINARY, FOREIGN)},
                ),
                number(
                    "constant_aupr",
                    "a fraction, the AUPR of a constant score",
                    lambda rows: aupr(np.zeros(3), np.zeros(1)),
                    "All images are flagged at once: what is the precision then?",
                    {
                        "that is chance for AUROC.": lambda rows: auroc(np.zeros(3), np.zeros(1)),
                        (
                            "it is divided by the ordinary images only: divide by all images "
                            "instead."
                        ): len(FOREIGN) / len(ORDINARY),
                    },
                ),
            )
        ),
        3: Exercise(
            (
                tried(
                    "margin",
                    "your function, from logits to a score for each row",
                    lambda rows: True,
                    margin,
                ),
            )
        ),
    },
    "nae_4_calibration": {
        2: Exercise(
            (
                number(
                    "authors",
                    "a fraction, in the authors' variant",
                    lambda rows: rms_calibration_error(CONFIDENCE, CORRECT),
                    "The authors leave out the most confident bin.",
                    {
                        "it is the value with all bins.": (
                            lambda rows: rms_calibration_error(CONFIDENCE, CORRECT, "all-bins")
                        ),
                        "the bin that was left out is the least confident one.": 0.4 / np.sqrt(2),
                    },
                ),
                number(
                    "all_bins",
                    "a fraction, with all bins",
                    lambda rows: rms_calibration_error(CONFIDENCE, CORRECT, "all-bins"),
                    "Take the root of the mean, over images, of the squared gap of their bin.",
                    {
                        "it is the value of the authors' variant.": (
                            lambda rows: rms_calibration_error(CONFIDENCE, CORRECT)
                        ),
                        "it is the mean of the gaps, without squares.": np.abs(
                            CONFIDENCE - 0.5
                        ).mean(),
                        "the root is missing.": ((CONFIDENCE - 0.5) ** 2).mean(),
                        "squared gaps were summed, not averaged.": np.abs(CONFIDENCE - 0.5).max(),
                    },
                ),
            )
        ),
        3: Exercise(
            (
                tried(
                    "before_and_after",
                    "two pairs: calibration error before and after, AURRA before and after",
                    lambda rows: True,
                    calmer,
                ),
            )
        ),
    },
}
