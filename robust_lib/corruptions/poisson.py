"""Keyed Poisson counts by the alias method: two table look-ups per pixel, whatever the rate.

An 8-bit level v has the mean count rate * v / 255, so 256 tables serve a whole severity. Counts
at or above the rate all show white and share one entry. Pixels between two levels add a second,
small Poisson count for the remainder, since sums of Poisson counts are Poisson again.
"""

from functools import lru_cache
from math import ceil, log2

import numpy as np
import torch
from jaxtyping import Float32, Int32
from scipy.special import gammainc, gammaln

from robust_lib.corruptions import draws
from robust_lib.corruptions.levels import Images

_BETWEEN = 1e-4  # levels; less than this is float32 rounding, not a value between two levels


def capped_counts(
    stream: draws.Stream, images: Images, rate: int
) -> Int32[torch.Tensor, "n 3 h w"]:
    """Return Poisson counts with mean rate * image, capped at the rate.

    Args:
        images: fractions in [0, 1].
        rate: count that corresponds to white, at most 255.
    """
    scaled = images * 255
    level = scaled.add(_BETWEEN).floor_()
    counts = _counts_of_levels(stream, level.to(torch.int32), rate)
    rest = scaled.sub_(level)
    between = rest > _BETWEEN
    if bool(between.any()):
        more = _small_counts(stream, rest.mul_(between) * (rate / 255))
        counts = (counts + more).clamp_(max=rate)
    return counts


def _counts_of_levels(
    stream: draws.Stream, level: Int32[torch.Tensor, "n 3 h w"], rate: int
) -> Int32[torch.Tensor, "n 3 h w"]:
    size = _table_size(rate)
    width = int(log2(size))
    table = torch.from_numpy(_alias_tables(rate)).to(level.device)
    random = draws.bits(stream, "counts", level[0].numel()).view_as(level)
    column = random.bitwise_right_shift(32 - width).bitwise_and_(size - 1)
    entry = table.index_select(0, (level * size + column).view(-1)).view_as(level)
    chance = random.bitwise_and_(0x7FFFFF)
    keep = chance < entry.bitwise_right_shift(8)
    return torch.where(keep, column, entry.bitwise_and_(0xFF))


def _small_counts(
    stream: draws.Stream, means: Float32[torch.Tensor, "n 3 h w"]
) -> Int32[torch.Tensor, "n 3 h w"]:
    """Return counts of means below 1 by walking up the cumulative distribution."""
    chance = draws.uniform(stream, "remainder", *means.shape[1:])
    term = means.neg().exp_()
    below = term.clone()
    counts = torch.zeros_like(means, dtype=torch.int32)
    for count in range(1, 12):  # a mean below 1 exceeds 11 less than once in 10**9 draws
        counts += chance >= below
        term.mul_(means).div_(count)
        below.add_(term)
    return counts


def _table_size(rate: int) -> int:
    return int(2 ** ceil(log2(rate + 1)))


@lru_cache(maxsize=8)
def _alias_tables(rate: int) -> np.ndarray:
    """Return 256 alias tables in a row: 23 bits of chance above 8 bits of the other count."""
    counts = np.arange(rate)
    means = rate * np.arange(1, 256)[:, None] / 255
    weights = np.zeros((256, _table_size(rate)))
    weights[0, 0] = 1  # black gives no counts
    weights[1:, :rate] = np.exp(counts * np.log(means) - means - gammaln(counts + 1))
    weights[1:, rate] = gammainc(rate, means[:, 0])  # the chance of at least `rate`
    return np.concatenate([_alias_table(row) for row in weights])


def _alias_table(weights: np.ndarray) -> np.ndarray:
    size = len(weights)
    share = weights * size / weights.sum()
    chance, other = np.ones(size), np.arange(size)
    small = [k for k in range(size) if share[k] < 1]
    large = [k for k in range(size) if share[k] >= 1]
    while small and large:
        low, high = small.pop(), large[-1]
        chance[low], other[low] = share[low], high
        share[high] -= 1 - share[low]
        if share[high] < 1:
            small.append(large.pop())
    # What is left over differs from a full share by rounding only: it keeps itself.
    chance[small + large] = 1
    steps = np.minimum(np.round(chance * 2**23), 2**23 - 1).astype(np.int64)
    other = np.where(chance == 1, np.arange(size), other)
    return (steps << 8 | other).astype(np.uint32).view(np.int32)
