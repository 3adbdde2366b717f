"""The ImageNet-C protocol on pictures whose difficulty is known: every number by hand."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch

from robust_lib import seeds
from robust_lib.cache import Store
from robust_lib.chapters import key_numbers
from robust_lib.errors import InputError, ModelError
from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.protocols.corruption_error import results
from robust_lib.protocols.grid import evaluate
from robust_lib.protocols.normaliser import Normaliser, measured, published
from robust_lib.results.reported import alexnet_errors
from robust_lib.results.row import METRICS
from robust_lib.vocabulary import COMMON
from tests.toys import Misbehaving, Swatches, brightest

SEVERITIES = (1, 2, 3, 4, 5)
WEAK, MIDDLING, STRONG = 40, 65, 80
THRESHOLDS = {"weak": WEAK, "middling": MIDDLING, "strong": STRONG}


def difficulty(number, corruption, severity):
    """Return how hard an image is, 0 to 182; severity 0 is clean."""
    return 7 * number % 30 * 3 + (5 + COMMON.index(corruption)) * severity


@dataclass(frozen=True, eq=False)
class Cell(Swatches):
    """Swatches whose first pixel says how hard they are."""

    corruption: str = COMMON[0]
    severity: int = 0

    @property
    def digest(self) -> str:
        return f"{super().digest}-{self.corruption}-{self.severity}"

    def read(self, index: int, preprocessing: Any) -> np.ndarray:
        picture = super().read(index, preprocessing)
        picture[0, 0] = difficulty(self._numbers[index], self.corruption, self.severity)
        return picture


class Tolerant(torch.nn.Module):
    """Right about every swatch that is not harder than its threshold."""

    def __init__(self, threshold: int) -> None:
        super().__init__()
        self.register_buffer("threshold", torch.tensor((threshold + 0.5) / 255))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        logits = 10 * images[..., 1:, 1:].mean((2, 3))
        hard = images[:, :1, 0, 0] > self.threshold
        return torch.where(hard, logits.roll(1, 1), logits)


def tolerant(name, threshold):
    return brightest(name, module=Tolerant(threshold))


def models(*names):
    return {name: [tolerant(name, THRESHOLDS[name])] for name in names or THRESHOLDS}


def grid_of(models, corruptions=COMMON, severities=SEVERITIES, **settings):
    log = settings.pop("log", None)
    return evaluate(
        models,
        Cell(log=log),
        lambda corruption, severity: Cell(corruption=corruption, severity=severity, log=log),
        corruptions=corruptions,
        severities=severities,
        corrupted="swatches_c",
        storage="memory",
        **({"store": None, "progress": False} | settings),
    )


def error(threshold, corruption, severity):
    return float(np.mean([difficulty(n, corruption, severity) > threshold for n in range(30)]))


def errors(threshold, corruption, severities=SEVERITIES):
    return np.array([error(threshold, corruption, severity) for severity in severities])


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


def test_a_grid_knows_its_axes(grid):
    assert grid.models == tuple(THRESHOLDS)
    assert grid.corruptions == COMMON
    assert (grid.images, grid.n_full) == (30, 30)
    assert (grid.dataset, grid.corrupted, grid.storage) == ("swatches", "swatches_c", "memory")


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


def test_intervals_are_the_same_each_time_and_for_any_company(grid, table):
    again = results(grid, measured(grid, "weak"), samples=200)
    assert again.rows == table.rows
    normaliser = measured(grid, "weak")
    alone = results(grid_of(models("strong")), normaliser, samples=200)
    assert alone.rows == table.select(model="strong").rows
    other = results(grid_of(models("strong")), normaliser, samples=200, seed=1)
    assert other.row(metric="mce").low != alone.row(metric="mce").low


def resampled(model, metric, name, samples):
    """Return errors in resamples of the images: (samples, corruptions, severities), and clean."""
    rng = seeds.generator(0, "strong", metric, str(name), "bootstrap")
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
    above, clean = resampled("strong", metric, name, 200)
    below, base = resampled("weak", metric, name, 200)
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
    number = key_numbers.key_numbers(table, grid)["best_relative_mce"]
    assert "without an upper end" in number.convention


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


def test_the_published_normaliser_is_the_published_table():
    """Mean errors as App. C prints them, e.g. 88.6 % under Gaussian noise."""
    normaliser = published()
    table = alexnet_errors()
    assert set(COMMON) <= set(normaliser.errors)
    for name, row in normaliser.errors.items():
        assert np.array_equal(row, table[name])
    assert normaliser.clean == table["clean"][0]
    assert normaliser.errors["gaussian_noise"].mean() == pytest.approx(0.886, abs=0.001)
    assert "published" in normaliser.words


def test_the_published_normaliser_divides(grid):
    table = results(grid, published(), samples=100)
    row = table.row(metric="ce", model="strong", corruption="fog")
    assert row.value == pytest.approx(errors(STRONG, "fog").sum() / alexnet_errors()["fog"].sum())
    assert "AlexNet's published errors" in row.convention


def test_a_normaliser_that_was_not_evaluated_is_refused(grid):
    with pytest.raises(InputError, match=r"normaliser vgg11 .*weak, middling, strong"):
        measured(grid, "vgg11")


SEEDS = (70, 80, 85)


@pytest.fixture(scope="module")
def seeded():
    runs = [tolerant(f"net~{seed}", threshold) for seed, threshold in enumerate(SEEDS)]
    return grid_of({"weak": models("weak")["weak"], "net": runs})


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


def test_each_image_is_read_once_for_all_models(tmp_path):
    log = tmp_path / "read"
    grid_of(models(), corruptions=COMMON[:2], severities=(1, 3), log=log)
    reads = Counter(log.read_text().split())
    assert set(reads) == set(Cell().ids)
    assert set(reads.values()) == {5}  # four cells and the clean set


def test_the_second_time_nothing_is_read(tmp_path):
    log, store = tmp_path / "read", Store(tmp_path / "store")
    settings = {"corruptions": COMMON[:2], "severities": (1, 3), "log": log, "store": store}
    first = grid_of(models(), **settings)
    read = log.read_text()
    again = grid_of(models(), **settings)
    assert log.read_text() == read
    for cell, runs in first.cells.items():
        assert np.array_equal(runs[0].predicted, again.cells[cell][0].predicted)
    more = grid_of({**models(), "new": [tolerant("new", 75)]}, **settings)
    assert len(log.read_text().split()) == 2 * len(read.split())  # once more, for the new one
    assert more.models == (*THRESHOLDS, "new")


def test_a_limit_shows_the_same_images_in_every_cell():
    grid = grid_of(models(), corruptions=COMMON[:2], limit=12)
    assert (grid.images, grid.n_full) == (12, 30)
    shown = {runs[0].ids for runs in [*grid.cells.values(), *grid.clean.values()]}
    assert len(shown) == 1
    table = results(grid, measured(grid, "weak"), samples=100)
    assert {(row.n, row.n_full) for row in table.rows} == {(12, 30)}


def test_models_may_take_the_cells_otherwise_than_clean_images():
    """The archive's pictures are cropped already."""
    clean, cells = models("strong"), {"strong": [tolerant("strong", WEAK)]}
    grid = grid_of(clean, cell_models=cells)
    assert grid.errors("strong", "fog") == pytest.approx(errors(WEAK, "fog"))
    table = results(grid, published(), samples=100)
    found = table.row(metric="error", model="strong", corruption=None).value
    assert found == pytest.approx(error(STRONG, COMMON[0], 0))


