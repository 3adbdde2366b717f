"""The ImageNet-C protocol: corruption errors of a grid of predictions, as rows.

The definitions are those of [inc, sec. 3.2].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import bootstrap_rates, clopper_pearson
from robust_lib.predictions import Predictions
from robust_lib.printed import alexnet_errors
from robust_lib.protocols.grid import CellSet, Grid, Models, evaluate, wrong_share
from robust_lib.results import Results
from robust_lib.rows import Row
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
    clean = _wrong(grid.clean[model])
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


def headline(results: Results, grid: Grid) -> dict[str, dict[str, object]]:
    """Return the few numbers that the prose of a chapter names, ready for the `{result}` role.

    The best model is the one with the smallest clean error; the baseline is the first model. A
    number that this run does not have is there in words.
    """
    clean = {str(r.model): r for r in results.select(metric="error", corruption=None).rows}
    best = min(clean, key=lambda name: clean[name].value)
    numbers: dict[str, dict[str, object]] = {
        "best_model": {
            "text": best,
            "value": best,
            "convention": "smallest clean error",
            "n": None,
        },
        "best_accuracy": _accuracy(clean[best], grid),
        "baseline_accuracy": _accuracy(clean[grid.models[0]], grid),
    }
    wanted = {
        "best_mce": ("mce", best),
        "best_relative_mce": ("relative_mce", best),
        "corruption_error": ("ce", grid.models[-1]),
    }
    for key, (metric, model) in wanted.items():
        rows = results.select(metric=metric, model=model).rows
        numbers[key] = _told(rows[0], grid) if rows else _UNDEFINED
    return numbers


_UNDEFINED: dict[str, object] = {
    "text": "not defined",
    "value": None,
    "convention": "a corruption is missing, or leaves the baseline as it was",
    "n": None,
}


def _accuracy(row: Row, grid: Grid) -> dict[str, object]:
    low, high = (None if end is None else 1 - end for end in (row.high, row.low))
    return _told(replace(row, metric="accuracy", value=1 - row.value, low=low, high=high), grid)


def _told(row: Row, grid: Grid) -> dict[str, object]:
    several = len(grid.clean[str(row.model)]) > 1
    interval = "least and greatest of the seeds" if several else "95 % interval"
    ends = f"[{100 * (row.low or 0):.1f}, {100 * (row.high or 0):.1f}] %"
    what = f"{row.metric.replace('_', ' ')} of {row.model} on {row.dataset}"
    return {
        "text": f"{100 * row.value:.1f} %",
        "value": row.value,
        "convention": f"{what}; {interval} {ends}; {row.convention or 'clean images'}",
        "n": row.n,
    }


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
            if len(made) > 1:
                low, high = min(values), max(values)
            else:
                rng = seeds.generator(seed, model, metric, str(name), "bootstrap")
                low, high = made[0].interval(over, relative, rng, samples)
            row = _row(
                grid,
                item,
                model,
                metric,
                **_around(float(np.mean(values)), low, high),
            )
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
    ) -> tuple[float, float]:
        base = self.normaliser
        joint = base.wrong is not None and base.wrong_clean is not None
        fixed = np.stack([base.errors[name] for name in over]).sum(1)

        def sums(
            rates: Float[np.ndarray, "samples cells"],
        ) -> Float[np.ndarray, "samples corruptions"]:
            cells = rates[:, 1:].reshape(len(rates), len(over), -1)
            taken: Float[np.ndarray, "samples corruptions"] = cells.sum(2) - (
                cells.shape[2] * rates[:, :1] if relative else 0
            )
            return taken

        def ratio(rates: Float[np.ndarray, "samples cells"]) -> Float[np.ndarray, " samples"]:
            if joint:
                above, below = (sums(half) for half in np.split(rates, 2, axis=1))
            else:
                severities = (rates.shape[1] - 1) // len(over)
                above = sums(rates)
                below = fixed - (severities * base.clean if relative else 0)
            mean: Float[np.ndarray, " samples"] = (above / below).mean(1)
            return mean

        values = [self.clean[None], *(self.wrong[name] for name in over)]
        if base.wrong is not None and base.wrong_clean is not None:
            values += [base.wrong_clean[None], *(base.wrong[name] for name in over)]
        return bootstrap_rates(ratio, np.concatenate(values), rng=rng, samples=samples)


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


def _with_interval(runs: Sequence[Predictions]) -> dict[str, float]:
    each = [float((~run.correct).mean()) for run in runs]
    if len(runs) > 1:
        return _around(float(np.mean(each)), min(each), max(each))
    wrong = ~runs[0].correct
    return _around(each[0], *clopper_pearson(int(wrong.sum()), len(wrong)))


def _around(value: float, low: float, high: float) -> dict[str, float]:
    # Rounding can leave the mean of equal seeds outside them by a hair, and so can a percentile
    # interval its own point when errors saturate.
    return {"value": value, "low": min(low, value), "high": max(high, value)}
