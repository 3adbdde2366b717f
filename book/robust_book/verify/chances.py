"""Percentiles, exact intervals and quantiles, in plain Python."""

import math
from collections.abc import Callable, Sequence

Ends = tuple[float, float] | None
TAIL = 0.025


def percentiles(draws: Sequence[float], level: float) -> Ends:
    """Return the ends that exclude equal shares of draws; None if too many have no number."""
    known = sorted(one for one in draws if math.isfinite(one))
    if not known or len(known) < (1 - TAIL) * len(draws):
        return None
    tail = (1 - level) / 2
    low, high = ((len(known) - 1) * one for one in (tail, 1 - tail))
    return _between(known, low), _between(known, high)


def _between(known: Sequence[float], place: float) -> float:
    below = min(int(place), len(known) - 1)
    above = min(below + 1, len(known) - 1)
    return known[below] + (known[above] - known[below]) * (place - below)


def share_below(a: float, b: float, x: float) -> float:
    """Return the share of the beta distribution below x: the regularised incomplete beta function.

    Lentz's continued fraction [Abramowitz and Stegun, 26.5.8].
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - share_below(b, a, 1 - x)
    first = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny, c, d, total = 1e-300, 1.0, 0.0, 1.0
    for step in range(1000):
        half = step // 2
        factor = 1.0
        if step % 2:
            factor = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        elif step:
            factor = half * (b - half) * x / ((a + step - 1) * (a + step))
        d = 1 / (1 + factor * d or tiny)
        c = 1 + factor / c or tiny
        total *= c * d
        if step and abs(c * d - 1) < 1e-14:
            break
    return first * (total - 1) / a


def _where(rises: Callable[[float], bool]) -> float:
    """Return the point in [0, 1] above which a condition holds, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) else (middle, high)
    return (low + high) / 2


def clopper_pearson(number: int, of: int, level: float) -> tuple[float, float]:
    """Return the exact interval (Clopper-Pearson) of a share."""
    tail = (1 - level) / 2
    low = _where(lambda x: share_below(number, of - number + 1, x) >= tail) if number else 0.0
    high = 1.0
    if number < of:
        high = _where(lambda x: share_below(number + 1, of - number, x) >= 1 - tail)
    return low, high


def student(freedom: int, share: float) -> float:
    """Return the quantile of Student's distribution, for a share above a half."""
    x = _where(lambda x: share_below(freedom / 2, 0.5, x) >= 2 * (1 - share))
    return math.sqrt(freedom * (1 / x - 1))
