"""Answers to the exercises on ImageNet-C: the tour and the first two chapters."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from robust_book.chapters.inc_1_corruptions.showcase import gallery, photograph
from robust_book.course.answers import Answer, Exercise, choice, number, tried
from robust_book.course.overlap import corruptions
from robust_lib.metrics.corruption_error import corruption_error, mean_corruption_error
from robust_lib.models.contract import Classifier, check_classifier
from robust_lib.results.reported import alexnet_errors, reference
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON

HAND, YARDSTICK = np.array([0.2, 0.3, 0.4, 0.5, 0.6]), np.array([0.6, 0.7, 0.8, 0.9, 1.0])


def half_lost(rows: Results) -> int | None:
    """Return the first severity at which the tour's network has lost half of its accuracy.

    The result is 0 if this never happens. The tour's rows have the baseline first, unless the
    baseline is the network.
    """
    errors = rows.select(metric="error").rows
    own = [row for row in errors if row.model == errors[-1].model]
    clean = next((1 - row.value for row in own if row.severity is None), None)
    if clean is None:
        return None
    lost = [row.severity for row in own if row.severity and 1 - row.value <= clean / 2]
    return min(lost, default=0)


def spread(rows: Results) -> dict[str, float]:
    """Return corruption -> the range of the CEs of a run's networks."""
    values: dict[str, list[float]] = {}
    for row in rows.select(metric="ce").rows:
        if row.corruption in COMMON:
            values.setdefault(str(row.corruption), []).append(row.value)
    return {name: max(found) - min(found) for name, found in values.items()}


@lru_cache
def printed() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the errors of ResNet-50 and of AlexNet, corruption -> mean over severities."""
    accuracy = reference("resnet50_reference").set_index("corruption")["accuracy"]
    errors = {name: np.array([1 - accuracy[name] / 100]) for name in COMMON}
    return errors, {name: alexnet_errors()[name].mean(keepdims=True) for name in COMMON}


def mce(rows: Results) -> float:
    """Return ResNet-50's mCE of the paper's numbers."""
    return mean_corruption_error(*printed())


def ratio_of_means(rows: Results) -> float:
    """Return ResNet-50's sum of errors divided by AlexNet's."""
    errors, baseline = printed()
    return float(sum(errors.values())[0] / sum(baseline.values())[0])


def mean_error(rows: Results) -> float:
    """Return ResNet-50's mean error."""
    return float(np.mean(list(printed()[0].values())))


@lru_cache
def _corrupted() -> Mapping[str, Any]:
    return dict(zip(COMMON, gallery(photograph("china"), COMMON, 3), strict=True))


@lru_cache
def by_change(*, wrapped: bool = False, backwards: bool = False) -> tuple[str, ...]:
    """Return the corruptions by the change of the image, least first.

    Args:
        wrapped: whether bytes are subtracted as unsigned bytes.
        backwards: whether the largest change comes first.
    """
    picture = photograph("china")
    made = _corrupted()
    kind = np.uint8 if wrapped else np.float64
    change = {n: np.abs(m.astype(kind) - picture.astype(kind)).mean() for n, m in made.items()}
    return tuple(sorted(COMMON, key=lambda name: change[name], reverse=backwards))


@lru_cache
def by_error(*, backwards: bool = False, clean_first: int = 2) -> tuple[str, ...]:
    """Return the corruptions by AlexNet's error at a severity, counted from 0, the least first."""
    errors = alexnet_errors()
    error = {name: errors[name][clean_first] for name in COMMON}
    return tuple(sorted(COMMON, key=lambda name: error[name], reverse=backwards))


