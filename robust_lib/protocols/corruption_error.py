"""The ImageNet-C protocol: corruption errors of a grid of predictions, as rows.

The definitions are those of [inc, sec. 3.2].
"""

from collections.abc import Sequence

from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.normaliser import Normaliser
from robust_lib.protocols.ratios import Cells, around, ratio
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, OCCLUSION


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
    """Return CE and relative CE of each corruption, and their means if all fifteen have one.

    Border and obstruction, which [overlap, sec. 4.3] adds, have a CE and count in no mean.
    """
    common = [name for name in grid.corruptions if name in COMMON]
    added = [name for name in grid.corruptions if name in OCCLUSION]
    made = [Cells.of(run, model, [*common, *added], normaliser) for run in grid.runs(model)]
    rows: list[dict[str, object]] = []
    for relative, item in ((False, "inc-tab1"), (True, "inc-tab2")):
        prefix = "relative_" if relative else ""
        names = common if relative else [*common, *added]
        divisible = [name for name in names if normaliser.divides(name, relative=relative)]
        whole = set(divisible) >= set(COMMON)
        for name in [*divisible, *([None] if whole else [])]:
            over = common if name is None else [name]
            metric = f"{prefix}{'mce' if name is None else 'ce'}"
            key = (seed, model, metric, str(name))
            numbers = ratio(made, over, relative=relative, samples=samples, key=key)
            row = _row(grid, item, model, metric, **numbers)
            words = f"{grid.storage}, divided by {normaliser.words}"
            row |= {"corruption": name, "convention": words}
            rows.append(row | (_occluded(grid) if name in added else {}))
    return rows


def _occluded(grid: Grid) -> dict[str, object]:
    """Return what is different about the rows of border and obstruction: see [overlap, table 1]."""
    return {"item": "overlap-tab1", "dataset": grid.dataset}


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
        return around(sum(each) / len(each), min(each), max(each))
    wrong = ~runs[0].correct
    return around(each[0], *clopper_pearson(int(wrong.sum()), len(wrong)))
