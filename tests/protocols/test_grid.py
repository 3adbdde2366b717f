"""A grid of predictions: its axes, and that no picture is read twice."""

from collections import Counter

import numpy as np
import pytest
import torch

from robust_lib.cache import Store
from robust_lib.datasets.derived import Relabelled, Subset
from robust_lib.errors import DataError, ModelError
from robust_lib.protocols.corruption_error import results
from robust_lib.protocols.corruption_error.normaliser import published
from robust_lib.protocols.grid import CorruptedSet, evaluate
from robust_lib.vocabulary import COMMON
from tests.protocols.corruption_error.toys import (
    STRONG,
    THRESHOLDS,
    WEAK,
    Cell,
    error,
    errors,
    grid_of,
    models,
    tolerant,
)
from tests.toys import Misbehaving


@pytest.fixture(scope="module")
def grid():
    return grid_of(models())


def test_a_grid_knows_its_axes(grid):
    assert grid.models == tuple(THRESHOLDS)
    assert grid.corruptions == COMMON
    assert (grid.images, grid.n_full) == (30, 30)
    assert (grid.dataset, grid.corrupted, grid.storage) == ("swatches", "swatches_c", "memory")


def test_each_image_is_read_once_for_all_models(tmp_path):
    log = tmp_path / "read"
    grid_of(models(), corruptions=COMMON[:2], severities=(1, 3), log=log)
    reads = Counter(log.read_text().split())
    assert set(reads) == set(Cell().ids)
    assert set(reads.values()) == {5}  # four cells and the clean set


def test_clean_images_may_be_left_to_another_process(tmp_path):
    log = tmp_path / "read"
    settings = {"corruptions": COMMON[:2], "severities": (1, 3), "log": log}
    cells = grid_of(models(), clean_too=False, **settings)
    assert cells.clean == {}
    assert set(Counter(log.read_text().split()).values()) == {4}
    assert len(cells.cells) == 4 * len(models())


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


def test_models_may_take_the_cells_otherwise_than_clean_images():
    """The archive's pictures are cropped already."""
    clean, cells = models("strong"), {"strong": [tolerant("strong", WEAK)]}
    grid = grid_of(clean, cell_models=cells)
    assert grid.errors("strong", "fog") == pytest.approx(errors(WEAK, "fog"))
    table = results(grid, published(), samples=100)
    found = table.row(metric="error", model="strong", corruption=None).value
    assert found == pytest.approx(error(STRONG, COMMON[0], 0))


@pytest.mark.parametrize(
    ("places", "told"),
    [(range(29, -1, -1), r"has swatch29 where .* has swatch0\b"), (range(20), "20 images and 30")],
)
def test_cells_of_other_images_are_refused(places, told):
    """Clean and corrupted errors are compared image by image."""
    with pytest.raises(DataError, match=told):
        evaluate(
            models("weak"),
            Cell(),
            CorruptedSet("others", lambda *_: Subset(Cell(), tuple(places)), "memory"),
            corruptions=["fog"],
            severities=[1],
            store=None,
        )


@pytest.mark.parametrize(
    "turned",
    [
        lambda cell: Relabelled(cell, cell.classes, cell.class_names, (cell.labels + 1) % 3),
        lambda cell: Relabelled(cell, "others", cell.class_names, np.asarray(cell.labels)),
        lambda cell: Relabelled(cell, cell.classes, cell.class_names[::-1], cell.labels),
    ],
    ids=["labels", "label space", "order of the classes"],
)
@pytest.mark.parametrize("limit", [None, 7])
def test_cells_that_count_classes_otherwise_are_refused(turned, limit):
    def cell(corruption, severity):
        return turned(Cell(corruption=corruption, severity=severity))

    with pytest.raises(DataError, match="to number the classes of its images as swatches does"):
        evaluate(
            models("weak"),
            Cell(),
            CorruptedSet("others", cell, "memory"),
            corruptions=["fog"],
            severities=[1],
            store=None,
            limit=limit,
        )


def test_a_model_that_fails_is_named():
    broken = Misbehaving(lambda images: torch.full((len(images), 3), torch.nan), name="broken")
    with pytest.raises(ModelError, match="broken"):
        grid_of({"broken": [broken]}, corruptions=COMMON[:1])
