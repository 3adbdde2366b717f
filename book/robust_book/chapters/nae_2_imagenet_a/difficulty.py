"""Accuracy by difficulty, before and after the filter, for a network not used as a filter."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from robust_lib.curation.decisions import Filtration
from robust_lib.errors import InputError
from robust_lib.miniworld import review
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber
from robust_lib.run import filtered_sets, image_kinds
from robust_lib.run.run import Run

BINS = 5
COLUMNS = (
    "difficulty",
    "candidates",
    "left",
    "share left",
    "accuracy",
    "accuracy on those that pass",
)
HEADINGS = ("Difficulty", "Pool", "Passed", "Passed (%)", "Accuracy, all", "Accuracy, passed")


def candidates(run: Run, network: str) -> pd.DataFrame:
    """Return a network's accuracy on ImageNet-A's candidates, by their difficulty.

    Returns:
        See `curve`; no rows if others chose the images.

    >>> from robust_lib.run.start import start
    >>> len(candidates(start(run.chapter, "full"), "resnet18"))  # nobody published them
    0
    """
    if not filtered_sets.is_constructed(run.profile, "imagenet_a"):
        return pd.DataFrame(columns=list(COLUMNS))
    built = filtered_sets.construction(run.profile, "imagenet_a", run.store)
    scenes = image_kinds.as_scenes(built.candidates)
    hardness = [review.hardness(scenes, name) for name in built.candidates.ids]
    masked = run.predict(built.candidates, networks=[network])
    return curve(built.filtration, hardness, masked, network)


def curve(
    filtration: Filtration,
    hardness: Sequence[float],
    masked: MaskedPredictions,
    network: str,
    *,
    bins: int = BINS,
) -> pd.DataFrame:
    """Return, by difficulty, the number of candidates left, and accuracy on all and on those left.

    Args:
        filtration: the step that rejected each candidate.
        hardness: difficulty of each candidate, from 0 to 1.
        masked: predictions on all candidates, in their order.
        network: network to evaluate; its first seed counts.
        bins: number of difficulty bins of equal width.

    Returns:
        A frame with `COLUMNS`; shares and accuracies in percent, missing if no candidate is left.

    Raises:
        InputError: the numbers of candidates, difficulties and predictions differ.

    >>> hardness = (0.0, 0.1, 0.2, 0.3, 0.8, 0.9, 1.0)
    >>> said = toys.masked("pool", {"mine": 3}, images=7)
    >>> frame = curve(toys.FILTRATION, hardness, said, "mine", bins=2)
    >>> frame[["candidates", "left", "accuracy"]].to_numpy().tolist()
    [[4.0, 0.0, 75.0], [3.0, 1.0, 0.0]]
    """
    correct = np.asarray(masked.predictions[network][0].correct)
    if not len(filtration) == len(hardness) == len(correct):
        raise InputError(
            f"Expected a difficulty and a prediction for each of {len(filtration):,} candidates, "
            f"but got {len(hardness):,} and {len(correct):,}."
        )
    difficulty = np.asarray(hardness, np.float64)
    left = np.zeros(len(filtration), bool)
    left[list(filtration.places)] = True
    edges = np.linspace(difficulty.min(), difficulty.max(), bins + 1)
    bin_of = np.clip(np.digitize(difficulty, edges[1:-1]), 0, bins - 1)
    rows = []
    for number in range(bins):
        here = bin_of == number
        kept = here & left
        rows.append(
            (
                float((edges[number] + edges[number + 1]) / 2),
                int(here.sum()),
                int(kept.sum()),
                _percent(left[here]),
                _percent(correct[here]),
                _percent(correct[kept]),
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def headed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of `curve` under short headings.

    >>> list(headed(pd.DataFrame(columns=list(COLUMNS))))[:2]
    ['Difficulty', 'Pool']
    """
    return frame.set_axis(list(HEADINGS), axis=1)


def key_numbers(frame: pd.DataFrame) -> dict[str, KeyNumber]:
    """Return the prose's numbers on the curve: its first and last non-empty bins.

    >>> frame = pd.DataFrame([(0.2, 10, 4, 40.0, 50.0, 25.0)], columns=list(COLUMNS))
    >>> {key: number.text for key, number in key_numbers(frame).items()}
    {'easy_all': '50 %', 'easy_left': '25 %', 'hard_all': '50 %', 'hard_left': '25 %'}
    """
    bins = frame.dropna().to_dict("records")
    if not bins:
        return dict.fromkeys(("easy_all", "easy_left", "hard_all", "hard_left"), NOT_MEASURED)
    ends = {"easy": bins[0], "hard": bins[-1]}
    return {
        f"{end}_{which}": KeyNumber(
            f"{found[column]:.0f} %",
            value=found[column] / 100,
            convention=f"{column}, difficulty about {found['difficulty']:.2f}",
            n=int(found[counted]),
        )
        for end, found in ends.items()
        for which, column, counted in (
            ("all", "accuracy", "candidates"),
            ("left", "accuracy on those that pass", "left"),
        )
    }


def in_words(frame: pd.DataFrame) -> str:
    """Return a text on the ends of the curve, for an alternative text.

    >>> frame = pd.DataFrame([(0.2, 10, 4, 40.0, 50.0, 25.0)], columns=list(COLUMNS))
    >>> in_words(frame)
    'The easiest bin: 50 % of all, 25 % of those left; the hardest: 50 % and 25 %.'
    """
    number = {key: found.text for key, found in key_numbers(frame).items()}
    return (
        f"The easiest bin: {number['easy_all']} of all, {number['easy_left']} of those left; "
        f"the hardest: {number['hard_all']} and {number['hard_left']}."
    )


def _percent(values: np.ndarray) -> float:
    return 100 * float(values.mean()) if len(values) else float("nan")
