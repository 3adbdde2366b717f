"""Accuracy and yield by difficulty, on candidates whose predictions are known."""

import numpy as np
import pandas as pd
import pytest

from robust_book.chapters.nae_2_imagenet_a import difficulty
from robust_lib.errors import InputError
from tests.chapters.nae_1_construction.filtrations import FILTRATION
from tests.protocols.nae.toys import masked

HARDNESS = (0.0, 0.1, 0.2, 0.3, 0.8, 0.9, 1.0)  # "g", the last, is left
MASKED = masked("pool", {"net": 3}, images=7)


def test_each_width_has_its_own_counts_and_shares():
    frame = difficulty.curve(FILTRATION, HARDNESS, MASKED, "net", bins=2)
    assert list(frame.columns) == list(difficulty.COLUMNS)
    easy, hard = frame.itertuples(index=False)
    assert tuple(easy)[:5] == pytest.approx((0.25, 4, 0, 0.0, 75.0))
    assert np.isnan(easy[5])  # nothing is left
    assert tuple(hard) == pytest.approx((0.75, 3, 1, 100 / 3, 0.0, 0.0))


def test_every_candidate_is_counted_once():
    frame = difficulty.curve(FILTRATION, HARDNESS, MASKED, "net", bins=5)
    assert frame["candidates"].sum() == 7
    assert frame["left"].sum() == 1


def test_the_prose_names_the_first_and_the_last_bin_that_the_filter_left_some_of():
    numbers = difficulty.key_numbers(difficulty.curve(FILTRATION, HARDNESS, MASKED, "net", bins=2))
    assert numbers["easy_all"] == numbers["hard_all"]  # of the easy ones nothing is left
    assert (numbers["hard_all"].text, numbers["hard_all"].n) == ("0 %", 3)
    assert (numbers["hard_left"].value, numbers["hard_left"].n) == (0.0, 1)


def test_the_prose_says_where_nothing_was_measured():
    empty = pd.DataFrame(columns=list(difficulty.COLUMNS))
    assert {one.text for one in difficulty.key_numbers(empty).values()} == {"not measured"}


def test_other_candidates_are_refused():
    with pytest.raises(InputError, match=r"7 candidates.*6.*7"):
        difficulty.curve(FILTRATION, HARDNESS[:-1], MASKED, "net")
