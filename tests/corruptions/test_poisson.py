"""Keyed Poisson counts against the exact distribution (thresholds fixed beforehand)."""

import numpy as np
import pytest
import torch
from scipy import stats

from robust_lib.corruptions import draws, poisson

CPU = torch.device("cpu")


def counts_of(value, rate, size=160, images=8):
    stream = draws.Stream(tuple((0, i) for i in range(images)), CPU)
    batch = torch.full((images, 3, size, size), value)
    return poisson.capped_counts(stream, batch, rate).numpy()


def expected(value, rate):
    chances = stats.poisson.pmf(np.arange(rate + 1), rate * value)
    chances[rate] = stats.poisson.sf(rate - 1, rate * value)
    return chances


@pytest.mark.parametrize("rate", [60, 25, 12, 5, 3])
@pytest.mark.parametrize("level", [0, 1, 17, 128, 254, 255, 76.5, 200.25])
def test_counts_have_the_exact_distribution(rate, level):
    found = np.bincount(counts_of(level / 255, rate).ravel(), minlength=rate + 1)
    assert len(found) == rate + 1
    chances = expected(level / 255, rate)
    total = found.sum()
    often = chances * total >= 5
    rare = total * chances[~often].sum()
    assert found[~often].sum() <= rare + 5 * np.sqrt(rare) + 5
    if often.sum() > 1:
        shares = chances[often] / chances[often].sum()
        assert stats.chisquare(found[often], shares * found[often].sum()).pvalue > 1e-4
    else:
        assert level == 0


def test_a_pixel_between_two_levels_does_not_change_the_others():
    stream = draws.Stream(((0, 1),), CPU)
    plain = torch.full((1, 3, 32, 32), 100 / 255)
    mixed = plain.clone()
    mixed[0, 0, 0, 0] = 100.5 / 255
    difference = poisson.capped_counts(stream, plain, 25) != poisson.capped_counts(
        stream, mixed, 25
    )
    assert difference.sum() <= 1


def test_counts_of_neighbouring_pixels_are_independent():
    counts = counts_of(0.5, 12).astype(float)
    counts = (counts - counts.mean()) / counts.std()
    for axis in (0, 1, 2, 3):
        assert abs((counts * np.roll(counts, 1, axis)).mean()) < 5 / np.sqrt(counts.size)
