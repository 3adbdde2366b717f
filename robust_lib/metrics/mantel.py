"""Rank correlation of two symmetric matrices over the same things, and a permutation test of it.

The entries of such a matrix are not independent, because each thing stands in many pairs. The
test of Mantel therefore shuffles the things, rows and columns together, never single entries.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats

from robust_lib.errors import InputError

Matrix = Float[np.ndarray, "things things"]

_AT_ONCE = 4096  # permutations held at once


@dataclass(frozen=True)
class Mantel:
    """How far two matrices agree, and how seldom shuffled ones agree as much.

    Attributes:
        correlation: Spearman's, of the pairs above the diagonal.
        p_value: the share of permutations, the given order among them, that correlate as much or
            more.
        permutations: how many were drawn.
        pairs: how many pairs were ranked.
    """

    correlation: float
    p_value: float
    permutations: int
    pairs: int


def rank_correlation(first: Matrix, second: Matrix) -> float:
    """Return Spearman's correlation of two symmetric matrices' entries above the diagonal.

    Raises:
        InputError: see `mantel`.

    >>> one = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> round(rank_correlation(one, one**2), 6)
    1.0
    """
    one, other = _centred_ranks(first, second)
    above = np.triu_indices(len(one), 1)
    return float(one[above] @ other[above])


def mantel(
    first: Matrix, second: Matrix, *, rng: np.random.Generator, permutations: int = 9999
) -> Mantel:
    """Return the rank correlation of two matrices with the permutation test of Mantel.

    Args:
        first: symmetric, over at least three things.
        second: over the same things in the same order.
        rng: from `seeds.generator`, keyed by what the test is for.
        permutations: how many to draw.

    Raises:
        InputError: matrices of other shapes, not symmetric, with NaN above the diagonal, or whose
            pairs are all equal; or fewer than one permutation.

    >>> one = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    >>> mantel(one, one, rng=np.random.default_rng(0), permutations=999).p_value < 0.02
    True
    """
    if permutations < 1:
        raise InputError(f"Expected at least one permutation, but got {permutations}.")
    one, other = _centred_ranks(first, second)
    rows, columns = np.triu_indices(len(one), 1)
    still = one[rows, columns]
    correlation = float(still @ other[rows, columns])
    as_large = 0
    for start in range(0, permutations, _AT_ONCE):
        count = min(_AT_ONCE, permutations - start)
        orders = rng.permuted(np.tile(np.arange(len(one)), (count, 1)), axis=1)
        shuffled = other[orders[:, rows], orders[:, columns]] @ still
        # Rounding must not tell apart an order and its mirror image.
        as_large += int((shuffled >= correlation - 1e-12).sum())
    return Mantel(correlation, (1 + as_large) / (1 + permutations), permutations, len(still))


def _centred_ranks(first: Matrix, second: Matrix) -> tuple[Matrix, Matrix]:
    """Return both matrices' ranks, of mean 0 and length 1 above the diagonal."""
    if first.shape != second.shape:
        raise InputError(
            f"Expected two matrices of one shape, but got {first.shape} and {second.shape}."
        )
    return _ranks(first), _ranks(second)


def _ranks(matrix: Matrix) -> Matrix:
    size = len(matrix)
    if matrix.shape != (size, size) or size < 3:
        raise InputError(
            f"Expected a square matrix over at least three things, but got shape {matrix.shape}."
        )
    rows, columns = np.triu_indices(size, 1)
    values = matrix[rows, columns]
    if not np.isfinite(values).all():
        raise InputError(
            "Expected a number for every pair, but got NaN or infinity. Leave out what is not "
            "defined in either matrix."
        )
    if not np.allclose(values, matrix.T[rows, columns]):
        raise InputError("Expected symmetric matrices, but got one that is not.")
    ranks = stats.rankdata(values)
    ranks -= ranks.mean()
    if not ranks.any():
        raise InputError("Expected pairs that differ, but all are equal: ranks mean nothing.")
    square = np.zeros((size, size))
    square[rows, columns] = square[columns, rows] = ranks / np.linalg.norm(ranks)
    return square
