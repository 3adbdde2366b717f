"""Comparisons: pairs, ties, few pictures, several seeds, and how often each is wrongly decided."""

from collections import Counter

import numpy as np
import pytest

from robust_lib.metrics.intervals import Sample
from robust_lib.results.comparison import FEWEST, LEVEL, Comparison
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.results.row import Row


def _row(model: str, value: float, n: int = 9, **more) -> Row:
    return Row(
        item="inc-fig2", dataset="toy", metric="mce", model=model, value=value, n=n, n_full=n,
        **more,
    )  # fmt: skip


def _drawn(model: str, values: np.ndarray, n: int = 9) -> Row:
    return _row(model, float(values.mean()), n, draws=Draws("toys", lambda: values))


def less(greater: Row, smaller: Row, *, strict: bool = True) -> Comparison:
    rows = ((1, greater), (-1, smaller))
    return Comparison(greater.value - smaller.value, strict, rows)


def test_draws_are_paired_and_intervals_are_not():
    shaken = np.linspace(-0.3, 0.3, 1000)
    paired = less(_drawn("a", 0.9 + shaken), _drawn("b", 0.8 + shaken))
    assert paired.ends(LEVEL) == pytest.approx((0.1, 0.1))
    assert paired.speaks(1) == "for"
    apart = less(_row("a", 0.9, low=0.6, high=1.2), _row("b", 0.8, low=0.5, high=1.1))
    assert apart.ends(LEVEL) == pytest.approx((-0.5, 0.7))
    assert apart.speaks(1) == "neither"


@pytest.mark.parametrize(("strict", "word"), [(True, "against"), (False, "for")])
def test_equal_numbers_of_which_nothing_else_is_known_are_compared_as_they_are(strict, word):
    assert less(_row("a", 0.8), _row("b", 0.8), strict=strict).speaks(1) == word


@pytest.mark.parametrize(("n", "word"), [(FEWEST - 1, "neither"), (FEWEST, "for")])
def test_few_things_decide_nothing_whatever_their_resamples_say(n, word):
    made = less(_drawn("a", np.full(100, 0.9), n), _drawn("b", np.full(100, 0.8)))
    assert made.speaks(1) == word
    assert made.fewest == n


def test_a_count_is_as_it_is():
    images = Row(item="inc-fig2", dataset="toy", metric="images", value=3.0)
    made = Comparison(2.0, True, ((1, images),))
    assert (made.uncertain, made.fewest, made.speaks(1)) == ([], None, "for")


def _right(model: str, right: np.ndarray, samples: int = 1000, of: str = "toys") -> Row:
    found = Estimate.of_rate(list(np.atleast_2d(right)), images=of, samples=samples)
    return Row.of(found, item="inc-fig2", dataset="toy", metric="accuracy", model=model)


@pytest.mark.parametrize(("clusters", "word"), [(FEWEST - 1, "neither"), (10, "for")])
def test_few_clusters_decide_nothing_however_many_images_they_hold(clusters, word):
    def of(model: str, right: bool) -> Row:
        names = tuple(f"drawing {place % clusters}" for place in range(200))
        found = Estimate.of_rate([np.full(200, right)], images=Sample("toys", names))
        return Row.of(found, item="inc-fig2", dataset="toy", metric="accuracy", model=model)

    made = less(of("a", True), of("b", False))
    assert (made.fewest, made.speaks(1)) == (clusters, word)


def test_what_few_clusters_tell_is_counted_by_clusters():
    """Six drawings of sixty tell two networks apart, forty pictures each: that is six, not 240."""
    drawing = np.repeat(np.arange(60), 40)
    toys = Sample("toys", tuple(map(str, drawing)))
    better = Estimate.of_rate([drawing < 35], images=toys)
    worse = Estimate.of_rate([(drawing < 30) | (drawing == 40)], images=toys)
    rows = [
        Row.of(one, item="inc-fig2", dataset="toy", metric="accuracy", model=name)
        for one, name in ((better, "a"), (worse, "b"))
    ]
    made = less(*rows)
    assert made.speaks(1) == "neither"  # five against one: p = 0.22
    alone = less(_right("a", drawing < 35), _right("b", (drawing < 30) | (drawing == 40)))
    assert alone.speaks(1) == "for"


