"""What confidence says of pictures: how right a network is where it is surest and least sure."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool

from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.notation import with_interval
from robust_lib.run.network import network_title


def accuracies(masked: MaskedPredictions, network: str, key: str) -> dict[str, KeyNumber]:
    """Return how right a network is where it is surest and where it is least sure, for the prose.

    Args:
        masked: its predictions; means over seeds.
        network: which.
        key: begins the names of the numbers.

    >>> numbers = accuracies(toys.masked("hard", {"mine": 10}), "mine", "hard")
    >>> numbers["hard_surest"].text, numbers["hard_surest"].n, numbers["hard_confidence"].text
    ('100.0 % [69.2, 100.0]', 10, '81.7 %')
    """
    by_seed = masked.predictions[network]
    ranked = [one.correct[np.argsort(-one.confidence, kind="stable")] for one in by_seed]
    size = max(1, len(ranked[0]) // 3)
    words = f"of {network_title(network)} on {masked.dataset}; means over seeds"
    sure = float(np.mean([one.confidence.mean() for one in by_seed]))
    thirds = {
        "surest": ("surest", [right[:size] for right in ranked]),
        "least_sure": ("least sure", [right[-size:] for right in ranked]),
    }
    found = {
        f"{key}_{name}": _third(right, f"accuracy on the third that it is {how} of, {words}")
        for name, (how, right) in thirds.items()
    }
    confidence = KeyNumber(f"{100 * sure:.1f} %", sure, f"mean confidence {words}", len(ranked[0]))
    return {**found, f"{key}_confidence": confidence}


def _third(by_seed: Sequence[Bool[np.ndarray, " images"]], words: str) -> KeyNumber:
    rate = Estimate.of_rate(by_seed)
    low, high = (None if end is None else 100 * end for end in (rate.low, rate.high))
    text = with_interval(100 * rate.value, low, high, sign=" %")
    kind = "exact interval" if len(by_seed) == 1 else "from the least to the greatest seed"
    return KeyNumber(text, rate.value, f"{words}; {kind}", rate.n)


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
