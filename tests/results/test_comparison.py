"""Two numbers of a claim: what pairs, intervals and too few things say of them."""

import numpy as np
import pytest

from robust_lib.results.comparison import FEWEST, LEVEL, Comparison
from robust_lib.results.estimate import Draws
from robust_lib.results.row import Row


def row(model: str, value: float, n: int = 9, **more) -> Row:
    return Row(
        item="inc-fig2", dataset="toy", metric="mce", model=model, value=value, n=n, n_full=n,
        **more,
    )  # fmt: skip


def drawn(model: str, values: np.ndarray, n: int = 9) -> Row:
    return row(model, float(values.mean()), n, draws=Draws("toys", lambda: values))


def less(greater: Row, smaller: Row, *, strict: bool = True) -> Comparison:
    rows = ((1, greater), (-1, smaller))
    return Comparison(greater.value - smaller.value, strict, rows)


def test_draws_are_paired_and_intervals_are_not():
    shaken = np.linspace(-0.3, 0.3, 1000)
    paired = less(drawn("a", 0.9 + shaken), drawn("b", 0.8 + shaken))
    assert paired.ends(LEVEL) == pytest.approx((0.1, 0.1))
    assert paired.speaks(1) == "for"
    apart = less(row("a", 0.9, low=0.6, high=1.2), row("b", 0.8, low=0.5, high=1.1))
    assert apart.ends(LEVEL) == pytest.approx((-0.5, 0.7))
    assert apart.speaks(1) == "neither"


@pytest.mark.parametrize(("strict", "word"), [(True, "against"), (False, "for")])
def test_a_difference_of_nothing_is_against_what_has_to_be_greater(strict, word):
    assert less(row("a", 0.8), row("b", 0.8), strict=strict).speaks(1) == word


@pytest.mark.parametrize(("n", "word"), [(FEWEST - 1, "neither"), (FEWEST, "for")])
def test_few_things_decide_nothing_whatever_their_resamples_say(n, word):
    made = less(drawn("a", np.full(100, 0.9), n), drawn("b", np.full(100, 0.8)))
    assert made.speaks(1) == word
    assert made.fewest == n


def test_a_count_is_as_it_is():
    images = Row(item="inc-fig2", dataset="toy", metric="images", value=3.0)
    made = Comparison(2.0, True, ((1, images),))
    assert (made.uncertain, made.fewest, made.speaks(1)) == ([], None, "for")
