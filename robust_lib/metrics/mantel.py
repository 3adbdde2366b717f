"""Rank correlation of two symmetric matrices over the same items, and its permutation test.

The entries of such a matrix are not independent, because each item is in many pairs. Mantel's test
therefore shuffles the items, rows and columns together, never single entries. Pairs may be left
out: ranks are then computed among the remaining pairs, and a permutation is judged by the pairs
that count both before and after it.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from robust_lib.errors import InputError

Matrix = Float[np.ndarray, "things things"]
Pairs = Bool[np.ndarray, "things things"]

_AT_ONCE = 4096  # permutations held at once


@dataclass(frozen=True)
class Mantel:
    """The agreement of two matrices, with a permutation test.

    Attributes:
        correlation: Spearman's correlation of the pairs above the diagonal.
        p_value: the share of permutations, the given order included, with at least this
            correlation.
    """

    correlation: float
    p_value: float
    permutations: int
    pairs: int


def rank_correlation(first: Matrix, second: Matrix, pairs: Pairs | None = None) -> float:
    """Return Spearman's correlation between two symmetric matrices, above the diagonal.

    Args:
        first: symmetric, over at least three items.
        pairs: the counted pairs, symmetric; None: all.

    Raises:
        InputError: see `mantel`.

    >>> one = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> round(rank_correlation(one, one**2), 6)
    1.0
    """
    one, other, _ = _centred_ranks(first, second, pairs)
    above = np.triu_indices(len(one), 1)
    return float(one[above] @ other[above])


def mantel(
    first: Matrix,
    second: Matrix,
    *,
    rng: np.random.Generator,
    permutations: int = 9999,
    pairs: Pairs | None = None,
) -> Mantel:
    """Return the rank correlation of two matrices with Mantel's permutation test.

    Args:
        pairs: the counted pairs, symmetric; None: all.

    Raises:
        InputError: matrices of different shapes, not symmetric, with NaN in a pair that counts, or
            whose pairs are all equal; or fewer than one permutation.

    >>> one = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    >>> mantel(one, one, rng=np.random.default_rng(0), permutations=999).p_value < 0.02
    True
    """
    if permutations < 1:
        raise InputError(f"Expected at least one permutation, but got {permutations}.")
    one, other, counted = _centred_ranks(first, second, pairs)
    rows, columns = np.triu_indices(len(one), 1)
    still, there = one[rows, columns], counted[rows, columns].astype(float)
    correlation = float(still @ other[rows, columns])
    as_large = 0
    for start in range(0, permutations, _AT_ONCE):
        count = min(_AT_ONCE, permutations - start)
        orders = rng.permuted(np.tile(np.arange(len(one)), (count, 1)), axis=1)
        places = orders[:, rows], orders[:, columns]
        # Of the ranks' lengths, what belongs to pairs that count before and after.
        before, after = counted[places] @ still**2, (other**2)[places] @ there
        length = np.sqrt(before * after)
        shuffled = np.divide(
            other[places] @ still, length, out=np.zeros(count), where=length > 1e-12
        )
        # Rounding must not tell apart an order and its mirror image.
        as_large += int((shuffled >= correlation - 1e-12).sum())
    ranked = int(there.sum())
    return Mantel(correlation, (1 + as_large) / (1 + permutations), permutations, ranked)


def _centred_ranks(
    first: Matrix, second: Matrix, pairs: Pairs | None
) -> tuple[Matrix, Matrix, Pairs]:
    """Return both matrices' ranks, of mean 0 and length 1 above the diagonal, and what counts.

    A pair that does not count has rank 0.
    """
    if first.shape != second.shape or (pairs is not None and pairs.shape != first.shape):
        third = "" if pairs is None else f" and {pairs.shape}"
        raise InputError(
            f"Expected matrices of the same shape, but got {first.shape} and {second.shape}{third}."
        )
    counted = ~np.eye(len(first), dtype=bool)
    counted = counted if pairs is None else counted & pairs
    return _ranks(first, counted), _ranks(second, counted), counted


def _ranks(matrix: Matrix, counted: Pairs) -> Matrix:
    size = len(matrix)
    if matrix.shape != (size, size) or size < 3:
        raise InputError(
            f"Expected a square matrix over at least three items, but got shape {matrix.shape}."
        )
    rows, columns = np.nonzero(np.triu(counted, 1))
    values = matrix[rows, columns]
    if not np.isfinite(values).all():
        raise InputError(
            "Expected a number for every pair that counts, but got NaN or infinity. Omit pairs "
            "that are not defined in either matrix."
        )
    if not np.allclose(values, matrix.T[rows, columns]) or (counted != counted.T).any():
        raise InputError("Expected symmetric matrices, but got one that is not.")
    from scipy import stats  # half a second, which other chapters need not wait for

    ranks = stats.rankdata(values)
    ranks -= ranks.mean() if len(ranks) else 0
    if not ranks.any():
        raise InputError("Expected pairs that differ, but all are equal: ranks are not defined.")
    square = np.zeros((size, size))
    square[rows, columns] = square[columns, rows] = ranks / np.linalg.norm(ranks)
    return square
