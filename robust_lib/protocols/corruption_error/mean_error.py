"""The unnormalised mean error over corruptions, as for ImageNet-C-bar."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from robust_lib.metrics.intervals import shared_rates
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "inc-tab1"


def results(grid: Grid, *, samples: int = 1000) -> Results:
    """Return each network's errors by corruption and severity, and their means, as rows.

    Intervals of means come from resampled images, the same in every condition.

    >>> from dataclasses import replace
    >>> from robust_lib.predict.predictions import Predictions
    >>> labels, sure = np.array([0, 0]), np.ones(2, np.float32)
    >>> clean = Predictions("net", "toys", ("a", "b"), labels, None, labels, sure)
    >>> foggy = replace(clean, predicted=np.array([0, 1]))
    >>> cells = {("net", "fog", 3): (clean,), ("net", "fog", 5): (foggy,)}
    >>> grid = Grid("toys", "toys_c", 2, {"net": (clean,)}, cells, (3, 5), "memory")
    >>> [(row.corruption, row.severity, row.value) for row in results(grid).rows]
    [('fog', 3, 0.0), ('fog', 5, 0.5), ('fog', None, 0.25), (None, None, 0.25)]
    """
    rows: list[Row] = []
    for model in grid.models:
        told = partial(Row.of, item=ITEM, dataset=grid.corrupted, model=model)
        for corruption in grid.corruptions:
            made = grid.convention(corruption, model=model)
            for severity in grid.severities:
                wrong = [~run.correct for run in grid.cells[model, corruption, severity]]
                error = Estimate.of_rate(
                    wrong, n_full=grid.n_full, images=grid.sample, samples=samples
                )
                rows.append(
                    told(error, metric="error", corruption=corruption, severity=severity,
                         convention=made)
                )  # fmt: skip
            mean = _mean(grid, model, (corruption,), samples)
            rows.append(told(mean, metric="mean_error", corruption=corruption, convention=made))
        mean = _mean(grid, model, grid.corruptions, samples)
        many = f"mean over {len(grid.corruptions)} corruptions, not divided by a baseline's errors"
        made = f"{grid.convention(model=model)}; {many}"
        rows.append(told(mean, metric="mean_error", convention=made))
    return Results.of(rows)


def _mean(grid: Grid, model: str, over: Sequence[str], samples: int) -> Estimate:
    runs = grid.runs(model)
    values = [float(np.mean([run.errors(model, one) for one in over])) for run in runs]
    cells = np.concatenate([runs[0].wrong(model, one) for one in over])
    draws = Draws(
        grid.dataset,
        lambda: np.asarray(shared_rates(cells, grid.sample, samples=samples).mean(1), np.float64),
    )
    return Estimate.over(
        values, lambda: ends_of(draws), n=grid.images, n_full=grid.n_full, draws=draws
    )
