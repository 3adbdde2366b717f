"""The ImageNet-C protocol: corruption errors of a grid of predictions, as rows.

The definitions are those of [inc, sec. 3.2].
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib.metrics.intervals import shared_rates
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.corruption_error.ratio import ImageErrors, mean_ratio
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, OCCLUSION


def results(grid: Grid, normaliser: Normaliser, *, samples: int = 1000) -> Results:
    """Return the grid's errors as rows: clean, by severity, CE and mCE, and the relative versions.

    Errors have exact intervals, the other numbers bootstrap ones; a measured normaliser is
    resampled with the same images. A corruption on which the normaliser never errs has no CE, and
    one that does not raise its error has no relative CE; the means exist only if all fifteen do.

    >>> import numpy as np
    >>> labels, sure = np.array([0, 0, 0, 0]), np.ones(4, np.float32)
    >>> clean, foggy = (
    ...     (Predictions("net", "toys", tuple("abcd"), labels, None, np.array(said), sure),)
    ...     for said in ([0, 0, 0, 0], [0, 0, 0, 1]))
    >>> grid = Grid("toys", "toys_c", 4, {"net": clean}, {("net", "fog", 5): foggy}, (5,), "memory")
    >>> found = results(grid, Normaliser({"fog": np.array([0.5])}, 0.25, "a baseline"), samples=10)
    >>> {row.metric: row.value for row in found.select(corruption="fog").rows}
    {'error': 0.25, 'mean_error': 0.25, 'ce': 0.5, 'relative_ce': 1.0}
    """
    rows: list[Row] = []
    for model in grid.models:
        rows += _errors(grid, model)
        rows += _ratios(grid, model, normaliser, samples)
    return Results.of(rows)


def _errors(grid: Grid, model: str) -> Iterator[Row]:
    """Yield the error on clean images and in each condition, and its mean over severities."""
    clean = _error(grid, grid.clean[model])
    yield Row.of(clean, item="inc-tab1", dataset=grid.dataset, model=model, metric="error")
    for name in grid.corruptions:
        for severity in grid.severities:
            yield Row.of(
                _error(grid, grid.cells[model, name, severity]),
                item="inc-tab1",
                dataset=grid.corrupted,
                model=model,
                corruption=name,
                severity=severity,
                metric="error",
                convention=grid.convention(name, model=model),
            )
        images = Draws(grid.dataset, partial(_mean_errors, grid, model, name))
        yield Row.of(
            Estimate.over(
                [float(run.errors(model, name).mean()) for run in grid.runs(model)],
                partial(ends_of, images),
                n=grid.images,
                n_full=grid.n_full,
                draws=images,
            ),
            item="inc-alexnet",
            dataset=grid.corrupted,
            model=model,
            corruption=name,
            metric="mean_error",
            convention=grid.convention(name, model=model),
        )


def _error(grid: Grid, by_seed: Sequence[Predictions]) -> Estimate:
    wrong = [~run.correct for run in by_seed]
    return Estimate.of_rate(wrong, n_full=grid.n_full, images=grid.sample)


def _mean_errors(grid: Grid, model: str, corruption: str) -> Float[np.ndarray, " draws"]:
    """Return a corruption's mean error in resamples of the images."""
    rates = shared_rates(grid.wrong(model, corruption), grid.sample)
    # Single precision may exceed one by a rounding error.
    return np.asarray(np.minimum(rates.mean(1, dtype=np.float64), 1.0))


def _ratios(grid: Grid, model: str, normaliser: Normaliser, samples: int) -> Iterator[Row]:
    """Yield CE and relative CE of each corruption, and their means if all fifteen have one.

    Border and obstruction, which [overlap, sec. 4.3] adds, have a CE and count in no mean.
    """
    common = [name for name in grid.corruptions if name in COMMON]
    added = [name for name in grid.corruptions if name in OCCLUSION]
    by_seed = [
        ImageErrors.of(run, model, [*common, *added], normaliser) for run in grid.runs(model)
    ]
    for relative, item in ((False, "inc-tab1"), (True, "inc-tab2")):
        prefix = "relative_" if relative else ""
        names = common if relative else [*common, *added]
        divisible = [name for name in names if normaliser.divides(name, relative=relative)]
        has_mean = set(divisible) >= set(COMMON)
        for name in [*divisible, *([None] if has_mean else [])]:
            metric = f"{prefix}{'mce' if name is None else 'ce'}"
            over = common if name is None else [name]
            yield Row.of(
                mean_ratio(by_seed, over, relative=relative, samples=samples),
                item="overlap-tab1" if name in added else item,
                # [overlap, table 1] counts border and obstruction as corruptions of ImageNet.
                dataset=grid.dataset if name in added else grid.corrupted,
                model=model,
                corruption=name,
                metric=metric,
                convention=f"{grid.convention(*over, model=model)}, divided by {normaliser.words}",
            )
