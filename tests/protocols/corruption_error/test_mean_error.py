"""Errors under corruptions without a normaliser: means of cells, with intervals over images."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.corruption_error.mean_error import results
from robust_lib.protocols.grid import Grid

IDS = tuple(f"{place:02}" for place in range(20))


def said(wrong):
    labels, sure = np.zeros(20, np.int64), np.ones(20, np.float32)
    return Predictions("net", "toys", IDS, labels, None, (np.arange(20) < wrong).astype(int), sure)


def test_means_are_of_cells_and_intervals_of_images():
    cells = {("net", name, at): (said(wrong),) for name, at, wrong in WRONG}
    grid = Grid("toys", "toys_c", 20, {"net": (said(1),)}, cells, (1, 5), "archive")
    found = results(grid, samples=200)
    assert found.row(corruption="sparkles", severity=5).value == 0.4
    assert found.row(corruption="sparkles", metric="mean_error").value == pytest.approx(0.3)
    mean = found.row(corruption=None)
    assert (mean.value, mean.n, mean.n_full) == (pytest.approx(0.4), 20, 20)
    assert mean.low < 0.4 < mean.high
    assert "2 corruptions, not divided by a baseline's" in mean.convention
    # The same pictures are hard in all cells, so the mean is as uncertain as one cell.
    assert mean.high - mean.low > 0.2
    assert {row.dataset for row in found.rows} == {"toys_c"}


WRONG = [("sparkles", 1, 4), ("sparkles", 5, 8), ("perlin", 1, 8), ("perlin", 5, 12)]


def test_a_single_cell_is_an_exact_rate():
    grid = Grid(
        "toys", "toys_c", 20, {"net": (said(1),)}, {("net", "fog", 3): (said(5),)}, (3,), ""
    )
    row = replace(results(grid).row(severity=3), draws=None)
    assert (row.value, round(row.low, 3), round(row.high, 3)) == (0.25, 0.087, 0.491)
