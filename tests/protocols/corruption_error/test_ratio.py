"""Corruption errors of a network: the metric's, with intervals by hand."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics.intervals import percentiles
from robust_lib.protocols.corruption_error import results
from robust_lib.protocols.corruption_error.normaliser import measured, published
from robust_lib.protocols.corruption_error.ratio import ImageErrors
from robust_lib.results.reported import alexnet_errors
from robust_lib.vocabulary import COMMON
from tests.protocols.corruption_error.toys import (
    SEVERITIES,
    STRONG,
    THRESHOLDS,
    difficulty,
    error,
    errors,
    grid_of,
    models,
)


@pytest.fixture(scope="module")
def grid():
    return grid_of(models())


@pytest.fixture(scope="module")
def table(grid):
    return results(grid, measured(grid, "weak"), samples=200)


def test_intervals_are_the_same_each_time_and_for_any_company(grid, table):
    again = results(grid, measured(grid, "weak"), samples=200)
    assert again.rows == table.rows
    normaliser = measured(grid, "weak")
    alone = results(grid_of(models("strong")), normaliser, samples=200)
    assert alone.rows == table.select(model="strong").rows


def resampled(model, name, samples):
    """Return errors in resamples of the images: (samples, corruptions, severities), and clean."""
    rng = seeds.generator("resamples", "swatches", 30)
    chosen = rng.integers(0, 30, (samples, 30))
    over = COMMON if name is None else (name,)
    hard = np.array(
        [[[difficulty(n, c, s) for n in range(30)] for s in (0, *SEVERITIES)] for c in over]
    )
    wrong = (hard > THRESHOLDS[model])[:, :, chosen].mean(-1).transpose(2, 0, 1)
    return wrong[:, :, 1:], wrong[:, :, :1]


@pytest.mark.parametrize(
    ("metric", "name"),
    [("ce", "fog"), ("mce", None), ("relative_ce", "fog"), ("relative_mce", None)],
)
@pytest.mark.parametrize("fixed", [False, True], ids=["measured", "published"])
def test_intervals_are_those_of_a_bootstrap_by_hand(grid, metric, name, fixed):
    """Measured here, the normaliser is resampled with the same images; published, it is fixed."""
    normaliser = published() if fixed else measured(grid, "weak")
    row = results(grid, normaliser, samples=200).row(metric=metric, model="strong", corruption=name)
    above, clean = resampled("strong", name, 200)
    below, base = resampled("weak", name, 200)
    if fixed:
        over = COMMON if name is None else (name,)
        below = np.array([normaliser.errors[c] for c in over])[None]
        base = np.array(normaliser.clean)
    if metric.startswith("relative"):
        above, below = above - clean, below - base
    draws = (above.sum(2) / below.sum(2)).mean(1)
    assert (row.low, row.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), abs=1e-5)


def test_the_interval_of_the_baseline_against_itself_is_a_point(table):
    for row in table.select(model="weak", metric=["ce", "mce", "relative_ce"]).rows:
        assert (row.low, row.high) == pytest.approx((1.0, 1.0), abs=1e-5)


def test_a_baseline_that_hardly_gets_worse_leaves_the_ratio_without_an_interval(grid):
    """In many resamples it does not get worse at all, so the ratio has no upper end."""
    real = measured(grid, "weak")
    clean = real.wrong_clean
    barely = np.stack([clean] * 5)
    barely[0, np.flatnonzero(clean == 0)[0]] = 1.0  # one image, at one severity
    wrong = {**real.wrong, "fog": barely}
    calm = replace(real, wrong=wrong, errors={n: cells.mean(1) for n, cells in wrong.items()})
    table = results(grid, calm, samples=200)
    row = table.row(metric="relative_ce", model="strong", corruption="fog")
    rise = (errors(STRONG, "fog") - error(STRONG, "fog", 0)).sum()
    assert row.value == pytest.approx(rise * 30)
    assert (row.low, row.high) == (None, None)
    assert table.row(metric="relative_mce", model="strong").low is None
    assert table.row(metric="ce", model="strong", corruption="fog").low is not None


def divided(wrong):
    """Errors on some images, divided by AlexNet's published ones."""
    images = wrong["fog"].shape[1]
    shares = {name: cells.astype(float) for name, cells in wrong.items()}
    return ImageErrors(shares, np.zeros(images), images, published())


def ends(wrong, samples=500):
    return percentiles(divided(wrong).draws(COMMON, False, samples))


def test_the_interval_holds_the_truth_and_shrinks_with_more_images():
    """Images that are hard in one cell are hard in all, as photographs are."""
    widths = []
    for images in (200, 3200):
        hardness = np.random.default_rng(images).random(images)
        wrong = {name: hardness[None] < 0.8 * alexnet_errors()[name][:, None] for name in COMMON}
        low, high = ends(wrong)
        assert low < 0.8 < high
        widths.append(high - low)
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.2)


def test_the_interval_is_wider_when_cells_share_their_images():
    """Resampling each cell by itself would pretend to 75 times the images."""
    rng = np.random.default_rng(0)
    shared = rng.random(1000)
    truth = {name: alexnet_errors()[name][:, None] for name in COMMON}
    together = {name: shared[None] < errors for name, errors in truth.items()}
    apart = {name: rng.random((5, 1000)) < errors for name, errors in truth.items()}
    assert np.diff(ends(together)) > 4 * np.diff(ends(apart))