def same_fog(value: Any) -> str | None:
    """Return the fault of a pair: fog in a batch, and fog on a single image."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        return (
            "the answer should be a pair: the batch under fog, and one of its images alone "
            "under fog."
        )
    together, alone = (torch.as_tensor(one) for one in value)
    if together.ndim != 4 or alone.ndim != 4 or len(alone) != 1 or len(together) < 2:
        return "both should have four axes: several images, and one image as a batch of one."
    if together.shape[1:] != alone.shape[1:]:
        return "the two have images of different sizes: use one image of the batch."
    if any(torch.equal(one[None], alone) for one in together):
        return None
    return (
        "no image of the batch equals the one that was corrupted alone. Does it have the same "
        "key and severity?"
    )


def can_be_run(value: Any) -> str | None:
    """Return the fault of a function that builds a classifier."""
    if not callable(value):
        return "the answer should be the function itself, without parentheses after its name."
    if isinstance(value, Classifier):
        return "this is a classifier; the answer should be the function that builds one."
    check_classifier(value())
    return None


def _doubled(rows: Results) -> int | None:
    errors = rows.select(metric="error").rows
    own = [row for row in errors if row.model == errors[-1].model]
    clean = next((row.value for row in own if row.severity is None), 1.0)
    found = [row.severity for row in own if row.severity and row.value >= 2 * clean]
    return min(found) if found else None


def _a_fraction(name: str, right: Any, hint: str, mistakes: Mapping[str, Any]) -> Answer:
    return number(name, "a fraction", right, hint, mistakes, tolerance=0.001)


_SPREAD = (
    "In each column of the table of corruption errors, subtract the smallest from the largest."
)


def _most(rows: Results) -> str | None:
    return max(spread(rows), key=lambda name: spread(rows)[name], default=None)


def _least(rows: Results) -> str | None:
    return min(spread(rows), key=lambda name: spread(rows)[name], default=None)


EXERCISES: Mapping[str, Mapping[int, Exercise]] = {
    "00_tour": {
        1: Exercise(
            (
                choice(
                    "severity",
                    "a severity from 1 to 5, or 0 if it never does",
                    half_lost,
                    "Half of the clean accuracy, which is one minus the error at severity 0.",
                    {
                        "this is where the error has doubled; the question is about accuracy.": (
                            _doubled
                        )
                    },
                ),
            ),
            of_run=True,
        ),
        3: Exercise(
            (
                _a_fraction(
                    "ce",
                    lambda rows: corruption_error(HAND, YARDSTICK),
                    "Add up the errors of each network, then divide.",
                    {
                        "it is the mean error: nothing was divided by AlexNet's.": HAND.mean(),
                        "it is a mean of the ratios for each severity: divide the sums instead.": (
                            HAND / YARDSTICK
                        ).mean(),
                        "it is a ratio of accuracies: divide errors instead.": (1 - HAND).sum()
                        / (1 - YARDSTICK).sum(),
                    },
                ),
            )
        ),
    },
    "inc_1_corruptions": {
        2: Exercise(
            (
                tried(
                    "fogs",
                    "a pair: a batch under fog, and one of its images alone under fog",
                    lambda rows: True,
                    same_fog,
                ),
            )
        ),
        3: Exercise(
            (
                corruptions(
                    "by_change",
                    "the fifteen names, beginning with the least changed image",
                    lambda rows: by_change(),
                    "Severity 3 of the photograph `china`, the mean over all its values.",
                    {
                        "it is in reverse order: the smallest change comes first.": (
                            lambda rows: by_change(backwards=True)
                        ),
                        "bytes were subtracted as bytes, which have no sign: convert them to "
                        "floats.": (lambda rows: by_change(wrapped=True)),
                    },
                ),
                corruptions(
                    "by_error",
                    "the fifteen names, beginning with the smallest error",
                    lambda rows: by_error(),
                    "AlexNet's error at severity 3 is the third of its five.",
                    {
                        "it is in reverse order: the smallest error comes first.": (
                            lambda rows: by_error(backwards=True)
                        ),
                        "it is the order of the fourth severity: Python counts from 0.": (
                            lambda rows: by_error(clean_first=3)
                        ),
                    },
                ),
            )
        ),
    },
    "inc_2_mce": {
        1: Exercise(
            (
                corruptions(
                    "most",
                    "the corruption on which this run's networks differ most",
                    _most,
                    _SPREAD,
                    {"the networks differ least there.": _least},
                    among=lambda rows: list(spread(rows)),
                ),
                corruptions(
                    "least",
                    "the corruption on which they differ least",
                    _least,
                    _SPREAD,
                    {"the networks differ most there.": _most},
                    among=lambda rows: list(spread(rows)),
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                _a_fraction(
                    "mce",
                    mce,
                    "Divide corruption by corruption, then take the mean of fifteen ratios.",
                    {
                        "it is the ratio of the means: divide corruption by corruption first.": (
                            ratio_of_means
                        ),
                        "it is the mean error: nothing was divided by AlexNet's.": mean_error,
                        "it is the sum of the fifteen ratios, not their mean.": (
                            lambda rows: len(COMMON) * mce(rows)
                        ),
                        "AlexNet's error at one severity was used, not its mean over five.": (
                            lambda rows: mean_corruption_error(
                                printed()[0],
                                {name: alexnet_errors()[name][2:3] for name in COMMON},
                            )
                        ),
                    },
                ),
                _a_fraction(
                    "ratio_of_means",
                    ratio_of_means,
                    "Add up all errors of each network, then divide once.",
                    {
                        "it is the mean of the ratios: add up first, divide once.": mce,
                        "it is the mean error: nothing was divided by AlexNet's.": mean_error,
                    },
                ),
                _a_fraction(
                    "mean_error",
                    mean_error,
                    "An error is one minus the accuracy; nothing is divided by AlexNet's.",
                    {
                        "it is divided by AlexNet's errors, but nothing should be divided.": mce,
                        "it is divided by AlexNet's mean error, but nothing should be divided.": (
                            ratio_of_means
                        ),
                    },
                ),
            )
        ),
        3: Exercise(
            (
                tried(
                    "build",
                    "your function that returns a classifier",
                    lambda rows: True,
                    can_be_run,
                ),
            )
        ),
    },
}
