"""What the exercises on enhancements and on ICONS-50 ask for."""

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
    """Return the cross-entropy from a noisy answer to a clean one.

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
    """Return what is wrong with the noisy answer that shall make the second term least."""
    given = tuple(float(one) for one in value)
    if len(given) != len(CLEAN) or min(given) < 0 or abs(sum(given) - 1) > 1e-3:
        return "expected are three probabilities that add up to one."
    if np.allclose(given, CLEAN, atol=1e-3):
        return None
    if max(given) > 1 - 1e-3:
        return "sure answers are punished where the clean answer leaves a doubt: try a little less."
    if np.allclose(given, 1 / len(CLEAN), atol=0.01):
        return "an answer that says nothing misses what the clean one says."
    return "there is a noisy answer with a smaller term: try a few, or set the derivative to zero."


def careful(function: Any) -> str | None:
    """Return what is wrong with a function that denoises only where it pays."""
    if not callable(function):
        return "expected is the function itself, without parentheses behind its name."
    rng = np.random.default_rng(1)
    noisy = np.clip(128 + rng.normal(0, 30, (64, 64, 3)), 0, 255).astype(np.uint8)
    # So little grain that no corruption is like it; a denoiser that is always on smooths it.
    ramp = np.linspace(90, 160, 64)[None, :, None]
    calm = (ramp + rng.normal(0, 2, (64, 64, 3))).astype(np.uint8)
    of_noisy, of_calm = (np.asarray(function(one.copy())) for one in (noisy, calm))
    if of_noisy.shape != noisy.shape or of_noisy.dtype != np.uint8:
        return "expected is an image of the same size, 8-bit RGB, back."
    leaves_noisy = np.array_equal(of_noisy, noisy) or of_noisy.std() > 0.5 * noisy.std()
    leaves_calm = np.array_equal(of_calm, calm)
    if leaves_noisy and leaves_calm:
        return "it leaves a noisy image as it is: is the threshold too high, or in levels of 255?"
    if leaves_noisy:
        return "it is the wrong way round: it denoises the calm image and not the noisy one."
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
    """Return whether the intervals of the two hold-outs lie apart."""
    found = gap(rows)
    if found is None:
        return None
    (_, low, high), (_, low_too, high_too) = found.values()
    return low > high_too or low_too > high


@lru_cache
def pencils() -> tuple[int, int]:
    """Return how many icons the authors' rule matches as intended, and how many beyond that."""
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
                    "The first term is that of the clean image's class, the second is weighted.",
                    {
                        "the second term is not weighted.": loss(1.0),
                        "the second term is missing.": loss(0.0),
                        "the second term has the two answers swapped.": loss(swapped=True),
                        "the clean answer's entropy was subtracted: it is a cross-entropy.": loss()
                        - WEIGHT * second_term(CLEAN, CLEAN),
                        "it is in bits: the logarithm is the natural one.": (
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
                    "your function: an image of 8-bit RGB in, one out",
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
                    "Of which is the first network less often right?",
                    among=lambda rows: ["style", "subtype"],
                ),
                choice(
                    "apart",
                    "True if the two intervals have nothing in common, else False",
                    apart,
                    "Hold the upper end of the one against the lower end of the other.",
                    among=lambda rows: [True, False],
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                choice(
                    "meant",
                    "how many icons have the word as their subtype",
                    lambda rows: pencils()[0],
                    "A subtype is the whole name behind the number.",
                    {"all that the rule takes were counted.": lambda rows: sum(pencils())},
                ),
                choice(
                    "besides",
                    "how many more the authors' rule takes",
                    lambda rows: pencils()[1],
                    "The rule looks for the word anywhere in the path.",
                    {
                        "those that were meant were counted, too.": lambda rows: sum(pencils()),
                        "the word stands in more paths than that.": 0,
                    },
                ),
            )
        ),
    },
}
