"""What confidence says of pictures: how right a network is where it is surest and least sure."""

from collections.abc import Mapping

import numpy as np

from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results.key_number import KeyNumber
from robust_lib.run.network import network_title


def accuracies(masked: MaskedPredictions, network: str, key: str) -> dict[str, KeyNumber]:
    """Return how right a network is where it is surest and where it is least sure, for the prose.

    Args:
        masked: its predictions; means over seeds.
        network: which.
        key: begins the names of the numbers.

    >>> numbers = accuracies(toys.masked("hard", {"mine": 10}), "mine", "hard")
    >>> {key: number.text for key, number in numbers.items()}
    {'hard_surest': '100.0 %', 'hard_least_sure': '0.0 %', 'hard_confidence': '81.7 %'}
    """
    parts: list[list[float]] = []
    sure: list[float] = []
    for one in masked.predictions[network]:
        order = np.argsort(-one.confidence, kind="stable")
        size = max(1, len(order) // 3)
        ends = one.correct[order[:size]], one.correct[order[-size:]]
        parts.append([float(end.mean()) for end in ends])
        sure.append(float(one.confidence.mean()))
    surest, least = np.mean(parts, axis=0)
    words = f"of {network_title(network)} on {masked.dataset}; means over seeds"
    found = {
        "surest": (surest, f"accuracy on the third that it is surest of, {words}"),
        "least_sure": (least, f"accuracy on the third that it is least sure of, {words}"),
        "confidence": (np.mean(sure), f"mean confidence {words}"),
    }
    return {
        f"{key}_{name}": KeyNumber(f"{100 * value:.1f} %", float(value), convention)
        for name, (value, convention) in found.items()
    }


def outcome(numbers: Mapping[str, KeyNumber]) -> KeyNumber:
    """Return whether confidence says less of hard pictures than of ordinary ones, in words.

    Args:
        numbers: of `accuracies`, on both.

    >>> values = {"hard_surest": 0.2, "hard_least_sure": 0.1, "ordinary_surest": 0.9,
    ...     "ordinary_least_sure": 0.4}
    >>> outcome({key: KeyNumber("", value) for key, value in values.items()}).text[:69]
    'confidence says less of hard pictures (10 points between the thirds) '
    """
    hard, ordinary = (
        100
        * (
            float(numbers[f"{key}_surest"].value or 0)
            - float(numbers[f"{key}_least_sure"].value or 0)
        )
        for key in ("hard", "ordinary")
    )
    order = "less of" if hard < ordinary else "no less of"
    text = (
        f"confidence says {order} hard pictures ({hard:.0f} points between the thirds) than of "
        f"ordinary ones ({ordinary:.0f})"
    )
    words = "accuracy on the surest third less that on the least sure third; no interval"
    return KeyNumber(text, (hard - ordinary) / 100, words)
