"""Both copies of ImageNet-C, paired: counts, intervals and McNemar's test beside slow code."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.protocols import regenerated
from tests import toys

CORRUPTIONS, SEVERITIES, IMAGES = ("fog", "contrast"), (1, 3), 400


def copy(lost):
    """Networks that are right about two thirds of the pictures; `lost` picks those they lose."""

    def right(model, corruption, severity, seed):
        drawn = seeds.generator(model, corruption, severity).random(IMAGES)
        return (drawn < 0.67) & ~lost(model, corruption, severity)

    return toys.grid(right, ("strong", "weak"), CORRUPTIONS, SEVERITIES, storage="archive")


@pytest.fixture(scope="module")
def grids():
    nothing = np.zeros(IMAGES, bool)
    some = np.arange(IMAGES) < 40
    archive = copy(lambda model, corruption, severity: some if severity == 3 else nothing)
    generated = copy(
        lambda model, corruption, severity: (
            ~some & (np.arange(IMAGES) < 60)
            if corruption == "fog"
            else (some if severity == 3 else nothing)
        )
    )
    return archive, generated


LEVELS = {(name, severity): 2.0 * severity for name in CORRUPTIONS for severity in SEVERITIES}


@pytest.fixture(scope="module")
def table(grids):
    return regenerated.table(*grids, LEVELS, samples=500)


def test_a_row_a_network_and_cell_and_one_over_severities(table):
    assert list(table.columns) == list(regenerated.COLUMNS)
    assert len(table) == 2 * 2 * (2 + 1)
    assert not table.duplicated(["model", "corruption", "severity"]).any()
    assert set(table["n"]) == {IMAGES}


def test_pictures_are_counted_one_by_one(grids, table):
    archive, generated = grids
    for _, row in table[table["severity"] != regenerated.SEVERAL].iterrows():
        cell = row["model"], row["corruption"], int(row["severity"])
        old, new = (grid.cells[cell][0].correct for grid in (archive, generated))
        only_old = only_new = 0
        for before, after in zip(old, new, strict=True):
            only_old += bool(before and not after)
            only_new += bool(after and not before)
        assert (row["only_archive"], row["only_generated"]) == (only_old, only_new)
        assert row["difference"] == pytest.approx((only_new - only_old) / IMAGES)
        assert row["generated"] - row["archive"] == pytest.approx(row["difference"])


def test_copies_that_agree_differ_by_nothing(table):
    same = table[table["corruption"] == "contrast"]
    assert (same[["difference", "low", "high", "only_archive", "only_generated"]] == 0).all().all()
    assert (same[same["severity"] != regenerated.SEVERAL]["p"] == 1).all()


def test_the_interval_is_of_pairs(table):
    """It is that of the differing pictures alone: much narrower than those of either accuracy."""
    row = table[(table["corruption"] == "fog") & (table["severity"] == "1")].iloc[0]
    lost = row["only_archive"] / IMAGES
    assert row["only_generated"] == 0
    spread = 1.96 * np.sqrt(lost * (1 - lost) / IMAGES)
    assert row["low"] == pytest.approx(-lost - spread, abs=0.005)
    assert row["high"] == pytest.approx(-lost + spread, abs=0.005)


def test_the_mean_over_severities_resamples_whole_pictures(table):
    fog = table[(table["corruption"] == "fog") & (table["model"] == "weak")]
    cells, (whole,) = fog[fog["severity"] != "all"], fog[fog["severity"] == "all"].itertuples()
    assert whole.archive == pytest.approx(cells["archive"].mean())
    assert whole.difference == pytest.approx(cells["difference"].mean())
    assert whole.levels == 4.0
    assert whole.low < whole.difference < whole.high


@pytest.mark.parametrize("counts", [(0, 3), (2, 9), (7, 7), (30, 12), (1, 0)])
def test_the_exact_test_is_a_sum_of_binomials(counts):
    """All splits that are no likelier than the one found, each with its binomial probability."""
    both = sum(counts)
    chances = [comb(both, one) / 2**both for one in range(both + 1)]
    slow = sum(chance for chance in chances if chance <= chances[counts[0]] * (1 + 1e-9))
    assert regenerated.mcnemar(*counts) == pytest.approx(min(1.0, slow))


def test_the_summary_says_where_and_why(table):
    found = regenerated.summary(table).set_index("corruption")
    moved = table.assign(low=np.where(table["model"] == "weak", -0.2, 0.01), high=0.2)
    moved = moved.assign(difference=np.where(table["model"] == "weak", 0.05, 0.15))
    told = regenerated.summary(moved).set_index("corruption").loc["fog"]
    assert (told["decided"], round(told["difference"], 6)) == ("1 of 2", 10.0)
    assert found.loc["contrast", "decided"] == "0 of 2"
    assert found.loc["fog", "why"] == "other random draws"
    assert found.loc["contrast", "why"].startswith("same images but for")


def test_frost_of_stand_ins_says_so():
    notes = {"frost": "drawn stand-ins for the frost pictures, not canonical"}
    assert regenerated.why("frost", notes) == notes["frost"]
    assert regenerated.why("frost", {}) == "other random draws"


def test_grids_of_other_pictures_or_cells_are_refused(grids):
    archive, generated = grids
    fewer = {key: one for key, one in generated.cells.items() if key[1] == "fog"}
    with pytest.raises(InputError, match="same networks and conditions"):
        regenerated.table(archive, replace(generated, cells=fewer), LEVELS)
    turned = {key: (replace(one, ids=one.ids[::-1]),) for key, (one,) in generated.cells.items()}
    with pytest.raises(InputError, match="same images in the same order"):
        regenerated.table(archive, replace(generated, cells=turned), LEVELS)
