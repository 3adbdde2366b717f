"""The ImageNet-C protocol on pictures whose difficulty is known: every number by hand."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.protocols.corruption_error import results
from robust_lib.protocols.corruption_error.normaliser import measured, published
from robust_lib.results.reported import alexnet_errors
from robust_lib.results.row import METRICS
from robust_lib.vocabulary import COMMON
from tests.protocols.corruption_error.toys import (
    SEEDS,
    SEVERITIES,
    STRONG,
    THRESHOLDS,
    WEAK,
    error,
    errors,
    grid_of,
    models,
    seeded_grid,
    tolerant,
)


@pytest.fixture(scope="module")
def grid():
    return grid_of(models())


@pytest.fixture(scope="module")
def table(grid):
    return results(grid, measured(grid, "weak"), samples=200)


def test_the_toys_are_graded():
    """Nothing below would mean much if the errors did not differ."""
    found = {errors(t, name).tobytes() for t in THRESHOLDS.values() for name in COMMON}
    assert len(found) > 20
    assert 0 < error(STRONG, COMMON[0], 0) < error(WEAK, COMMON[0], 0) < 0.6
    assert error(STRONG, "fog", 1) < error(STRONG, "fog", 5) < 1


@pytest.mark.parametrize("model", THRESHOLDS)
def test_errors_of_every_cell_are_right(grid, table, model):
    for name in COMMON:
        expected = errors(THRESHOLDS[model], name)
        np.testing.assert_allclose(grid.errors(model, name), expected)
        assert grid.wrong(model, name).shape == (5, 30)
        for severity in SEVERITIES:
            row = table.row(metric="error", model=model, corruption=name, severity=severity)
            assert row.value == pytest.approx(expected[severity - 1])
            low, high = clopper_pearson(round(30 * row.value), 30)
            assert (row.low, row.high) == (pytest.approx(low), pytest.approx(high))
        mean = table.row(metric="mean_error", model=model, corruption=name)
        assert mean.value == pytest.approx(expected.mean())
    clean = table.row(metric="error", model=model, corruption=None)
    assert clean.value == pytest.approx(error(THRESHOLDS[model], COMMON[0], 0))
    assert clean.dataset == "swatches"


@pytest.mark.parametrize("model", THRESHOLDS)
def test_ratios_are_those_of_the_metrics(table, model):
    own = {name: errors(THRESHOLDS[model], name) for name in COMMON}
    base = {name: errors(THRESHOLDS["weak"], name) for name in COMMON}
    clean, base_clean = (error(THRESHOLDS[m], COMMON[0], 0) for m in (model, "weak"))
    for name in COMMON:
        value = table.row(metric="ce", model=model, corruption=name).value
        assert value == pytest.approx(ce.corruption_error(own[name], base[name]))
        assert value == pytest.approx(own[name].sum() / base[name].sum())
        value = table.row(metric="relative_ce", model=model, corruption=name).value
        assert value == pytest.approx(
            ce.relative_corruption_error(own[name], clean, base[name], base_clean)
        )
        assert value == pytest.approx((own[name] - clean).sum() / (base[name] - base_clean).sum())
    mce = table.row(metric="mce", model=model)
    assert mce.value == pytest.approx(ce.mean_corruption_error(own, base))
    assert (mce.item, mce.corruption, mce.severity) == ("inc-tab1", None, None)
    relative = table.row(metric="relative_mce", model=model)
    assert relative.value == pytest.approx(
        ce.relative_mean_corruption_error(own, clean, base, base_clean)
    )
    assert relative.item == "inc-tab2"


def test_the_baseline_against_itself_is_one(table):
    for metric in ("ce", "mce", "relative_ce", "relative_mce"):
        rows = table.select(metric=metric, model="weak").rows
        assert [row.value for row in rows] == pytest.approx([1.0] * len(rows))
        assert len(rows) == (15 if metric.endswith("ce") and "mce" not in metric else 1)


def test_every_number_has_its_n_its_convention_and_an_interval_around_it(table):
    for row in table.rows:
        assert (row.n, row.n_full) == (30, 30)
        assert METRICS[row.metric] in ("rate", "ratio", "relative")
        if row.metric == "mean_error":
            continue
        assert row.low <= row.value <= row.high
    ratios = [row for row in table.rows if row.metric in ("ce", "mce", "relative_ce")]
    assert np.mean([row.high - row.low > 0.01 for row in ratios if row.model != "weak"]) > 0.9
    assert {row.convention for row in ratios} == {
        "memory, divided by weak, measured on the same images"
    }
    cells = table.select(metric=["error", "mean_error"], dataset="swatches_c").rows
    assert {row.convention for row in cells} == {"memory"}
    assert table.row(metric="error", model="weak", corruption=None).convention is None


def test_no_two_rows_are_about_the_same(table):
    # 3 models: clean, 75 cells, 15 means, 15 CE and mCE, 15 relative CE and relative mCE.
    assert len(table) == 3 * (1 + 75 + 15 + 16 + 16)
    assert len({row.key for row in table.rows}) == len(table)


def test_without_all_fifteen_there_is_no_mean():
    few = grid_of(models("weak", "strong"), corruptions=COMMON[:14])
    table = results(few, measured(few, "weak"), samples=100)
    assert len(table.select(metric="ce").rows) == 28
    assert len(table.select(metric=["mce", "relative_mce"]).rows) == 0


def test_some_severities_alone():
    some = grid_of(models("weak", "strong"), severities=(2, 4))
    table = results(some, measured(some, "weak"), samples=100)
    for name in ("fog", "snow"):
        expected = ce.corruption_error(errors(STRONG, name, (2, 4)), errors(WEAK, name, (2, 4)))
        assert table.row(metric="ce", model="strong", corruption=name).value == pytest.approx(
            expected
        )
    assert {row.severity for row in table.rows} == {None, 2, 4}
    np.testing.assert_allclose(published((2, 4)).errors["fog"], alexnet_errors()["fog"][[1, 3]])


def test_a_baseline_that_does_not_get_worse_leaves_its_ratio_undefined(grid):
    """A barely trained baseline may not be worse in fog than in the clear."""
    real = measured(grid, "weak")
    calm = replace(real, errors={**real.errors, "fog": np.full(5, real.clean)})
    table = results(grid, calm, samples=100)
    assert len(table.select(metric="relative_ce", corruption="fog").rows) == 0
    assert len(table.select(metric="relative_ce", model="strong").rows) == 14
    assert len(table.select(metric="relative_mce").rows) == 0
    assert len(table.select(metric="mce").rows) == 3
    perfect = replace(real, errors={**real.errors, "fog": np.zeros(5)}, clean=0.0)
    table = results(grid, perfect, samples=100)
    assert len(table.select(metric="ce", corruption="fog").rows) == 0
    assert len(table.select(metric="mce").rows) == 0


def test_the_published_normaliser_divides(grid):
    table = results(grid, published(), samples=100)
    row = table.row(metric="ce", model="strong", corruption="fog")
    assert row.value == pytest.approx(errors(STRONG, "fog").sum() / alexnet_errors()["fog"].sum())
    assert "AlexNet's published errors" in row.convention


@pytest.fixture(scope="module")
def seeded():
    return seeded_grid()


def test_several_seeds_give_their_mean_and_their_least_and_greatest(seeded):
    table = results(seeded, measured(seeded, "weak"), samples=100)
    base = {name: errors(WEAK, name) for name in COMMON}
    each = [{name: errors(t, name) for name in COMMON} for t in SEEDS]
    cell = [error(t, "fog", 3) for t in SEEDS]
    row = table.row(metric="error", model="net", corruption="fog", severity=3)
    assert (row.value, row.low, row.high) == pytest.approx((np.mean(cell), min(cell), max(cell)))
    values = [ce.mean_corruption_error(own, base) for own in each]
    row = table.row(metric="mce", model="net")
    assert (row.value, row.low, row.high) == pytest.approx(
        (np.mean(values), min(values), max(values))
    )
    assert len(set(values)) == 3
    clean = [error(t, COMMON[0], 0) for t in SEEDS]
    relative = [
        ce.relative_mean_corruption_error(own, c, base, error(WEAK, COMMON[0], 0))
        for own, c in zip(each, clean, strict=True)
    ]
    row = table.row(metric="relative_mce", model="net")
    assert (row.value, row.low, row.high) == pytest.approx(
        (np.mean(relative), min(relative), max(relative))
    )


def test_models_may_have_different_numbers_of_seeds(seeded):
    """A network trained here has several, one with public weights a single one."""
    table = results(seeded, measured(seeded, "net"), samples=100)
    weak = table.row(metric="mce", model="weak")
    assert weak.low < weak.value < weak.high
    assert table.row(metric="mce", model="net").value == pytest.approx(1.0)


def test_equal_seeds_have_no_spread():
    """Their mean may miss them by a rounding error, which must not pass for a wrong interval."""
    runs = [tolerant(f"net~{seed}", 77) for seed in range(3)]
    grid = grid_of({"net": runs})
    table = results(grid, measured(grid, "net"), samples=100)
    for row in table.rows:
        if row.low is not None:
            assert row.high - row.low < 1e-12


def test_a_limit_shows_the_same_images_in_every_cell():
    grid = grid_of(models(), corruptions=COMMON[:2], limit=12)
    assert (grid.images, grid.n_full) == (12, 30)
    shown = {runs[0].ids for runs in [*grid.cells.values(), *grid.clean.values()]}
    assert len(shown) == 1
    table = results(grid, measured(grid, "weak"), samples=100)
    assert {(row.n, row.n_full) for row in table.rows} == {(12, 30)}


def test_what_is_not_the_benchmarks_own_is_told_wherever_it_enters(grid):
    noted = replace(grid, notes={"frost": "drawn, not canonical"})
    rows = results(noted, measured(noted, "weak"), samples=20).rows
    told = [row for row in rows if "frost: drawn, not canonical" in str(row.convention)]
    assert {row.corruption for row in told} == {"frost", None}
    assert {row.metric for row in told if row.corruption is None} == {"mce", "relative_mce"}
