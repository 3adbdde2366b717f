"""What corruption errors are divided by: published errors, and measured ones."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.corruption_error.normaliser import Normaliser, measured, published
from robust_lib.results.reported import alexnet_errors
from robust_lib.vocabulary import COMMON
from tests.protocols.corruption_error.toys import grid_of, models


@pytest.fixture(scope="module")
def grid():
    return grid_of(models())


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


def test_a_normaliser_that_was_not_evaluated_is_refused(grid):
    with pytest.raises(InputError, match=r"normaliser vgg11 .*weak, middling, strong"):
        measured(grid, "vgg11")


def test_normalisers_are_plain_records():
    given = Normaliser({"fog": np.array([0.5, 1.0])}, 0.4, "someone's")
    assert given.divides("fog", relative=False)
    assert given.divides("fog", relative=True)
    assert not replace(given, clean=0.75).divides("fog", relative=True)
