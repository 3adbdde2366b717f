"""The ImageNet-C protocol: corruption errors of a grid of predictions, as rows.

The definitions are those of [inc, sec. 3.2].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import bootstrap_rates, clopper_pearson
from robust_lib.predictions import Predictions
from robust_lib.printed import alexnet_errors
from robust_lib.protocols.grid import CellSet, Grid, Models, evaluate, wrong_share
from robust_lib.protocols.headline import headline
from robust_lib.results import Results
from robust_lib.vocabulary import COMMON, SEVERITIES

__all__ = [
    "CellSet",
    "Grid",
    "Models",
    "Normaliser",
    "evaluate",
    "headline",
    "measured",
    "published",
    "results",
]

TAIL = 0.025  # share of resamples that a 95 % interval leaves above it


@dataclass(frozen=True)
class Normaliser:
    """The errors that corruption errors are divided by, and where they come from in words.

    Attributes:
        errors: by corruption; clean: without one.
        words: where they come from.
        wrong: by corruption, for each image, if they were measured on the evaluated images; a
            resample of images then resamples the normaliser, too. `wrong_clean` likewise.
    """

    errors: Mapping[str, Float[np.ndarray, " severities"]]
    clean: float
    words: str
    wrong: Mapping[str, Float[np.ndarray, "severities images"]] | None = None
    wrong_clean: Float[np.ndarray, " images"] | None = None

    def divides(self, corruption: str, *, relative: bool) -> bool:
        """Return whether it errs under a corruption, or more than on clean images if `relative`."""
        return bool((self.errors[corruption] - (self.clean if relative else 0)).sum() > 0)


def measured(grid: Grid, model: str) -> Normaliser:
    """Return the normaliser that a model's own errors in a grid give.

    Raises:
        InputError: the model is not in the grid.
    """
    if model not in grid.models:
        raise InputError(
            f"Expected the normaliser {model} among the evaluated models, but those are "
            f"{', '.join(grid.models)}. Add it to the models."
        )
    wrong = {name: grid.wrong(model, name) for name in grid.corruptions}
    clean = wrong_share(grid.clean[model])
    return Normaliser(
        {name: cells.mean(1) for name, cells in wrong.items()},
        float(clean.mean()),
        f"{model}, measured on the same images",
        wrong,
        clean,
    )


def published(severities: Sequence[int] = SEVERITIES) -> Normaliser:
    """Return AlexNet's published errors on ImageNet-C [inc, app. C and the authors' table].

    >>> round(published().clean, 3)
    0.435
    """
    table = alexnet_errors()
    places = [severity - 1 for severity in severities]
    errors = {name: row[places] for name, row in table.items() if name != "clean"}
    return Normaliser(errors, float(table["clean"][0]), "AlexNet's published errors on ImageNet-C")


def results(grid: Grid, normaliser: Normaliser, *, samples: int = 1000, seed: int = 0) -> Results:
    """Return the grid's errors as rows: clean, by severity, CE, mCE, and the relative ones.

    Intervals are over images with one seed (exact for errors, bootstrap for the others; a measured
    normaliser is resampled with the same images), and from the smallest to the largest seed with
    several. A corruption that the normaliser never errs on has no CE, one that does not make it
    worse no relative CE; the means are there only if all fifteen are.

    Args:
        grid: the predictions.
        normaliser: what errors are divided by.
        samples: bootstrap resamples.
        seed: of the bootstrap.
    """
    rows: list[dict[str, object]] = []
    for model in grid.models:
        rows += _error_rows(grid, model)
        rows += _ratio_rows(grid, model, normaliser, samples, seed)
    return Results.of(rows)


def _error_rows(grid: Grid, model: str) -> list[dict[str, object]]:
    clean = _with_interval(grid.clean[model])
    rows: list[dict[str, object]] = [
        _row(grid, "inc-tab1", model, "error", **clean)
        | {"dataset": grid.dataset, "convention": None}
    ]
    for name in grid.corruptions:
        for severity in grid.severities:
            cell = _with_interval(grid.cells[model, name, severity])
            rows.append(
                _row(grid, "inc-tab1", model, "error", **cell)
                | {"corruption": name, "severity": severity}
            )
        mean = float(grid.errors(model, name).mean())
        rows.append(
            _row(grid, "inc-alexnet", model, "mean_error", value=mean) | {"corruption": name}
        )
    return rows


def _ratio_rows(
    grid: Grid, model: str, normaliser: Normaliser, samples: int, seed: int
) -> list[dict[str, object]]:
    """Return CE and relative CE of each corruption, and their means if all fifteen have one."""
    common = [name for name in grid.corruptions if name in COMMON]
    made = [_Cells.of(run, model, common, normaliser) for run in grid.runs(model)]
    rows: list[dict[str, object]] = []
    for relative, item in ((False, "inc-tab1"), (True, "inc-tab2")):
        prefix = "relative_" if relative else ""
        divisible = [name for name in common if normaliser.divides(name, relative=relative)]
        whole = len(divisible) == len(COMMON)
        for name in [*divisible, *([None] if whole else [])]:
            over = common if name is None else [name]
            metric = f"{prefix}{'mce' if name is None else 'ce'}"
            values = [cells.value(over, relative) for cells in made]
            ends: tuple[float, float] | None = (min(values), max(values))
            if len(made) == 1:
                rng = seeds.generator(seed, model, metric, str(name), "bootstrap")
                ends = made[0].interval(over, relative, rng, samples)
            value = float(np.mean(values))
            row = _row(grid, item, model, metric, **_around(value, *(ends or (None, None))))
            words = f"{grid.storage}, divided by {normaliser.words}"
            rows.append(row | {"corruption": name, "convention": words})
    return rows


@dataclass(frozen=True)
class _Cells:
    """One model's errors on every image, ready for ratios: row 0 is clean, then severities."""

    wrong: Mapping[str, Float[np.ndarray, "severities images"]]
    clean: Float[np.ndarray, " images"]
    normaliser: Normaliser

    @classmethod
    def of(cls, grid: Grid, model: str, names: Sequence[str], normaliser: Normaliser) -> "_Cells":
        wrong = {name: grid.wrong(model, name) for name in names}
        return cls(wrong, wrong_share(grid.clean[model]), normaliser)

    def value(self, over: Sequence[str], relative: bool) -> float:
        errors = {name: self.wrong[name].mean(1) for name in over}
        base = {name: self.normaliser.errors[name] for name in over}
        if relative:
            return ce.relative_mean_corruption_error(
                errors, float(self.clean.mean()), base, self.normaliser.clean, over=over
            )
        return ce.mean_corruption_error(errors, base, over=over)

    def interval(
        self, over: Sequence[str], relative: bool, rng: np.random.Generator, samples: int
    ) -> tuple[float, float] | None:
        """Return the bootstrap interval, or None if it has no upper end.

        It has none if more resamples than it leaves above it take the baseline's errors away.
        """
        values = _stacked(self.clean, self.wrong, over)
        base = self.normaliser
        if base.wrong is not None and base.wrong_clean is not None:
            values = np.concatenate([values, _stacked(base.wrong_clean, base.wrong, over)])
        lost: list[float] = []

        def ratio(rates: Float[np.ndarray, "samples cells"]) -> Float[np.ndarray, " draws"]:
            above = _summed(rates[:, : 1 + self._cells(over)], len(over), relative)
            if len(values) > 1 + self._cells(over):
                below = _summed(rates[:, 1 + self._cells(over) :], len(over), relative)
            else:
                fixed = np.concatenate([[base.clean], *(base.errors[name] for name in over)])
                below = np.broadcast_to(_summed(fixed[None], len(over), relative), above.shape)
            defined = (below > 0).all(1)
            lost.append(1 - float(defined.mean()))
            draws: Float[np.ndarray, " draws"] = (above[defined] / below[defined]).mean(1)
            return draws if len(draws) else np.zeros(1)

        ends = bootstrap_rates(ratio, values, rng=rng, samples=samples)
        return ends if max(lost) <= TAIL else None

    def _cells(self, over: Sequence[str]) -> int:
        return sum(len(self.wrong[name]) for name in over)


