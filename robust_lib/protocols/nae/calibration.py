"""Calibration on ImageNet-A: whether networks know when they are wrong, as rows [nae, app. D]."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics import calibration
from robust_lib.metrics.calibration import Reliability
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.accuracies import around
from robust_lib.protocols.nae.networks import ATTENTION, SIZES, present
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results

Row = dict[str, Any]
Curve = tuple[Float[np.ndarray, " rates"], Float[np.ndarray, " rates"]]
ANSWERED = (10, 50, 100)  # percent, named in the tables
BIN = 100  # images; two bins at least, since the authors leave out the last one
VARIANTS: Mapping[calibration.Variant, str] = MappingProxyType(
    {"authors": "bins of 100, the last left out", "all-bins": "bins of 100, all counted"}
)


def results(hard: MaskedPredictions, names: Mapping[str, str], *, samples: int = 1000) -> Results:
    """Return calibration errors, AURRA and the accuracy at some response rates, as rows.

    With one seed the intervals are 95 % bootstrap ones over images; with several they go from the
    smallest to the largest seed. Of less than 200 images there is no calibration error.

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


def curves(asked: MaskedPredictions, models: Sequence[str]) -> dict[str, Curve]:
    """Return network -> shares answered and accuracy on them, fractions; means over seeds."""
    rates = np.arange(1, 101) / 100
    return {
        model: (rates, np.mean([_answered(run, rates) for run in asked.predictions[model]], axis=0))
        for model in models
    }


def diagrams(asked: MaskedPredictions, models: Sequence[str]) -> dict[str, Reliability]:
    """Return network -> how right its first seed is at each confidence."""
    first = {model: asked.predictions[model][0] for model in models}
    return {
        name: calibration.reliability(run.confidence, run.correct) for name, run in first.items()
    }


def with_attention(asked: MaskedPredictions, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the first pair, without and with attention; any one network if it is lacking."""
    found = present(ATTENTION[:1], names, asked.predictions)
    return found[0] if found else tuple(asked.predictions)[:1]


def key_numbers(results: Results, shown: Sequence[str]) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `results`.
        shown: of `with_attention`; the prose speaks of the first.
    """
    rows = [row for row in results.rows if row.model == shown[0]]
    wanted = {
        "error": ("rms_calibration_error", VARIANTS["authors"]),
        "error_all": ("rms_calibration_error", VARIANTS["all-bins"]),
        "aurra": ("aurra", ""),
        "at_ten": ("response_rate_accuracy", ""),
    }
    found: dict[str, KeyNumber] = {}
    for key, (metric, words) in wanted.items():
        own = [r for r in rows if r.metric == metric and str(r.convention).startswith(words)]
        found[key] = percent(own[0] if own else None, missing="an undefined share")
    return found


def _errors(item: str, asked: MaskedPredictions, model: str, samples: int) -> list[Row]:
    """Return both calibration errors and AURRA of a network."""
    rows = [
        _row(
            item,
            asked,
            model,
            "rms_calibration_error",
            partial(calibration.rms_calibration_error, variant=variant),
            partial(calibration.rms_calibration_error_interval, variant=variant),
            samples,
            words,
        )
        for variant, words in VARIANTS.items()
        if len(asked.predictions[model][0].ids) >= 2 * BIN
    ]
    aurra = (calibration.aurra, calibration.aurra_interval, samples, "largest probability")
    return [*rows, _row(item, asked, model, "aurra", *aurra)]


def _row(
    item: str,
    asked: MaskedPredictions,
    model: str,
    metric: str,
    statistic: Callable[..., float],
    interval: Callable[..., tuple[float, float]],
    samples: int,
    words: str,
) -> Row:
    runs = asked.predictions[model]
    each = [statistic(run.confidence, run.correct) for run in runs]
    ends = (min(each), max(each))
    if len(runs) == 1:
        rng = seeds.generator(metric, asked.dataset, model)
        ends = interval(runs[0].confidence, runs[0].correct, rng=rng, samples=samples)
    return {
        "item": item,
        "dataset": asked.dataset,
        "model": model,
        "metric": metric,
        "convention": f"{words}; {asked.convention}",
        **around(float(np.mean(each)), ends),
        **_counts(runs),
    }


def _response(asked: MaskedPredictions, model: str, percent: int) -> Row:
    rates = np.array([percent / 100])
    each = [float(_answered(run, rates)[0]) for run in asked.predictions[model]]
    value = float(np.mean(each))
    ends = {} if len(each) == 1 else around(value, (min(each), max(each)))
    return {
        "item": "nae-fig13",
        "dataset": asked.dataset,
        "model": model,
        "k": percent,
        "metric": "response_rate_accuracy",
        "convention": asked.convention,
        "value": value,
        **ends,
        **_counts(asked.predictions[model]),
    }


def _answered(run: Predictions, rates: Float[np.ndarray, " rates"]) -> Float[np.ndarray, " rates"]:
    return calibration.response_rate_accuracy(run.confidence, run.correct, rates)


def _counts(runs: Sequence[Predictions]) -> dict[str, int]:
    return {"n": len(runs[0].ids), "n_full": len(runs[0].ids)}
