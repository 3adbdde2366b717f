"""Detection of ImageNet-O: whether a network is less sure of things it does not know, as rows.

The score is minus the largest probability among the classes of the in-distribution side; what is
out of distribution is the positive class [nae, sec. 5].
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics import anomaly
from robust_lib.metrics.anomaly_scores import SCORES, fit_mahalanobis, msp
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.nae.networks import ATTENTION, FILTER, SIZES, present, whole
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.row import Row
from robust_lib.results.table import Results

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

    With one seed AUPR alone has an interval, a bootstrap one over images of both sides.

    Args:
        inside: what networks said of ordinary pictures of ImageNet-O's classes.
        outside: what they said of ImageNet-O.
        names: the paper's name of a network -> ours.
        samples: bootstrap resamples.
    """
    plain = whole(names, outside.predictions)
    found = {model: _measured(inside, outside, model, samples) for model in plain}
    rows = [row for model in plain for row in found[model]]
    paired = [one for pair in present((*SIZES, *ATTENTION), names, plain) for one in pair]
    rows += [replace(found[model][0], item="nae-fig11") for model in dict.fromkeys(paired)]
    n_in, n_out = _sizes(inside), _sizes(outside)
    chance = Estimate(value=anomaly.chance(n_in, n_out), n=n_out, n_full=n_out)
    item, dataset = "nae-fig3", outside.dataset
    rows += [
        Row.of(chance, item=item, dataset=dataset, model=CHANCE, metric="aupr"),
        Row(item=item, dataset=dataset, metric="highest_aupr", value=1.0),
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
    masked: Sequence[MaskedPredictions], model: str, words: Sequence[str]
) -> dict[str, Scores]:
    """Return set in words -> how sure the first seed of a network is of each picture, percent."""
    return {
        title: 100 * np.asarray(one.predictions[model][0].confidence, np.float64)
        for title, one in zip(words, masked, strict=True)
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

    def interval() -> tuple[float, float]:
        rng = seeds.generator("aupr", outside.dataset, model)
        return anomaly.aupr_interval(*scores[0], rng=rng, samples=samples)

    return [
        Row.of(
            Estimate.over(
                rates[:, place], interval if metric == "aupr" else None, n=len(others[0].ids)
            ),
            item="nae-fig3",
            dataset=outside.dataset,
            model=model,
            metric=metric,
            convention=f"minus the largest probability, {outside.convention}",
        )
        for place, metric in enumerate(METRICS)
    ]


def _rates(inside: Scores, outside: Scores) -> tuple[float, float, float]:
    return (
        anomaly.aupr(inside, outside),
        anomaly.auroc(inside, outside),
        anomaly.fpr_at_recall(inside, outside),
    )


def _logits(said: Predictions) -> np.ndarray:
    assert said.logits is not None
    return said.logits


def _sizes(masked: MaskedPredictions) -> int:
    return len(next(iter(masked.predictions.values()))[0].ids)
