"""Style transfer among the corruptions: known errors, paired comparisons, what is left out."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.metrics.leaning import largest
from robust_lib.protocols.corruption_error import style_transfer as protocol
from robust_lib.results.compare import compare
from tests.chapters import toys

ROLES = {"alexnet": "alexnet_mini", "vgg11": "vgg11_mini", "resnet50": "resnet50_mini"}


def rows(grid, samples=200):
    return protocol.results(grid, toys.normaliser(grid), samples=samples)


def verdicts(grid):
    found = compare(rows(grid), protocol.ITEM, roles=ROLES, datasets=protocol.stand_ins(grid))
    return [one.verdict for one in found if one.sentence]


def test_errors_and_corruption_errors_of_known_mistakes():
    found = rows(toys.restyled("alexnet_mini", "resnet50_mini", wrong=8))
    mine = found.select(model="resnet50_mini")
    assert mine.row(metric="ce", corruption="style_transfer").value == pytest.approx(0.8)
    assert mine.row(metric="ce", corruption="fog").value == pytest.approx(0.4)
    assert mine.row(metric="largest_ce").value == pytest.approx(0.4)
    assert mine.row(metric="mce").value == pytest.approx(0.4)
    errors = mine.select(metric="error")
    assert [row.value for row in errors.rows] == [0.05, 0.4, 0.4]
    assert [row.dataset for row in errors.rows] == ["toys", *["toys_style_transfer"] * 2]
    assert found.row(metric="severities").value == 2


def test_the_largest_is_drawn_anew_in_each_resample():
    mine = rows(toys.restyled("alexnet_mini", "resnet50_mini")).select(model="resnet50_mini")
    draws = [
        row.draws.values() for row in mine.select(metric="ce").rows
        if row.corruption != "style_transfer"
    ]  # fmt: skip
    assert np.allclose(mine.row(metric="largest_ce").draws.values(), largest(np.stack(draws)))


def test_without_all_fifteen_there_is_neither_a_largest_nor_a_mean():
    grid = toys.restyled("alexnet_mini", "resnet50_mini")
    less = replace(grid, cells={key: one for key, one in grid.cells.items() if key[1] != "fog"})
    assert not len(rows(less).select(metric=["mce", "largest_ce"]))
    assert len(rows(less).select(metric="ce", corruption="style_transfer")) == 2


def test_the_claims_hold_fail_and_presuppose_a_gain():
    names = ("alexnet_mini", "vgg11_mini", "resnet50_mini")
    held, near, failed = (toys.restyled(*names, wrong=wrong) for wrong in (9, 5, 0))
    assert verdicts(held) == ["holds", "holds", "holds"]
    assert verdicts(near) == ["not decided", "not decided", "not decided"]
    assert verdicts(failed) == ["does not hold", "does not hold", "does not hold"]
    turned = toys.restyled("resnet50_mini", "alexnet_mini", wrong=9)
    assert verdicts(turned)[2] == "premise fails"
