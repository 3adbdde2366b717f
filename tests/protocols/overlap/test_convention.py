"""Conventions say in words what the paper leaves open, and refuse bounds that are none."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.overlap.convention import PAPER, Convention
from tests.protocols.overlap.toys import table


def test_every_bound_stands_in_the_words():
    assert PAPER.words == (
        "accuracy over clean accuracy; own gains above 0 by their whole interval, networks within "
        "5 points of the standard one on clean images, scores with an interval of at most 0.5"
    )
    ours = Convention(least_gain=0.03, most_apart=0.025, widest=0.7)
    for words in ("above 0.03", "within 2.5 points", "at most 0.7"):
        assert words in ours.words
    assert ours.raw.words.startswith("raw accuracy; own gains above 0.03")


def test_raw_accuracies_differ_where_clean_ones_do():
    one = table()
    uneven = one.clean * np.linspace(0.7, 1, 18)
    usual, raw = (
        each.overlaps(one.accuracy, uneven).scores[0, 9, 10] for each in (PAPER, PAPER.raw)
    )
    assert raw == pytest.approx(0.1)
    assert abs(usual - 0.1) > 0.05


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"least_gain": -0.1}, "least_gain from 0 to below 1, but got -0.1"),
        ({"least_gain": float("nan")}, "least_gain"),
        ({"most_apart": 5}, "most_apart from 0 to below 1, but got 5"),
        ({"widest": 0.0}, "widest to be above 0"),
    ],
)
def test_bounds_that_are_none_are_refused(wrong, words):
    with pytest.raises(InputError, match=words):
        Convention(**{name: float(value) for name, value in wrong.items()})
