"""Calibration on ImageNet-A as rows [nae, app. D]."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float, Int

from robust_lib import seeds
from robust_lib.metrics import calibration
from robust_lib.metrics.anomaly import auroc
from robust_lib.metrics.calibration import Reliability
from robust_lib.metrics.intervals import bootstrap_draws, percentiles
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.nae.networks import ATTENTION, SIZES, Pair, alone, present
from robust_lib.results.estimate import Draws, Ends, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.types import Correct, Scores

ANSWERED = (10, 50, 100)  # percent, named in the tables
CURVE = range(1, 101)  # percent, of the curve
BIN = 100  # images; two bins at least, since the authors leave out the last one


@dataclass(frozen=True)
class Statistic:
    """A statistic of confidence and correctness, with its interval.

    Attributes:
        key: part of the key of its bootstrap.
        value: function of the confidences and of which predictions are correct.
        interval: function of the same, and of `rng` and `samples`.
    """

    metric: str
    key: str
    convention: str
    value: Callable[[Scores, Correct], float]
    interval: Callable[..., tuple[float, float]]


def _error(metric: str, variant: calibration.Variant, convention: str) -> Statistic:
    return Statistic(
        metric,
        "rms_calibration_error",
        convention,
        partial(calibration.rms_calibration_error, variant=variant),
        partial(calibration.rms_calibration_error_interval, variant=variant),
    )


ERRORS = (
    _error("rms_calibration_error", "authors", "bins of 100 images, the last omitted"),
    _error("rms_calibration_error_all_bins", "all-bins", "bins of 100 images, all counted"),
)
AURRA = Statistic(
    "aurra", "aurra", "largest probability", calibration.aurra, calibration.aurra_interval
)


def results(
    imagenet_a: MaskedPredictions, names: Mapping[str, str], *, samples: int = 1000
) -> Results:
    """Return calibration errors, AURRA and the accuracy at some response rates, as rows.

    Each item has the networks of its pairs, and all networks that the paper compares with no other.
    Calibration errors and AURRA have bootstrap intervals; accuracies at a response rate have those
    of the images that count. With fewer than 200 images there is no calibration error.

    >>> network = (Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy"),)
    >>> masked = MaskedPredictions("toy", 2, 2, {"small": network, "large": network}, {})
    >>> rows = results(masked, {"dpn68": "small", "dpn98": "large"}, samples=10).rows
    >>> [(row.model, row.metric, row.value) for row in rows]
    [('small', 'aurra', 0.75), ('large', 'aurra', 0.75), ('large', 'aurra_change', 0.0)]
    """
    known = imagenet_a.predictions
    rows = [
        row
        for item, pairs in {"nae-fig14": ATTENTION, "nae-fig15": SIZES}.items()
        for network in shown(pairs, names, known)
        for row in _errors(item, imagenet_a, network, samples)
    ]
    for item, pairs in {"nae-fig14": ATTENTION, "nae-fig15": SIZES}.items():
        for pair in present(pairs, names, known):
            rows += _changes(item, imagenet_a, pair, samples)
    for network in shown(ATTENTION[:1], names, known):
        rows += [_response(imagenet_a, network, percent) for percent in CURVE]
    return Results.of(rows)


def shown(
    pairs: Sequence[Pair], names: Mapping[str, str], known: Collection[str]
) -> tuple[str, ...]:
    """Return the networks of the complete pairs, and those in no pair.

    >>> shown(ATTENTION[:1], {"dpn68": "a", "dpn98": "b"}, ["a", "b", "mine"])
    ('mine',)
    """
    paired = [one for pair in present(pairs, names, known) for one in pair]
    return tuple(dict.fromkeys([*paired, *alone(names, known)]))


def of_network(masked: MaskedPredictions, network: str, *, samples: int = 1000) -> Results:
    """Return the calibration errors and the AURRA of one network, with intervals, as rows.

    >>> first = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> toy = MaskedPredictions("toy", 2, 2, {"mine": (first,)}, {})
    >>> [(row.metric, row.value) for row in of_network(toy, "mine", samples=10).rows]
    [('aurra', 0.75)]
    """
    return Results.of(_errors("nae-fig14", masked, network, samples))


def diagrams(masked: MaskedPredictions, networks: Sequence[str]) -> dict[str, Reliability]:
    """Return network -> the reliability diagram of its first seed.

    >>> first = Predictions.from_logits(np.array([[2, 0], [2, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> masked = MaskedPredictions("toy", 2, 2, {"mine": (first,)}, {})
    >>> float(np.nanmean(diagrams(masked, ["mine"])["mine"].accuracy))
    0.5
    """
    first = {network: masked.predictions[network][0] for network in networks}
    return {
        network: calibration.reliability(one.confidence, one.correct)
        for network, one in first.items()
    }


def _errors(item: str, masked: MaskedPredictions, network: str, samples: int) -> list[Row]:
    """Return both calibration errors and AURRA of a network."""
    enough = len(masked.predictions[network][0].ids) >= 2 * BIN
    wanted = (*ERRORS, AURRA) if enough else (AURRA,)
    return [_row(item, masked, network, statistic, samples) for statistic in wanted]


def _changes(item: str, masked: MaskedPredictions, pair: Pair, samples: int) -> list[Row]:
    """Return by how much the authors' calibration error and AURRA change from one to the other.

    Both networks see the same resamples, which add as much to either calibration error.
    """
    one, other = (masked.predictions[network] for network in pair)
    enough = len(one[0].ids) >= 2 * BIN
    return [
        Row.of(
            _change(one, other, statistic, samples),
            item=item,
            dataset=masked.dataset,
            model=pair[1],
            metric=f"{statistic.metric}_change",
            convention=f"{statistic.convention}; {masked.convention}",
        )
        for statistic in ((ERRORS[0], AURRA) if enough else (AURRA,))
    ]


def _change(
    one: Sequence[Predictions], other: Sequence[Predictions], statistic: Statistic, samples: int
) -> Estimate:
    first, second = one[0], other[0]
    by_seed = [
        np.array([statistic.value(said.confidence, said.correct) for said in several])
        for several in (one, other)
    ]

    def of_resample(chosen: Int[np.ndarray, " images"]) -> float:
        before, after = (
            statistic.value(said.confidence[chosen], said.correct[chosen])
            for said in (first, second)
        )
        return after - before

    def ends() -> Ends:
        rng = seeds.generator(statistic.key, "of a pair", first.dataset)
        draws = bootstrap_draws(
            of_resample, len(first.ids), rng=rng, samples=samples, together=first.together
        )
        return percentiles(draws)

    paired = len(one) == len(other)
    # Whole groups that are drawn may leave fewer images than the two bins of a calibration error.
    short = statistic is not AURRA and first.together is not None and len(first.ids) < 3 * BIN
    values = by_seed[1] - by_seed[0] if paired else [by_seed[1].mean() - by_seed[0].mean()]
    return Estimate.over(values, ends if paired and not short else None, n=len(first.ids))


def _row(
    item: str, masked: MaskedPredictions, network: str, statistic: Statistic, samples: int
) -> Row:
    by_seed = masked.predictions[network]
    first = by_seed[0]

    def interval() -> tuple[float, float]:
        rng = seeds.generator(statistic.key, masked.dataset, network)
        return statistic.interval(
            first.confidence, first.correct, rng=rng, samples=samples, together=first.together
        )

    return Row.of(
        Estimate.over(
            [statistic.value(one.confidence, one.correct) for one in by_seed],
            interval,
            n=len(first.ids),
        ),
        item=item,
        dataset=masked.dataset,
        model=network,
        metric=statistic.metric,
        convention=f"{statistic.convention}; {masked.convention}",
    )


def _response(masked: MaskedPredictions, network: str, percent: int) -> Row:
    by_seed, rates = masked.predictions[network], np.array([percent / 100])
    images = len(by_seed[0].ids)
    answered = -(-images * percent // 100)
    return Row.of(
        Estimate.over(
            [float(_accuracy(one, rates)[0]) for one in by_seed],
            lambda: _ends(surest(by_seed[:1], answered)),
            n=images,
        ),
        item="nae-fig13",
        dataset=masked.dataset,
        model=network,
        k=percent,
        metric="response_rate_accuracy",
        convention=masked.convention,
    )


def surest(by_seed: Sequence[Predictions], number: int, *, least: bool = False) -> Estimate:
    """Return the accuracy on a given number of a network's most confident predictions.

    With one seed, the interval is over these images; correlated ones are drawn together.

    Args:
        least: whether to use the least confident images instead.

    >>> one = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> surest([one], 1).value, surest([one], 1, least=True).value
    (1.0, 0.0)
    """
    first = by_seed[0]
    places = [
        one.by_confidence[-number:] if least else one.by_confidence[:number] for one in by_seed
    ]
    chosen = np.sort(places[0])
    whole = len(chosen) == len(first.ids)
    part = first.sample.part(
        f"{first.dataset}, {number} {'least ' if least else ''}sure", chosen.tolist()
    )
    if len(by_seed) == 1:
        return Estimate.of_rate([first.correct[chosen]], images=first.sample if whole else part)
    pairs = zip(by_seed, places, strict=True)
    return Estimate.of_rate([one.correct[order] for one, order in pairs])


def _ends(found: Estimate) -> Ends | None:
    return None if found.low is None or found.high is None else (found.low, found.high)


def told_apart(masked: MaskedPredictions, network: str, *, samples: int = 1000) -> Estimate | None:
    """Return the AUROC of confidence: how often a correct prediction has the higher one.

    It depends on the order of confidences alone, not on how many predictions are correct. None if
    all predictions are correct, or none is.

    >>> one = Predictions.from_logits(np.array([[2, 0], [1, 0]], np.float32), ids=("a", "b"),
    ...     labels=np.array([0, 1]), model="mine", dataset="toy")
    >>> told_apart(MaskedPredictions("toy", 2, 2, {"mine": (one,)}, {}), "mine", samples=9).value
    1.0
    """
    by_seed = masked.predictions[network]
    if any(one.correct.all() or not one.correct.any() for one in by_seed):
        return None
    first = by_seed[0]

    def drawn() -> Float[np.ndarray, " draws"]:
        return bootstrap_draws(
            lambda chosen: _told_apart(first.confidence[chosen], first.correct[chosen]),
            len(first.ids),
            rng=seeds.generator("told apart", masked.dataset),
            samples=samples,
            together=first.together,
        )

    draws = Draws(masked.dataset, drawn)
    return Estimate.over(
        [_told_apart(one.confidence, one.correct) for one in by_seed],
        lambda: ends_of(draws),
        n=len(first.ids),
        draws=draws,
    )


def _told_apart(confidence: Scores, correct: Correct) -> float:
    if correct.all() or not correct.any():
        return float("nan")
    return auroc(confidence[~correct], confidence[correct])


def _accuracy(
    predictions: Predictions, rates: Float[np.ndarray, " rates"]
) -> Float[np.ndarray, " rates"]:
    return calibration.response_rate_accuracy(predictions.confidence, predictions.correct, rates)
