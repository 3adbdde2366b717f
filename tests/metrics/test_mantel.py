"""Rank correlation of matrices and its permutation test, against loops and known chances."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics import mantel as module
from robust_lib.metrics.mantel import mantel, rank_correlation
from tests.looped import over
from tests.reference import overlap as reference
from tests.toys import unchecked


def symmetric(case, size=6, ties=False):
    values = seeds.generator("matrix", case).uniform(0, 1, (size, size))
    values = np.round(values, 1) if ties else values
    matrix = np.triu(values, 1)
    return matrix + matrix.T + np.eye(size)


@pytest.mark.parametrize("ties", [False, True])
@over("case", range(5))
def test_correlation_is_spearmans_of_the_pairs(case, ties):
    one, other = symmetric(case, ties=ties), symmetric(case + 100, ties=ties)
    pairs = [reference.pairs(matrix.tolist()) for matrix in (one, other)]
    found = rank_correlation(one, other)
    assert found == pytest.approx(reference.spearman(*pairs))
    assert found == pytest.approx(stats.spearmanr(*pairs).statistic)
    assert found == pytest.approx(rank_correlation(other, one))


def test_a_matrix_correlates_wholly_with_itself_and_against_its_opposite():
    one = symmetric(0)
    assert rank_correlation(one, one) == pytest.approx(1)
    assert rank_correlation(one, one**3) == pytest.approx(1)  # only ranks count
    assert rank_correlation(one, 1 - one) == pytest.approx(-1)


def test_the_diagonal_does_not_count():
    one, other = symmetric(0), symmetric(1)
    changed = other + np.diag(np.arange(6.0))
    assert rank_correlation(one, changed) == rank_correlation(one, other)


def test_reordering_both_alike_changes_nothing():
    one, other = symmetric(0), symmetric(1)
    order = np.ix_([3, 1, 5, 0, 2, 4], [3, 1, 5, 0, 2, 4])
    assert rank_correlation(one[order], other[order]) == pytest.approx(rank_correlation(one, other))


def exact_p(one, other):
    """Of all orders of the things, the share that correlates as much or more."""
    still = reference.pairs(one.tolist())
    given = reference.spearman(still, reference.pairs(other.tolist()))
    found = [
        reference.spearman(still, reference.pairs(other.tolist(), order))
        for order in permutations(range(len(one)))
    ]
    return np.mean([value >= given - 1e-9 for value in found])


@over("case", range(3))
def test_p_value_is_near_that_of_all_orders(case):
    one = symmetric(case, size=5)
    other = one + 0.5 * symmetric(case + 50, size=5)
    expected = exact_p(one, other)
    assert 0 < expected < 1
    found = mantel(one, other, rng=seeds.generator("p", case), permutations=20_000)
    assert found.p_value == pytest.approx(expected, abs=0.015)
    assert found.correlation == rank_correlation(one, other)
    assert (found.permutations, found.pairs) == (20_000, 10)


def test_unrelated_matrices_are_seldom_called_alike():
    """Among unrelated pairs, p-values below a tenth come in about a tenth of all cases."""
    p_values = [
        mantel(
            symmetric(case, 8), symmetric(case + 500, 8), rng=seeds.generator(case),
            permutations=199,
        ).p_value
        for case in range(200)
    ]  # fmt: skip
    assert 0.04 < np.mean(np.array(p_values) <= 0.1) < 0.17
    assert 0.4 < np.mean(p_values) < 0.6


def with_odd_ones(case):
    """Unrelated matrices, in each of which some things are unlike all others."""
    matrix = symmetric(case, 8)
    for odd in seeds.generator("odd", case).choice(8, 3, replace=False):
        matrix[odd, :] += 3
        matrix[:, odd] += 3
    return matrix


def test_shuffling_single_entries_would_claim_too_much():
    """A thing that is unlike all others fills many entries, which are one observation."""
    naive, ours = [], []
    for case in range(300):
        one, other = with_odd_ones(case), with_odd_ones(case + 1000)
        pairs = [reference.pairs(matrix.tolist()) for matrix in (one, other)]
        naive.append(stats.spearmanr(*pairs, alternative="greater").pvalue)
        rng = seeds.generator("odd ones", case)
        ours.append(mantel(one, other, rng=rng, permutations=199).p_value)
    assert np.mean(np.array(naive) < 0.05) > 0.1
    assert np.mean(np.array(ours) < 0.05) < 0.07


def test_p_value_is_never_zero_and_repeats_with_its_generator():
    one = symmetric(0, 10)
    first, again, another = (
        mantel(one, symmetric(7, 10), rng=seeds.generator(key), permutations=500)
        for key in ("a", "a", "b")
    )
    assert first == again
    assert first.p_value != another.p_value
    assert mantel(one, one, rng=seeds.generator(0), permutations=99).p_value == 1 / 100


def test_many_permutations_are_counted_in_parts(monkeypatch):
    one, other = symmetric(0), symmetric(1)
    monkeypatch.setattr(module, "_AT_ONCE", 64)
    found = mantel(one, other, rng=seeds.generator(0), permutations=1000)
    assert (found.p_value * 1001) % 1 == pytest.approx(0, abs=1e-9)
    assert found.p_value == pytest.approx(
        mantel(one, other, rng=seeds.generator(1), permutations=1000).p_value, abs=0.08
    )


def test_pairs_that_do_not_count_change_nothing():
    one, other = symmetric(0, 8), symmetric(1, 8)
    pairs = symmetric(2, 8) > 0.4
    kept = np.triu(pairs, 1)
    expected = stats.spearmanr(one[kept], other[kept]).statistic
    assert rank_correlation(one, other, pairs) == pytest.approx(expected)
    gaps = np.where(pairs, one, np.nan)
    found = [
        mantel(each, other, rng=seeds.generator(0), permutations=99, pairs=pairs)
        for each in (one, gaps)
    ]
    assert found[0] == found[1]
    assert found[0].pairs == kept.sum() < 28
    assert abs(rank_correlation(one, other) - expected) > 0.01
    whole = np.ones((8, 8), bool)
    assert rank_correlation(one, other, whole) == rank_correlation(one, other)


def test_unrelated_matrices_with_gaps_are_seldom_called_alike():
    p_values = []
    for case in range(200):
        pairs = symmetric(case + 2000, 8) > 0.4
        one, other = symmetric(case, 8), symmetric(case + 500, 8)
        rng = seeds.generator("gaps", case)
        p_values.append(mantel(one, other, rng=rng, permutations=199, pairs=pairs).p_value)
    assert 0.04 < np.mean(np.array(p_values) <= 0.1) < 0.17


ONE = symmetric(0)


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (ONE, symmetric(0, 5), r"same shape, but got \(6, 6\) and \(5, 5\)"),
        (ONE[:2, :2], ONE[:2, :2], "at least three items"),
        (ONE[:4], ONE[:4], "square matrix"),
        (np.where(np.eye(6, k=1) == 1, np.nan, ONE), ONE, "Omit pairs that are not defined"),
        (ONE, np.triu(ONE), "symmetric"),
        (ONE, np.eye(6), "all are equal"),
    ],
)
def test_wrong_matrices(one, other, message):
    with unchecked():
        with pytest.raises(InputError, match=message):
            rank_correlation(one, other)
        with pytest.raises(InputError, match=message):
            mantel(one, other, rng=seeds.generator(0))


def test_no_permutations_are_refused():
    with pytest.raises(InputError, match="at least one permutation"):
        mantel(ONE, ONE, rng=seeds.generator(0), permutations=0)


def test_pairs_of_another_shape_or_on_one_side_alone_are_refused():
    with unchecked():
        with pytest.raises(InputError, match=r"\(6, 6\) and \(6, 6\) and \(5, 5\)"):
            rank_correlation(ONE, ONE, np.ones((5, 5), bool))
        with pytest.raises(InputError, match="symmetric"):
            rank_correlation(ONE, ONE, np.triu(np.ones((6, 6), bool)))
        with pytest.raises(InputError, match="all are equal"):
            rank_correlation(ONE, ONE, np.zeros((6, 6), bool))
