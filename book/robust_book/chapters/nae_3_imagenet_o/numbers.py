"""Detection in numbers: AUPR by network and by score, confidences, and what the prose names."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
from jaxtyping import Float

from robust_book.chapters.nae_3_imagenet_o import low_level
from robust_book.chapters.view import Names, cell_of, metrics_frame, percents
from robust_lib.datasets import ImageSet
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import detection
from robust_lib.protocols.nae.networks import FILTER
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

SCORES = MappingProxyType(
    {
        "msp": "largest probability",
        "max_logit": "largest logit",
        "energy": "energy",
        "entropy": "entropy",
        "mahalanobis": "Mahalanobis' distance",
        detection.CHANCE: "none: chance",
    }
)
"""Score -> how tables call it."""

RATES = MappingProxyType({"aupr": "AUPR", "auroc": "AUROC", "fpr_at_recall": "FPR95"})
"""Metric -> its column."""

_ROLES = MappingProxyType({"foreign": "imagenet_o", "noise": "bernoulli_noise"})


def confidence(masked: MaskedPredictions, network: str) -> Float[np.ndarray, " images"]:
    """Return the confidence of a network's first seed in each picture, percent."""
    return 100 * np.asarray(masked.predictions[network][0].confidence, np.float64)


def detection_frame(results: Results) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 (%) by network, each with its interval."""
    rows = results.select(item="nae-fig3")
    columns = {title: percents(rows.select(metric=metric)) for metric, title in RATES.items()}
    frame = pd.DataFrame({"Network": [network_title(model) for model in columns["AUROC"]]})
    for title, found in columns.items():
        frame[title] = [cell_of(found[model]) for model in columns["AUROC"]]
    return frame


def committed_frame(results: Results) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 by network with their ends, percent, for committing."""
    return metrics_frame(results.select(item="nae-fig3"), RATES)


def medians(kinds: Mapping[str, MaskedPredictions], network: str) -> str:
    """Return how sure a network is of each kind of pictures, in words."""
    return "; ".join(
        f"{title}, median {np.median(confidence(masked, network)):.0f} %"
        for title, masked in kinds.items()
    )


def score_frame(scored: Mapping[str, detection.Rates]) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 (%) by score.

    Args:
        scored: of `protocols.nae.detection.scored`.
    """
    return pd.DataFrame(
        [
            (SCORES.get(score, score), *(100 * rate for rate in rates))
            for score, rates in scored.items()
        ],
        columns=["Score", "AUPR", "AUROC", "FPR95"],
    )


def key_numbers(results: Results, names: Names) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `protocols.nae.detection`.
    """
    rows = {str(row.model): row for row in results.select(item="nae-fig3", metric="aupr").rows}
    chance, chooser = rows.pop(detection.CHANCE), rows.pop(names.get(FILTER, FILTER), None)
    ranked = sorted(rows.values(), key=lambda row: row.value)
    named = {"chance": chance, "chooser": chooser}
    named |= {"best": ranked[-1] if ranked else None, "worst": ranked[0] if ranked else None}
    return {key: percent(row, missing="an unknown AUPR") for key, row in named.items()}


def seen_by(
    sets: Mapping[str, ImageSet], alone: Results, detected: Mapping[str, tuple[float, float]]
) -> dict[str, KeyNumber]:
    """Return how well pixels and a network tell noise and foreign pictures, for the prose.

    Args:
        sets: of `low_level.image_sets`.
        alone: of `low_level.results`.
        detected: data set -> AUPR and AUROC of a network's score.
    """
    named = {"foreign": sets["imagenet_o"].name, "noise": sets["bernoulli_noise"].name}
    numbers: dict[str, KeyNumber] = {}
    for key, name in named.items():
        by_pixels = alone.first(metric="low_level_auroc", dataset=name)
        numbers[f"{key}_by_pixels"] = percent(by_pixels)
        auroc = detected[name][1]
        words = f"AUROC of one network's confidence on {low_level.TITLES[_ROLES[key]]}; no interval"
        numbers[f"{key}_by_network"] = KeyNumber(f"{100 * auroc:.1f} %", auroc, words)
    noise, foreign = (detected[named[key]][1] for key in ("noise", "foreign"))
    most, least = ("pure noise fools", "foreign pictures do")
    if noise > foreign:
        most, least = "foreign pictures fool", "pure noise does"
    text = f"{most} it more than {least}" if noise != foreign else "both fool it alike"
    numbers["fooled"] = KeyNumber(text, noise - foreign, "the lower AUROC; no interval")
    return numbers
