"""The harder the pool: how a network that took no part fares before and after the filter."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from robust_lib.curation.decisions import Filtration
from robust_lib.errors import InputError
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber

BINS = 5
COLUMNS = ("difficulty", "candidates", "left", "share left", "accuracy", "accuracy on the left")


def curve(
    found: Filtration,
    hardness: Sequence[float],
    asked: MaskedPredictions,
    model: str,
    *,
    bins: int = BINS,
) -> pd.DataFrame:
    """Return by difficulty how many candidates are left, and accuracy on all and on those left.

    Args:
        found: at which step each candidate fell.
        hardness: of each candidate, from 0 to 1.
        asked: what networks said of all candidates, in their order.
        model: the network that is judged; its first seed.
        bins: equal widths of difficulty.

    Returns:
        `COLUMNS`; shares and accuracies in percent, missing where nothing is left.

    Raises:
        InputError: another number of candidates than of difficulties or of answers.
    """
    right = np.asarray(asked.predictions[model][0].correct)
    if not len(found) == len(hardness) == len(right):
        raise InputError(
            f"Expected a difficulty and an answer for each of {len(found):,} candidates, but got "
            f"{len(hardness):,} and {len(right):,}."
        )
    hard = np.asarray(hardness, np.float64)
    left = np.zeros(len(found), bool)
    left[list(found.places)] = True
    edges = np.linspace(hard.min(), hard.max(), bins + 1)
    within = np.clip(np.digitize(hard, edges[1:-1]), 0, bins - 1)
    rows = []
    for place in range(bins):
        here = within == place
        kept = here & left
        rows.append(
            (
                float((edges[place] + edges[place + 1]) / 2),
                int(here.sum()),
                int(kept.sum()),
                _percent(left[here]),
                _percent(right[here]),
                _percent(right[kept]),
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def key_numbers(frame: pd.DataFrame) -> dict[str, KeyNumber]:
    """Return what the prose tells of the curve: its first and its last bin of which some are left.

    Args:
        frame: of `curve`.
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
            ("left", "accuracy on the left", "left"),
        )
    }


def _percent(values: np.ndarray) -> float:
    return 100 * float(values.mean()) if len(values) else float("nan")
