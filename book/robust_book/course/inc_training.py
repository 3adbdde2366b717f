"""Answers to the exercises on enhancements and on ICONS-50."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from robust_book.course.answers import Exercise, choice, number, tried
from robust_lib.datasets import hold_outs
from robust_lib.datasets.icons50 import Icon
from robust_lib.results.table import Results
from robust_lib.training.stability import divergence

CLEAN, NOISY, WEIGHT = (0.7, 0.2, 0.1), (0.5, 0.3, 0.2), 0.1
PENCILS = (
    ("writing_utensil/google_0_pencil.png", 0, "pencil"),
    ("writing_utensil/google_0_pencil_tip.png", 0, "pencil_tip"),
    ("books/google_0_ledger.png", 1, "ledger"),
)


def second_term(clean: tuple[float, ...], noisy: tuple[float, ...]) -> float:
    """Return the cross-entropy from the prediction on a noisy image to that on the clean one.

    >>> round(second_term((0.5, 0.5), (0.5, 0.5)), 3)
    0.693
    """
    logs = (torch.tensor([one]).log() for one in (clean, noisy))
    return float(divergence(*logs))


def loss(weight: float = WEIGHT, *, swapped: bool = False) -> float:
    """Return the loss of stability training of the exercise."""
    pair = (NOISY, CLEAN) if swapped else (CLEAN, NOISY)
    return -math.log(CLEAN[0]) + weight * second_term(*pair)


def best_answer(value: Any) -> str | None:
    """Return the fault of a noisy prediction that is meant to minimise the second term."""
    given = tuple(float(one) for one in value)
    if len(given) != len(CLEAN) or min(given) < 0 or abs(sum(given) - 1) > 1e-3:
        return "the answer should be three probabilities that add up to one."
    if np.allclose(given, CLEAN, atol=1e-3):
        return None
    if max(given) > 1 - 1e-3:
        return (
            "a confident prediction is penalised if the clean prediction is less certain: try "
            "a less confident one."
        )
    if np.allclose(given, 1 / len(CLEAN), atol=0.01):
        return "a uniform prediction ignores the clean prediction."
    return (
        "there is a prediction for the noisy image with a smaller second term: try a few, or "
        "set the derivative to zero."
    )


def careful(function: Any) -> str | None:
    """Return the fault of a function that denoises only images that benefit from it."""
    if not callable(function):
        return "the answer should be the function itself, without parentheses after its name."
    rng = np.random.default_rng(1)
    noisy = np.clip(128 + rng.normal(0, 30, (64, 64, 3)), 0, 255).astype(np.uint8)
    # So little grain that no corruption is like it; a denoiser that is always on smooths it.
    ramp = np.linspace(90, 160, 64)[None, :, None]
    calm = (ramp + rng.normal(0, 2, (64, 64, 3))).astype(np.uint8)
    of_noisy, of_calm = (np.asarray(function(one.copy())) for one in (noisy, calm))
    if of_noisy.shape != noisy.shape or of_noisy.dtype != np.uint8:
        return "the function should return an image of the same size, 8-bit RGB."
    leaves_noisy = np.array_equal(of_noisy, noisy) or of_noisy.std() > 0.5 * noisy.std()
    leaves_calm = np.array_equal(of_calm, calm)
    if leaves_noisy and leaves_calm:
        return (
            "it does not change a noisy image: is the threshold too high, or in levels from 0 "
            "to 255?"
        )
    if leaves_noisy:
        return "it is reversed: it denoises the clean image and not the noisy one."
    return None if leaves_calm else "it also changes an image without noise."


def gap(rows: Results) -> dict[str, tuple[float, float, float]] | None:
    """Return hold-out -> accuracy of the first network as (value, low, high)."""
    found = {}
    for what in ("style", "subtype"):
        item = rows.select(item=f"inc-icons-{what}", metric="accuracy").rows
        if not item or item[0].low is None or item[0].high is None:
            return None
        found[what] = (item[0].value, item[0].low, item[0].high)
    return found


def harder(rows: Results) -> str | None:
    """Return the hold-out with the lower accuracy of the first network."""
    found = gap(rows)
    return None if found is None else min(found, key=lambda one: found[one][0])


def apart(rows: Results) -> bool | None:
    """Return whether the intervals of the two hold-outs do not overlap."""
    found = gap(rows)
    if found is None:
        return None
    (_, low, high), (_, low_too, high_too) = found.values()
    return low > high_too or low_too > high


@lru_cache
def pencils() -> tuple[int, int]:
    """Return the numbers of icons that the authors' rule matches as intended, and in addition."""
    icons = [Icon(path, label, "google", "0", name) for path, label, name in PENCILS]
    (effect,) = hold_outs.side_effects(icons, ["pencil"], "subtype")
    return effect.meant, effect.besides


EXERCISES: Mapping[str, Mapping[int, Exercise]] = {
    "inc_3_enhancements": {
        2: Exercise(
            (
                number(
                    "loss",
                    "a number of nats",
                    loss(),
                    "The first term is the loss for the clean image's class; the second term is "
                    "weighted.",
                    {
                        "the second term is not weighted.": loss(1.0),
                        "the second term is missing.": loss(0.0),
                        "the two predictions are swapped in the second term.": loss(swapped=True),
                        "the entropy of the clean prediction was subtracted, but the term is a "
                        "cross-entropy.": loss() - WEIGHT * second_term(CLEAN, CLEAN),
                        "it is in bits: use the natural logarithm.": (
                            lambda rows: loss() / math.log(2)
                        ),
                        "the first term is that of the noisy image.": (
                            lambda rows: loss() + math.log(CLEAN[0] / NOISY[0])
                        ),
                    },
                    tolerance=0.002,
                ),
                tried("best", "three probabilities", lambda rows: CLEAN, best_answer),
            )
        ),
        3: Exercise(
            (
                tried(
                    "carefully",
                    "your function, from an 8-bit RGB image to one of the same size",
                    lambda rows: True,
                    careful,
                ),
            )
        ),
    },
    "inc_4_icons50": {
        1: Exercise(
            (
                choice(
                    "harder",
                    "style or subtype",
                    harder,
                    "On which of the two does the first network have the lower accuracy?",
                    among=lambda rows: ["style", "subtype"],
                ),
                choice(
                    "apart",
                    "True if the two intervals do not overlap, else False",
                    apart,
                    "Compare the upper end of one interval with the lower end of the other.",
                    among=lambda rows: [True, False],
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                choice(
                    "meant",
                    "the number of icons with this word as their subtype",
                    lambda rows: pencils()[0],
                    "A subtype is the whole name after the number.",
                    {
                        "all icons that the rule holds out were counted.": lambda rows: sum(
                            pencils()
                        )
                    },
                ),
                choice(
                    "besides",
                    "the number of further icons that the authors' rule holds out",
                    lambda rows: pencils()[1],
                    "The rule looks for the word anywhere in the path.",
                    {
                        "the intended icons were also counted.": lambda rows: sum(pencils()),
                        "the word occurs in more paths than that.": 0,
                    },
                ),
            )
        ),
    },
}
