"""The steps of adversarial filtration that reject a candidate, from the filters' predictions."""

from collections import Counter

import numpy as np
from jaxtyping import Float64, Int64

from robust_lib.curation.decisions import SHORTLISTED

Columns = Int64[np.ndarray, "candidates filters"]
Fractions = Float64[np.ndarray, "candidates filters"]


def adversarial_steps(
    labels: Int64[np.ndarray, " candidates"],
    predicted: Columns,
    in_truth: Fractions,
    confidence: float,
    most: int | None,
) -> tuple[str, ...]:
    """Return the step of each candidate from the filters' answers; -1 predicts a right crop.

    >>> adversarial_steps(np.array([0, 0, 0]), np.array([[-1], [1], [1]]),
    ...     np.array([[np.nan], [0.2], [0.1]]), 0.15, 15)
    ('correct', 'confident', 'shortlisted')
    """
    kept: Counter[tuple[int, int]] = Counter()
    steps = []
    for label, first, shares in zip(
        labels.tolist(), predicted[:, 0].tolist(), in_truth, strict=True
    ):
        if first < 0:
            steps.append("correct")
        elif (shares > confidence).any():
            steps.append("confident")
        elif most is not None and kept[label, first] == most:
            steps.append("confusion")
        else:
            kept[label, first] += 1
            steps.append(SHORTLISTED)
    return tuple(steps)


def anomalous_steps(
    predicted: Int64[np.ndarray, " candidates"],
    share: Float64[np.ndarray, " candidates"],
    confidence: float,
    most: int | None,
) -> tuple[str, ...]:
    """Return the step of each candidate from the model's classes and their probabilities.

    >>> anomalous_steps(np.array([4, 4, 4]), np.array([0.9, 0.3, 0.8]), 0.8, 1)
    ('shortlisted', 'unconfident', 'repeated')
    """
    kept: Counter[int] = Counter()
    steps = []
    for name, sure in zip(predicted.tolist(), share.tolist(), strict=True):
        if sure < confidence:
            steps.append("unconfident")
        elif most is not None and kept[name] == most:
            steps.append("repeated")
        else:
            kept[name] += 1
            steps.append(SHORTLISTED)
    return tuple(steps)
