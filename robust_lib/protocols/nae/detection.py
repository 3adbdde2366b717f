"""Detection of ImageNet-O: whether a network is less sure of things it does not know, as rows.

The score is minus the largest probability among the classes of the in-distribution side; what is
out of distribution is the positive class [nae, sec. 5].
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics import anomaly
from robust_lib.metrics.anomaly_scores import SCORES, fit_mahalanobis, msp
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.accuracies import around
from robust_lib.protocols.nae.networks import ATTENTION, FILTER, SIZES, present, whole
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results

Row = dict[str, Any]
Scores = Float[np.ndarray, "_"]
CHANCE = "chance"
METRICS = ("aupr", "auroc", "fpr_at_recall")


def results(
    inside: MaskedPredictions,
    outside: MaskedPredictions,
    names: Mapping[str, str],
    *,
    samples: int = 1000,
) -> Results:
    """Return AUPR, AUROC and FPR95 of all networks, for each item that shows them, as rows.

    With one seed AUPR has a 95 % bootstrap interval over images of both sides; with several, all
    intervals go from the smallest to the largest seed.

    Args:
        inside: what networks said of ordinary pictures of ImageNet-O's classes.
        outside: what they said of ImageNet-O.
        names: the paper's name of a network -> ours.
        samples: bootstrap resamples.
    """
    plain = whole(names, outside.predictions)
    found = {model: _measured(inside, outside, model, samples) for model in plain}
    rows = [row | {"item": "nae-fig3"} for model in plain for row in found[model]]
    paired = [one for pair in present((*SIZES, *ATTENTION), names, plain) for one in pair]
    rows += [found[model][0] | {"item": "nae-fig11"} for model in dict.fromkeys(paired)]
    n_in, n_out = _sizes(inside), _sizes(outside)
    base = {"item": "nae-fig3", "dataset": outside.dataset}
    chance = anomaly.chance(n_in, n_out)
    rows += [
        base | {"model": CHANCE, "metric": "aupr", "value": chance, "n": n_out, "n_full": n_out},
        base | {"metric": "highest_aupr", "value": 1},
    ]
    return Results.of(rows)


def scored(
    inside: MaskedPredictions, outside: MaskedPredictions, model: str
) -> dict[str, tuple[float, float, float]]:
    """Return score -> AUPR, AUROC and FPR95 of a network, means over seeds.

    Mahalanobis' score needs ordinary pictures with known classes. It is fitted to every other one
    of the in-distribution side; all scores are judged on the rest, so that they can be compared.

    Args:
        inside: what networks said of the in-distribution side.
        outside: what they said of ImageNet-O.
        model: which network.
    """
    table: dict[str, list[tuple[float, float, float]]] = {}
    for one, other in zip(inside.predictions[model], outside.predictions[model], strict=True):
        known, foreign = _logits(one), _logits(other)
        fitted = fit_mahalanobis(known[::2], one.labels[::2])
        for name, score in {**SCORES, "mahalanobis": fitted.score}.items():
            table.setdefault(name, []).append(_rates(score(known[1::2]), score(foreign)))
    means = {name: np.mean(values, axis=0) for name, values in table.items()}
    return {name: (float(a), float(b), float(c)) for name, (a, b, c) in means.items()}


def by_set(
    inside: MaskedPredictions, others: Sequence[MaskedPredictions], model: str
) -> dict[str, tuple[float, float]]:
    """Return data set -> AUPR and AUROC of a network's own score against ordinary pictures."""
    told = {}
    for other in others:
        rates = [
            _rates(msp(_logits(one)), msp(_logits(two)))
            for one, two in zip(inside.predictions[model], other.predictions[model], strict=True)
        ]
        aupr, auroc, _ = np.mean(rates, axis=0)
        told[other.dataset] = (float(aupr), float(auroc))
    return told


def confidences(
    asked: Sequence[MaskedPredictions], model: str, words: Sequence[str]
) -> dict[str, Scores]:
    """Return set in words -> how sure the first seed of a network is of each picture, percent."""
    return {
        title: 100 * np.asarray(one.predictions[model][0].confidence, np.float64)
        for title, one in zip(words, asked, strict=True)
    }


def base_rate(results: Results) -> float:
    """Return the AUPR that a random score would reach, a fraction."""
    return results.row(metric="aupr", model=CHANCE).value


def key_numbers(results: Results, names: Mapping[str, str]) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role."""
    rows = {str(row.model): row for row in results.select(item="nae-fig3", metric="aupr").rows}
    chooser = rows.pop(names.get(FILTER, FILTER), None)
    chance = rows.pop(CHANCE)
    ranked = sorted(rows.values(), key=lambda row: row.value)
    told = {"chance": chance, "chooser": chooser}
    told |= {"best": ranked[-1] if ranked else None, "worst": ranked[0] if ranked else None}
    return {key: percent(row, missing="an unknown AUPR") for key, row in told.items()}


def _measured(
    inside: MaskedPredictions, outside: MaskedPredictions, model: str, samples: int
) -> list[Row]:
    ones, others = inside.predictions[model], outside.predictions[model]
    scores = [
        (msp(_logits(one)), msp(_logits(other))) for one, other in zip(ones, others, strict=True)
    ]
    rates = np.array([_rates(*pair) for pair in scores])
    ends = list(zip(rates.min(0), rates.max(0), strict=True))
    if len(scores) == 1:
        rng = seeds.generator("aupr", outside.dataset, model)
        ends[0] = anomaly.aupr_interval(*scores[0], rng=rng, samples=samples)
    rows = []
    for place, metric in enumerate(METRICS):
        value = float(rates[:, place].mean())
        known = len(scores) > 1 or metric == "aupr"
        columns = around(value, ends[place]) if known else {"value": value}
        rows.append(
            {
                "dataset": outside.dataset,
                "model": model,
                "metric": metric,
                "convention": f"minus the largest probability, {outside.convention}",
                **columns,
                "n": len(others[0].ids),
                "n_full": len(others[0].ids),
            }
        )
    return rows


def _rates(inside: Scores, outside: Scores) -> tuple[float, float, float]:
    return (
        anomaly.aupr(inside, outside),
        anomaly.auroc(inside, outside),
        anomaly.fpr_at_recall(inside, outside),
    )


def _logits(said: Predictions) -> np.ndarray:
    assert said.logits is not None
    return said.logits


def _sizes(asked: MaskedPredictions) -> int:
    return len(next(iter(asked.predictions.values()))[0].ids)
