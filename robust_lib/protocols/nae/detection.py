"""Detection of ImageNet-O: anomaly scores of networks as rows.

The score is minus the largest probability among the classes of the in-distribution side;
out-of-distribution images are the positive class [nae, sec. 5].
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics import anomaly
from robust_lib.metrics.anomaly_scores import SCORES, fit_mahalanobis, msp
from robust_lib.metrics.intervals import percentiles, resampled
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.nae.networks import ATTENTION, SIZES, of_all_classes, present
from robust_lib.results.estimate import Draws, Estimate, difference
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.types import Labels, Logits

Rates = tuple[float, float, float]
"""AUPR, AUROC and FPR95, fractions."""

CHANCE = "chance"
METRICS = ("aupr", "auroc", "fpr_at_recall")


def results(
    in_distribution: MaskedPredictions,
    out_of_distribution: MaskedPredictions,
    names: Mapping[str, str],
    *,
    samples: int = 1000,
) -> Results:
    """Return AUPR, AUROC and FPR95 of all networks, for each item that shows them, as rows.

    Each network's accuracy on ordinary images is added: a network that cannot classify these has
    little to distinguish them from out-of-distribution images. With one seed, AUPR has a bootstrap
    interval over the images of both sides; AUROC and FPR95 have none.

    >>> toy, toy_o = (
    ...     MaskedPredictions(name, 2, 2, {"mine": (Predictions.from_logits(logits, ids=("a", "b"),
    ...         labels=np.array([0, 1]), model="mine", dataset=name),)}, {})
    ...     for name, logits in (("toy", 9 * np.eye(2, dtype=np.float32)),
    ...                          ("toy_o", np.eye(2, dtype=np.float32))))
    >>> rows = results(toy, toy_o, {}, samples=10).select(model="mine").rows
    >>> {row.metric: row.value for row in rows}
    {'aupr': 1.0, 'auroc': 1.0, 'fpr_at_recall': 0.0, 'accuracy': 1.0}
    """
    all_classes = of_all_classes(names, out_of_distribution.predictions)
    found = {
        network: _rows(in_distribution, out_of_distribution, network, samples)
        for network in all_classes
    }
    rows = [row for by_metric in found.values() for row in by_metric]
    rows += [_accuracy(in_distribution, network) for network in all_classes]
    pairs = present((*SIZES, *ATTENTION), names, all_classes)
    paired = dict.fromkeys(network for pair in pairs for network in pair)
    rows += [replace(found[network][0], item="nae-fig11") for network in paired]
    rows += [_gain(found[one][0], found[other][0]) for one, other in pairs]
    n_in, n_out = _images(in_distribution), _images(out_of_distribution)
    chance = Estimate(value=anomaly.chance(n_in, n_out), n=n_out, n_full=n_out)
    item, dataset = "nae-fig3", out_of_distribution.dataset
    rows += [
        Row.of(chance, item=item, dataset=dataset, model=CHANCE, metric="aupr"),
        Row(item=item, dataset=dataset, metric="highest_aupr", value=1.0),
    ]
    return Results.of(rows)


def scored(
    in_distribution: MaskedPredictions, out_of_distribution: MaskedPredictions, network: str
) -> dict[str, Rates]:
    """Return score -> AUPR, AUROC and FPR95 of a network, averaged over seeds.

    The Mahalanobis score needs ordinary images with known classes. It is fitted to every other
    image of the in-distribution side; all scores are evaluated on the rest, so that they can be
    compared. If no two of these images share a class, it cannot be fitted and is left out. The last
    entry is chance, the values expected of a score without information.

    >>> known = np.repeat(np.array([[9, 0], [8, 0], [0, 9], [0, 8]], np.float32), 2, axis=0)
    >>> torn = np.full((8, 2), 9.5, np.float32)  # large logits, and equal ones
    >>> toy, toy_o = (
    ...     MaskedPredictions(name, 2, 2, {"mine": (Predictions.from_logits(logits, model="mine",
    ...         ids=tuple("abcdefgh"), labels=np.repeat([0, 1], 4), dataset=name),)}, {})
    ...     for name, logits in (("toy", known), ("toy_o", torn)))
    >>> [(score, auroc) for score, (_, auroc, _) in scored(toy, toy_o, "mine").items()][:3]
    [('msp', 1.0), ('max_logit', 0.0), ('energy', 0.0)]
    """
    by_score: dict[str, list[Rates]] = {}
    for one, other in _by_seed(in_distribution, out_of_distribution, network):
        inliers, outliers = _logits(one), _logits(other)
        functions = dict(SCORES)
        if _have_pairs(one.labels[::2]):
            fitted = fit_mahalanobis(inliers[::2], one.labels[::2])
            functions["mahalanobis"] = fitted.score
        for name, score in functions.items():
            by_score.setdefault(name, []).append(_rates(score(inliers[1::2]), score(outliers)))
    means = {name: np.mean(values, axis=0) for name, values in by_score.items()}
    found = {name: (float(a), float(b), float(c)) for name, (a, b, c) in means.items()}
    # Half of the ordinary pictures are left to be told from, so this is another base rate.
    ordinary = _images(in_distribution) // 2
    rate = anomaly.chance(ordinary, _images(out_of_distribution))
    return {**found, CHANCE: (rate, 0.5, 0.95)}


def _have_pairs(labels: Labels) -> bool:
    return len(np.unique(labels)) < len(labels)


def by_set(
    in_distribution: MaskedPredictions, others: Sequence[MaskedPredictions], network: str
) -> dict[str, tuple[float, float]]:
    """Return data set -> AUPR and AUROC of a network's confidence, against ordinary images.

    >>> first = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> toy = MaskedPredictions("toy", 2, 2, {"mine": (first,)}, {})
    >>> by_set(toy, [toy], "mine")  # from itself
    {'toy': (0.5, 0.5)}
    """
    found = {}
    for other in others:
        rates = [
            _rates(msp(_logits(one)), msp(_logits(two)))
            for one, two in _by_seed(in_distribution, other, network)
        ]
        aupr, auroc, _ = np.mean(rates, axis=0)
        found[other.dataset] = (float(aupr), float(auroc))
    return found


def apart(
    in_distribution: MaskedPredictions,
    one: MaskedPredictions,
    other: MaskedPredictions,
    network: str,
    *,
    samples: int = 1000,
) -> dict[str, Estimate]:
    """Return how much AUPR and AUROC of confidence differ between two sets.

    Both sets are compared with the same ordinary images, which a resample draws once for both. AUPR
    depends on the base rate, so its difference is not defined for sets of different sizes.

    >>> first = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> toy = MaskedPredictions("toy", 2, 2, {"mine": (first,)}, {})
    >>> {metric: found.value for metric, found in apart(toy, toy, toy, "mine", samples=2).items()}
    {'aupr': 0.0, 'auroc': 0.0}
    """
    metrics = {"aupr": anomaly.aupr, "auroc": anomaly.auroc}
    if _images(one) != _images(other):
        del metrics["aupr"]
    sides = (in_distribution, one, other)
    by_seed = list(zip(*(side.predictions[network] for side in sides), strict=True))
    scores = [[msp(_logits(said)) for said in several] for several in by_seed]
    drawn = [
        resampled(
            len(said.ids), rng=seeds.generator("resamples", said.dataset), together=said.together
        )
        for said in by_seed[0]
    ]
    draws: dict[str, list[float]] = {metric: [] for metric in metrics}
    for _ in range(samples if len(by_seed) == 1 else 0):
        chosen = [values[next(side)] for values, side in zip(scores[0], drawn, strict=True)]
        for metric, values in draws.items():
            values.append(_further(metrics[metric], *chosen))
    return {
        metric: Estimate.over(
            [_further(metrics[metric], *several) for several in scores],
            partial(percentiles, np.array(draws[metric])),
            n=_images(one),
        )
        for metric in metrics
    }


def _further(
    metric: Callable[..., float],
    inliers: Float[np.ndarray, " inliers"],
    one: Float[np.ndarray, " one"],
    other: Float[np.ndarray, " other"],
) -> float:
    return metric(inliers, one) - metric(inliers, other)


def base_rate(results: Results) -> float:
    """Return the AUPR that a random score would reach, a fraction.

    >>> base_rate(Results.of([Row(item="nae-fig3", dataset="toy", model=CHANCE, metric="aupr",
    ...                           value=0.25, n=1, n_full=1)]))
    0.25
    """
    return results.row(metric="aupr", model=CHANCE).value


def _rows(
    in_distribution: MaskedPredictions,
    out_of_distribution: MaskedPredictions,
    network: str,
    samples: int,
) -> list[Row]:
    """Return the three rates of a network's confidence, AUPR first."""
    scores = [
        (msp(_logits(one)), msp(_logits(other)))
        for one, other in _by_seed(in_distribution, out_of_distribution, network)
    ]
    rates = np.array([_rates(*pair) for pair in scores])
    together = (
        in_distribution.predictions[network][0].together,
        out_of_distribution.predictions[network][0].together,
    )

    def interval() -> tuple[float, float]:
        rng = seeds.generator("aupr", out_of_distribution.dataset, network)
        return anomaly.aupr_interval(*scores[0], rng=rng, samples=samples, together=together)

    # The same key for all networks: they are compared on the same resamples.
    sides = (in_distribution.dataset, out_of_distribution.dataset)

    def draws() -> Float[np.ndarray, " draws"]:
        rng = seeds.generator("resamples", *sides)
        return anomaly.aupr_draws(*scores[0], rng=rng, samples=samples, together=together)

    return [
        Row.of(
            Estimate.over(
                rates[:, column],
                interval if metric == "aupr" else None,
                n=_images(out_of_distribution),
                draws=Draws(" ".join(sides), draws) if metric == "aupr" else None,
            ),
            item="nae-fig3",
            dataset=out_of_distribution.dataset,
            model=network,
            metric=metric,
            convention=f"minus the largest probability, {out_of_distribution.convention}",
        )
        for column, metric in enumerate(METRICS)
    ]