def _told_apart(ahead: int, behind: int, images: int = 200) -> tuple[Row, Row]:
    places = np.arange(images)
    one = (places >= 50) | (places < ahead)
    other = (places >= 50) | ((places >= ahead) & (places < ahead + behind))
    return _right("a", one), _right("b", other)


@pytest.mark.parametrize("strict", [True, False])
def test_a_tie_of_samples_is_no_evidence(strict):
    made = less(*_told_apart(0, 0), strict=strict)
    assert made.speaks(1) == "neither"
    low, high = made.ends(LEVEL)
    assert low == -high < -0.01  # as many as 1.8 % may differ where none of 200 does
    unmoved = less(_drawn("a", np.full(100, 0.9)), _drawn("b", np.full(100, 0.9)), strict=strict)
    assert (unmoved.ends(LEVEL), unmoved.speaks(1)) == ((0, 0), "neither")


@pytest.mark.parametrize(
    ("ahead", "behind", "word"),  # one side of McNemar's exact test, at most 2.5 %
    [(5, 0, "neither"), (6, 0, "for"), (7, 1, "neither"), (8, 1, "for"),
     (0, 5, "neither"), (0, 6, "against"), (1, 7, "neither"), (1, 8, "against")],
)  # fmt: skip
def test_few_pictures_that_tell_two_apart_are_counted_exactly(ahead, behind, word):
    made = less(*_told_apart(ahead, behind))
    assert made.speaks(1) == word
    low, high = made.ends(LEVEL)
    assert low < made.margin < high  # the test bounds the difference at 0 alone


@pytest.mark.parametrize(("right", "word"), [(0, "neither"), (1, "for"), (2, "for")])
def test_a_rate_of_few_is_compared_by_its_exact_interval(right, word):
    row = _right("a", np.arange(100) < right)
    assert Comparison(row.value, True, ((1, row),)).speaks(1) == word
    assert Comparison(0.01 - row.value, True, ((-1, row),)).speaks(1) == "neither"


def test_numbers_of_other_numbers_of_resamples_stay_pairs():
    right = np.arange(400) % 2 == 0
    better = right | (np.arange(400) % 16 == 1)
    pair = _right("a", better, 1000), _right("b", right, 200)
    low, high = less(*pair).ends(LEVEL)
    assert less(*(_right("ab"[i], (better, right)[i], 200) for i in (0, 1))).ends(LEVEL) == (
        pytest.approx((low, high))
    )
    assert 0.03 < low < high < 0.1  # two intervals together say −0.03 to 0.16


def _shares_decided(make, runs: int = 200) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    said = Counter(make(rng).speaks(1) for _ in range(runs))
    return said["for"] / runs, said["against"] / runs


@pytest.mark.parametrize(("images", "rate"), [(50, 0.02), (192, 0.005), (192, 0.01), (50, 0.1)])
def test_equal_networks_are_seldom_decided_between(images, rate):
    def make(rng):
        return less(*(_right(name, rng.random(images) < rate, 200) for name in "ab"))

    assert max(_shares_decided(make)) <= 0.05


@pytest.mark.parametrize("seeds", [2, 3, 5, 8])
def test_networks_of_one_kind_are_seldom_decided_between_whatever_the_seeds(seeds):
    def make(rng):
        hard = rng.random(400)

        def row(name):
            levels = 0.5 + 0.02 * rng.standard_normal(seeds)
            return _right(name, hard < levels[:, None], 50)

        return less(row("a"), row("b"))

    assert max(_shares_decided(make)) <= 0.05


def test_more_pictures_and_other_seeds_both_widen_what_seeds_decide():
    rng = np.random.default_rng(0)
    alike = [rng.random(100) < 0.6 for _ in "ab"]
    made = less(*(_right(name, np.stack([one] * 8)) for name, one in zip("ab", alike, strict=True)))
    low, high = made.ends(LEVEL)  # all seeds say the same; the pictures alone are uncertain
    assert high - low > 0.2
    assert made.seeds == 8
