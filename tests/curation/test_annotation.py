"""Votes: the majority, and agreement against published examples and a slow count of pairs."""

import numpy as np
import pytest

from robust_lib.curation.annotation import agreement, fleiss_kappa, majority, vote_counts
from robust_lib.errors import InputError
from tests.looped import over
from tests.reference import filtration as reference

# Fourteen raters, ten things, five categories: the worked example of many textbooks.
TEXTBOOK = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
# Six psychiatrists, thirty patients: table 1 of Fleiss (1971).
FLEISS = """
    00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
    00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""


@pytest.mark.parametrize(
    ("table", "kappa"),
    [(TEXTBOOK, 0.210), ([[int(n) for n in row] for row in FLEISS.split()], 0.430)],
)
def test_kappa_is_the_published_one(table, kappa):
    assert round(fleiss_kappa(np.array(table)), 3) == kappa


@over("draw", range(30))
def test_kappa_is_that_of_counting_pairs(draw):
    rng = np.random.default_rng(draw)
    shares = rng.dirichlet([1, 1, 1])
    counts = rng.multinomial(rng.integers(2, 6), shares, rng.integers(2, 8))
    counts[0] = np.roll(counts[1], 1)  # so that not all votes are of one category
    assert fleiss_kappa(counts) == pytest.approx(reference.fleiss_kappa(counts), abs=1e-12)


def test_kappa_of_one_category_is_not_defined():
    assert np.isnan(fleiss_kappa(np.array([[3, 0], [3, 0]])))
    assert agreement(np.array([[3, 0], [3, 0]])) == 1.0


def test_agreement_is_the_share_of_equal_pairs():
    assert agreement(np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1]])) == pytest.approx((1 + 1 / 3) / 3)


@pytest.mark.parametrize(
    "counts", [np.zeros((0, 3), int), np.array([[1, 0]]), np.array([[2, 0], [2, 1]])]
)
def test_votes_that_cannot_be_compared(counts):
    for measure in (agreement, fleiss_kappa):
        with pytest.raises(InputError, match="the same number of votes on each"):
            measure(counts)


@pytest.mark.parametrize(
    ("votes", "word"),
    [
        (["keep"], "keep"),
        (["keep", "drop", "drop"], "drop"),
        (["keep", "drop"], "unsure"),
        (["keep", "keep", "drop", "drop", "unsure"], "unsure"),
        (["unsure", "unsure", "keep"], "unsure"),
    ],
)
def test_the_majority_is_the_most_frequent_vote_and_unsure_in_a_tie(votes, word):
    assert majority(votes) == word
    assert majority(votes[::-1]) == word


def test_counts_are_in_the_order_of_the_words():
    assert vote_counts([["drop", "unsure"], ["keep", "keep"]]).tolist() == [[0, 1, 1], [2, 0, 0]]
    assert vote_counts([]).shape == (0, 3)


def test_no_votes_have_no_majority():
    with pytest.raises(InputError, match="at least one vote"):
        majority([])
