"""Detection in numbers: AUPR by network and by score, and how sure a network is of each picture."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
from jaxtyping import Float

from robust_book.chapters.view import cell_of, metrics_frame, percents
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import detection
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


def confidence(masked: MaskedPredictions, network: str) -> Float[np.ndarray, " images"]:
    """Return the confidence of a network's first seed in each picture, percent.

    >>> from robust_lib.predict.predictions import Predictions
    >>> first = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> toy = MaskedPredictions("toy", 2, 2, {"mine": (first,)}, {})
    >>> confidence(toy, "mine").round(1).tolist()
    [88.1, 73.1]
    """
    return 100 * np.asarray(masked.predictions[network][0].confidence, np.float64)


def detection_frame(results: Results) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 (%) by network, each with its interval.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of(
    ...     Row(item="nae-fig3", dataset="toy", model="vgg19", metric=metric, value=0.5, low=0.25,
    ...         high=0.75, n=8, n_full=8) for metric in detection.METRICS)
    >>> detection_frame(rows)["AUPR"].tolist()
    [Cell(value=50.0, low=25.0, high=75.0)]
    """
    rows = results.select(item="nae-fig3")
    columns = {title: percents(rows.select(metric=metric)) for metric, title in RATES.items()}
    frame = pd.DataFrame({"Network": [network_title(model) for model in columns["AUROC"]]})
    for title, found in columns.items():
        frame[title] = [cell_of(found[model]) for model in columns["AUROC"]]
    return frame


def committed_frame(results: Results) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 by network with their ends, percent, for committing.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of(
    ...     Row(item="nae-fig3", dataset="toy", model="vgg19", metric=metric, value=0.5, low=0.25,
    ...         high=0.75, n=8, n_full=8) for metric in detection.METRICS)
    >>> list(committed_frame(rows))[:4]
    ['Network', 'AUPR', 'AUPR low', 'AUPR high']
    """
    return metrics_frame(results.select(item="nae-fig3"), RATES)


def medians(kinds: Mapping[str, MaskedPredictions], network: str) -> str:
    """Return how sure a network is of each kind of pictures, in words.

    >>> medians({"hard": toys.masked("hard", {"mine": 3})}, "mine")
    'hard, median 83 %'
    """
    return "; ".join(
        f"{title}, median {np.median(confidence(masked, network)):.0f} %"
        for title, masked in kinds.items()
    )


def score_frame(scored: Mapping[str, detection.Rates]) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 (%) by score.

    Args:
        scored: of `protocols.nae.detection.scored`.

    >>> score_frame({"msp": (0.5, 0.75, 1.0)}).to_dict("records")
    [{'Score': 'largest probability', 'AUPR': 50.0, 'AUROC': 75.0, 'FPR95': 100.0}]
    """
    return pd.DataFrame(
        [
            (SCORES.get(score, score), *(100 * rate for rate in rates))
            for score, rates in scored.items()
        ],
        columns=["Score", "AUPR", "AUROC", "FPR95"],
    )
