"""The overlap as the paper's formulas read, one pair at a time, in plain Python."""

from itertools import combinations


def robustness(accuracy, clean):
    return accuracy / clean


def score(first, second, accuracy, clean):
    """Formula (2) for two corruptions; None where a denominator is not positive.

    `accuracy[m][c]` and `clean[m]`, network 0 being the standard one, network c + 1 trained with
    corruption c.
    """

    def r(network, corruption):
        return robustness(accuracy[network][corruption], clean[network])

    standard, m1, m2 = 0, first + 1, second + 1
    below_first = r(m2, second) - r(standard, second)
    below_second = r(m1, first) - r(standard, first)
    if below_first <= 0 or below_second <= 0:
        return None
    one = (r(m1, second) - r(standard, second)) / below_first
    other = (r(m2, first) - r(standard, first)) / below_second
    return max(0, 0.5 * (one + other))


def matrix(accuracy, clean):
    count = len(accuracy[0])
    return [[score(i, j, accuracy, clean) for j in range(count)] for i in range(count)]


def means(scores, diagonal):
    found = []
    for i, row in enumerate(scores):
        entries = [value for j, value in enumerate(row) if diagonal or i != j]
        found.append(sum(entries) / len(entries))
    return found


def group(scores, members):
    entries = [scores[i][j] for i, j in combinations(members, 2)]
    return sum(entries) / len(entries)


def ranks(values):
    """Mean ranks: how many are smaller, and half of the others that are equal."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2
        for value in values
    ]


def spearman(first, second):
    one, other = ranks(first), ranks(second)
    middle = sum(one) / len(one), sum(other) / len(other)
    above = sum((a - middle[0]) * (b - middle[1]) for a, b in zip(one, other, strict=True))
    spread = [sum((a - m) ** 2 for a in v) for v, m in zip((one, other), middle, strict=True)]
    return above / (spread[0] * spread[1]) ** 0.5


def pairs(matrix, order=None):
    order = range(len(matrix)) if order is None else order
    return [matrix[order[i]][order[j]] for i, j in combinations(range(len(matrix)), 2)]