def test_a_model_that_fails_is_named():
    broken = Misbehaving(lambda images: torch.full((len(images), 3), torch.nan), name="broken")
    with pytest.raises(ModelError, match="broken"):
        grid_of({"broken": [broken]}, corruptions=COMMON[:1])


def test_the_key_numbers_are_of_the_best_and_the_first(grid, table):
    numbers = key_numbers.key_numbers(table, grid)
    assert numbers["best_model"].text == "strong"
    accuracy = 1 - error(STRONG, COMMON[0], 0)
    best = numbers["best_accuracy"]
    assert best.value == pytest.approx(accuracy)
    assert best.text == f"{100 * accuracy:.1f} %"
    low, high = clopper_pearson(round(30 * accuracy), 30)
    assert f"accuracy of strong on swatches; 95 % interval [{100 * low:.1f}, " in best.convention
    assert f"{100 * high:.1f}] %" in best.convention
    assert best.n == 30
    assert numbers["baseline_accuracy"].value == pytest.approx(1 - error(WEAK, COMMON[0], 0))
    for key, metric in (("best_mce", "mce"), ("best_relative_mce", "relative_mce")):
        assert numbers[key].value == table.row(metric=metric, model="strong").value
        assert "memory, divided by weak" in numbers[key].convention


def test_key_numbers_of_several_seeds_say_so(seeded):
    table = results(seeded, measured(seeded, "weak"), samples=100)
    numbers = key_numbers.key_numbers(table, seeded)
    assert "least and greatest of the seeds" in numbers["best_mce"].convention
    assert "95 %" in numbers["baseline_accuracy"].convention


def test_key_numbers_say_what_is_not_defined():
    few = grid_of(models("weak", "strong"), corruptions=("fog",))
    numbers = key_numbers.key_numbers(results(few, measured(few, "weak"), samples=100), few)
    assert numbers["best_mce"].text == numbers["best_relative_mce"].text == "not defined"
    value = ce.corruption_error(errors(STRONG, "fog"), errors(WEAK, "fog"))
    assert numbers["corruption_error"].value == pytest.approx(value)


def test_normalisers_are_plain_records():
    given = Normaliser({"fog": np.array([0.5, 1.0])}, 0.4, "someone's")
    assert given.divides("fog", relative=False)
    assert given.divides("fog", relative=True)
    assert not replace(given, clean=0.75).divides("fog", relative=True)
