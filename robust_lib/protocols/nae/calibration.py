"""Calibration on ImageNet-A: whether networks know when they are wrong, as rows [nae, app. D]."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics import calibration
from robust_lib.metrics.calibration import Reliability
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.nae.networks import ATTENTION, SIZES, present
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.types import Correct, Scores

Curve = tuple[Float[np.ndarray, " rates"], Float[np.ndarray, " rates"]]
ANSWERED = (10, 50, 100)  # percent, named in the tables
BIN = 100  # images; two bins at least, since the authors leave out the last one


@dataclass(frozen=True)
class Statistic:
    """A number of confidences and answers, and how its interval is made.

    Attributes:
        metric: its name in the rows.
        key: names it in the key of its bootstrap.
        words: its convention.
        value: takes confidences and which answers are right.
        interval: takes these, too, `rng` and `samples`.
    """

    metric: str
    key: str
    words: str
    value: Callable[[Scores, Correct], float]
    interval: Callable[..., tuple[float, float]]


def _error(metric: str, variant: calibration.Variant, words: str) -> Statistic:
    return Statistic(
        metric,
        "rms_calibration_error",
        words,
        partial(calibration.rms_calibration_error, variant=variant),
        partial(calibration.rms_calibration_error_interval, variant=variant),
    )


ERRORS = (
    _error("rms_calibration_error", "authors", "bins of 100, the last left out"),
    _error("rms_calibration_error_all_bins", "all-bins", "bins of 100, all counted"),
)
AURRA = Statistic(
    "aurra", "aurra", "largest probability", calibration.aurra, calibration.aurra_interval
)


def results(hard: MaskedPredictions, names: Mapping[str, str], *, samples: int = 1000) -> Results:
    """Return calibration errors, AURRA and the accuracy at some response rates, as rows.

    Calibration errors and AURRA have bootstrap intervals, accuracies at a response rate none with
    one seed. Of less than 200 images there is no calibration error.

    Args:
        hard: what networks said of ImageNet-A.
        names: the paper's name of a network -> ours.
        samples: bootstrap resamples.
    """
    shown = {"nae-fig14": ATTENTION, "nae-fig15": SIZES}
    rows = [
        row
        for item, pairs in shown.items()
        for pair in present(pairs, names, hard.predictions)
        for model in pair
        for row in _errors(item, hard, model, samples)
    ]
    for model in dict.fromkeys(
        one for pair in present(ATTENTION[:1], names, hard.predictions) for one in pair
    ):
        rows += [_response(hard, model, percent) for percent in ANSWERED]
    return Results.of(rows)


def curves(masked: MaskedPredictions, models: Sequence[str]) -> dict[str, Curve]:
    """Return network -> shares answered and accuracy on them, fractions; means over seeds."""
    rates = np.arange(1, 101) / 100
    return {
        model: (
            rates,
            np.mean([_answered(run, rates) for run in masked.predictions[model]], axis=0),
        )
        for model in models
    }


def diagrams(masked: MaskedPredictions, models: Sequence[str]) -> dict[str, Reliability]:
    """Return network -> how right its first seed is at each confidence."""
    first = {model: masked.predictions[model][0] for model in models}
    return {
        name: calibration.reliability(run.confidence, run.correct) for name, run in first.items()
    }


def with_attention(masked: MaskedPredictions, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the first pair, without and with attention; any one network if it is lacking."""
    found = present(ATTENTION[:1], names, masked.predictions)
    return found[0] if found else tuple(masked.predictions)[:1]


def key_numbers(results: Results, shown: Sequence[str]) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `results`.
        shown: of `with_attention`; the prose speaks of the first.
    """
    wanted = {
        "error": "rms_calibration_error",
        "error_all": "rms_calibration_error_all_bins",
        "aurra": "aurra",
        "at_ten": "response_rate_accuracy",
    }
    found = {
        key: results.select(model=shown[0], metric=metric).rows for key, metric in wanted.items()
    }
    return {
        key: percent(rows[0] if rows else None, missing="an undefined share")
        for key, rows in found.items()
    }


def _errors(item: str, masked: MaskedPredictions, model: str, samples: int) -> list[Row]:
    """Return both calibration errors and AURRA of a network."""
    enough = len(masked.predictions[model][0].ids) >= 2 * BIN
    wanted = (*ERRORS, AURRA) if enough else (AURRA,)
    return [_row(item, masked, model, statistic, samples) for statistic in wanted]


def _row(
    item: str, masked: MaskedPredictions, model: str, statistic: Statistic, samples: int
) -> Row:
    first, runs = masked.predictions[model][0], masked.predictions[model]

    def interval() -> tuple[float, float]:
        rng = seeds.generator(statistic.key, masked.dataset, model)
        return statistic.interval(first.confidence, first.correct, rng=rng, samples=samples)

    return Row.of(
        Estimate.over(
            [statistic.value(run.confidence, run.correct) for run in runs],
            interval,
            n=len(first.ids),
        ),
        item=item,
        dataset=masked.dataset,
        model=model,
        metric=statistic.metric,
        convention=f"{statistic.words}; {masked.convention}",
    )


def _response(masked: MaskedPredictions, model: str, percent: int) -> Row:
    runs, rates = masked.predictions[model], np.array([percent / 100])
    return Row.of(
        Estimate.over([float(_answered(run, rates)[0]) for run in runs], n=len(runs[0].ids)),
        item="nae-fig13",
        dataset=masked.dataset,
        model=model,
        k=percent,
        metric="response_rate_accuracy",
        convention=masked.convention,
    )


def _answered(run: Predictions, rates: Float[np.ndarray, " rates"]) -> Float[np.ndarray, " rates"]:
    return calibration.response_rate_accuracy(run.confidence, run.correct, rates)
