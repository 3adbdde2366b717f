"""Bootstrap draws of biased statistics, with the bias removed.

Resamples deviate from the sample as the sample deviates from the truth, so the bias of the
resamples estimates that of the sample.
"""

import numpy as np
from jaxtyping import Float

from robust_lib.metrics.intervals import Draws

_FURTHEST, _HALVINGS = 4.0, 50  # of the logarithm of the odds


def without_bias(draws: Draws, value: float) -> Draws:
    """Return the draws of a rate without the bias of resampling and of sampling.

    AUPR is higher if there are fewer images. Resamples contain fewer distinct images, so their mean
    lies above the sample's value, just as the sample's value lies above that of all images: both
    biases are removed. The difference between two networks on the same images needs no such step,
    because both have the same bias.

    Args:
        value: value for the sample itself.

    >>> without_bias(np.array([0.5, 0.7]), 0.5).round(6).tolist()
    [0.3, 0.5]
    """
    known = draws[np.isfinite(draws)]
    shift = float(known.mean()) - value if len(known) else 0.0
    return np.clip(draws - 2 * shift, 0.0, 1.0)


def largest(drawn: Float[np.ndarray, "things draws"]) -> Draws:
    """Return the largest of several numbers in each draw, without its upward bias.

    Among numbers that are truly equal, the one with the luckiest sample is the largest. This raises
    the sample's largest number, and the resamples raise theirs beyond the largest of their means:
    both biases are removed.

    Args:
        drawn: draws of each number on the same resamples; NaN is never the largest.

    >>> largest(np.array([[0.2, 0.4], [0.4, 0.2]])).round(6).tolist()
    [0.2, 0.2]
    >>> largest(np.array([[0.2, 0.4], [0.1, 0.1]])).round(6).tolist()
    [0.2, 0.4]
    """
    top = np.fmax.reduce(drawn, axis=0)
    return np.asarray(top - 2 * (np.nanmean(top) - np.nanmean(drawn, axis=1).max()))


def number_above(
    margins: Float[np.ndarray, "things draws"], level: float = 0.95
) -> tuple[int, int]:
    """Return an interval for the number of values above 0 among several, from their draws.

    At least u of m values are taken to be above 0 if the u-th most certain of them is, at a level
    widened for the m - u + 1 that are no more certain, any of which could be above 0 by chance. If
    several values are near 0, the number above 0 in the draws is therefore not a valid lower end.

    Args:
        margins: draws of each number on the same resamples; NaN counts for neither side.

    >>> sure, open_still = np.full(99, 0.1), np.linspace(-1.0, 1.0, 99)
    >>> number_above(np.stack([sure, open_still]))
    (1, 2)
    >>> likely = np.r_[-0.1, np.full(98, 0.1)]  # enough for one alone, and for none of three
    >>> number_above(likely[None]), number_above(np.stack([likely] * 3))
    ((1, 1), (0, 3))
    """
    things = len(margins)
    tail = (1 - level) / 2
    believed = []
    for side in (margins, -margins):
        doubts = np.sort((~(side > 0)).mean(1))
        enough = doubts * (things - np.arange(things)) <= tail
        believed.append(int(np.cumprod(enough).sum()))
    return believed[0], things - believed[1]


def mirrored(draws: Draws, value: float, *, least: float = 0.0) -> Draws:
    """Return the draws of the basic bootstrap: the draws mirrored at the value.

    Noise lowers a correlation, and resamples are noisier than the sample: they lie below its value
    as this lies below the value without noise, so the interval reaches further up than down. The
    value itself remains lowered by noise.

    Args:
        least: lower bound of all draws; the upper bound is 1.

    >>> mirrored(np.array([0.5, 0.7, 0.9]), 0.8).round(1).tolist()
    [1.0, 0.9, 0.7]
    """
    return np.asarray(np.clip(2 * value - draws, least, 1.0))


def unshifted(draws: Draws, value: float) -> Draws:
    """Return draws of a share, shifted so that their mean equals the share itself.

    Some statistics are higher in resamples than on all images, because a repeated image keeps its
    confidence: in a class with few objects, one of them found, the average precision rises with the
    number of times that one is drawn. An interval of such draws would be too high by the same
    amount. All odds are multiplied by one factor, so that shares of 0 and 1 do not change.

    Args:
        draws: draws of the share; NaN, where undefined, is kept.
        value: share over all images.

    >>> draws = unshifted(np.array([0.25, 0.5, np.nan, 1.0]), 0.5)
    >>> draws.round(2).tolist(), round(float(np.nanmean(draws)), 6)
    ([0.15, 0.35, nan, 1.0], 0.5)
    """
    share = np.clip(draws, 0, 1)
    inside = (share > 0) & (share < 1)
    if not inside.any() or not 0 < value < 1:
        return draws

    def moved(logit: float) -> Draws:
        kept, lost = share * np.exp(logit), 1 - share
        result: Draws = kept / (kept + lost)
        return result

    low, high = -_FURTHEST, _FURTHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = np.nanmean(moved(middle)) > value
        low, high = (low, middle) if above else (middle, high)
    return moved((low + high) / 2)
