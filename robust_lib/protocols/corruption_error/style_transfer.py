"""Style transfer as a corruption, compared with the corruptions of ImageNet-C [inc, app. E]."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib.metrics.leaning import largest
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.corruption_error.ratio import ImageErrors, mean_ratio
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON

ITEM = "inc-claim-style"
CORRUPTION = "style_transfer"
PAPER = "imagenet_style_transfer"


def dataset(clean: str) -> str:
    """Return the name of the restyled version of a data set.

    >>> dataset("scenes_val")
    'scenes_val_style_transfer'
    """
    return f"{clean}_{CORRUPTION}"


def stand_ins(grid: Grid) -> dict[str, str]:
    """Return the paper's name of the restyled images -> our stand-in.

    >>> stand_ins(Grid("toys", "toys_c", 1, {}, {}, (5,), "jpeg85"))
    {'imagenet_style_transfer': 'toys_style_transfer', 'imagenet_c': 'toys_c'}
    """
    return {PAPER: dataset(grid.dataset), "imagenet_c": grid.corrupted}


def results(grid: Grid, normaliser: Normaliser, *, samples: int = 1000) -> Results:
    """Return error and corruption error under style transfer, and the CEs compared with it.

    The largest CE and the mean exist only if all fifteen corruptions have a CE. All are
    resampled with the same images, so that differences are paired.

    >>> grid = toys.restyled("alexnet_mini", "resnet50_mini")
    >>> rows = results(grid, toys.normaliser(grid), samples=20)
    >>> [round(row.value, 2) for row in rows.select(metric="ce", corruption="style_transfer").rows]
    [1.0, 0.5]
    """
    number = Row(
        item=ITEM,
        dataset=dataset(grid.dataset),
        corruption=CORRUPTION,
        metric="severities",
        value=float(len(grid.severities)),
    )
    rows = [number]
    for model in grid.models:
        rows += _errors(grid, model)
        rows += _ratios(grid, model, normaliser, samples)
    return Results.of(rows)


def _errors(grid: Grid, model: str) -> Iterator[Row]:
    """Yield the error on clean images and on restyled ones of each severity."""
    for severity in (None, *grid.severities):
        said = grid.clean[model] if severity is None else grid.cells[model, CORRUPTION, severity]
        wrong = [~run.correct for run in said]
        yield Row.of(
            Estimate.of_rate(wrong, n_full=grid.n_full, images=grid.sample),
            item=ITEM,
            dataset=grid.dataset if severity is None else dataset(grid.dataset),
            model=model,
            corruption=None if severity is None else CORRUPTION,
            severity=severity,
            metric="error",
        )


def _ratios(grid: Grid, model: str, normaliser: Normaliser, samples: int) -> Iterator[Row]:
    """Yield the CE of each corruption, and the largest and the mean of ImageNet-C's fifteen."""
    names = [one for one in (*COMMON, CORRUPTION) if one in grid.corruptions]
    names = [one for one in names if normaliser.divides(one, relative=False)]
    by_seed = [ImageErrors.of(run, model, names, normaliser) for run in grid.runs(model)]
    common = [one for one in names if one in COMMON]
    for name in names:
        yield Row.of(
            mean_ratio(by_seed, [name], samples=samples),
            item=ITEM,
            dataset=dataset(grid.dataset) if name == CORRUPTION else grid.corrupted,
            model=model,
            corruption=name,
            metric="ce",
            convention=f"{grid.convention(name, model=model)}, divided by {normaliser.words}",
        )
    if set(common) < set(COMMON):
        return
    words = f"{grid.convention(*common, model=model)}, divided by {normaliser.words}"
    found = {
        "mce": mean_ratio(by_seed, common, samples=samples),
        "largest_ce": _largest(by_seed, common, samples),
    }
    for metric, estimate in found.items():
        yield Row.of(
            estimate,
            item=ITEM,
            dataset=grid.corrupted,
            model=model,
            metric=metric,
            convention=words,
        )


def _largest(by_seed: Sequence[ImageErrors], over: Sequence[str], samples: int) -> Estimate:
    """Return the largest of some corruptions' CEs."""
    first = by_seed[0]
    draws = Draws(first.images.name, partial(_largest_draws, first, tuple(over), samples))
    return Estimate.over(
        [max(one.mean_ratio([name]) for name in over) for one in by_seed],
        partial(ends_of, draws),
        n=len(first.clean),
        n_full=first.n_full,
        draws=draws,
    )


def _largest_draws(
    errors: ImageErrors, over: Sequence[str], samples: int
) -> Float[np.ndarray, " draws"]:
    """Return the largest CE of each resample, without the upward bias of the largest of several."""
    return largest(np.stack([errors.draws([name], False, samples) for name in over]))