def _stacked(
    clean: Float[np.ndarray, " images"],
    wrong: Mapping[str, Float[np.ndarray, "severities images"]],
    over: Sequence[str],
) -> Float[np.ndarray, "cells images"]:
    return np.concatenate([clean[None], *(wrong[name] for name in over)])


def _summed(
    rates: Float[np.ndarray, "samples cells"], corruptions: int, relative: bool
) -> Float[np.ndarray, "samples corruptions"]:
    """Return errors summed over severities, less the clean error at each if `relative`."""
    cells = rates[:, 1:].reshape(len(rates), corruptions, -1)
    return np.asarray((cells - (rates[:, :1, None] if relative else 0)).sum(2))


def _row(grid: Grid, item: str, model: str, metric: str, **numbers: object) -> dict[str, object]:
    return {
        "item": item,
        "dataset": grid.corrupted,
        "model": model,
        "metric": metric,
        "convention": grid.storage,
        "n": grid.images,
        "n_full": grid.n_full,
        **numbers,
    }


def _with_interval(runs: Sequence[Predictions]) -> dict[str, float | None]:
    each = [float((~run.correct).mean()) for run in runs]
    if len(runs) > 1:
        return _around(float(np.mean(each)), min(each), max(each))
    wrong = ~runs[0].correct
    return _around(each[0], *clopper_pearson(int(wrong.sum()), len(wrong)))


def _around(value: float, low: float | None, high: float | None) -> dict[str, float | None]:
    if low is None or high is None:
        return {"value": value, "low": None, "high": None}
    # Rounding can leave the mean of equal seeds outside them by a hair, and so can a percentile
    # interval its own point when errors saturate.
    return {"value": value, "low": min(low, value), "high": max(high, value)}