def _gain(one: Row, other: Row) -> Row:
    """Return how far the AUPR of the second network of a pair exceeds that of the first."""
    apart = difference(_estimate(other), _estimate(one))
    return Row.of(
        apart,
        item="nae-fig11",
        dataset=other.dataset,
        model=other.model,
        metric="gain",
        convention=other.convention,
    )


def _estimate(row: Row) -> Estimate:
    assert row.n is not None
    assert row.n_full is not None
    return Estimate(value=row.value, n=row.n, n_full=row.n_full, draws=row.draws)


def _accuracy(in_distribution: MaskedPredictions, network: str) -> Row:
    by_seed = in_distribution.predictions[network]
    return Row.of(
        Estimate.of_rate([one.correct for one in by_seed], images=by_seed[0].sample),
        item="nae-fig3",
        dataset=in_distribution.dataset,
        model=network,
        metric="accuracy",
        convention=in_distribution.convention,
    )


def _by_seed(
    in_distribution: MaskedPredictions, out_of_distribution: MaskedPredictions, network: str
) -> Iterator[tuple[Predictions, Predictions]]:
    """Yield a network's predictions on both sides, seed by seed."""
    sides = (one.predictions[network] for one in (in_distribution, out_of_distribution))
    yield from zip(*sides, strict=True)


def _rates(
    inliers: Float[np.ndarray, " inliers"], outliers: Float[np.ndarray, " outliers"]
) -> Rates:
    return (
        anomaly.aupr(inliers, outliers),
        anomaly.auroc(inliers, outliers),
        anomaly.fpr_at_recall(inliers, outliers),
    )


def _logits(predictions: Predictions) -> Logits:
    assert predictions.logits is not None
    return predictions.logits


def _images(masked: MaskedPredictions) -> int:
    return len(next(iter(masked.predictions.values()))[0].ids)
