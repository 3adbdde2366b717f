"""The keyed random numbers: what distribution they have, and that nothing hangs together.

All thresholds were fixed before the first run: 5 standard errors, or p > 1e-4 (each test draws
fixed numbers, so it passes always or never).
"""

import numpy as np
import pytest
import torch
from scipy import stats

from robust_lib.corruptions import draws

CPU = torch.device("cpu")
STREAM = draws.Stream(tuple((0, i, "test", 1) for i in range(8)), CPU)


def test_bits_are_a_function_of_key_and_position():
    whole = draws.bits(STREAM, "a", 1000)
    part = draws.bits(draws.Stream(STREAM.labels[3:5], CPU), "a", 600)
    assert torch.equal(part, whole[3:5, :600])
    assert not (draws.bits(STREAM, "b", 1000) == whole).any(dim=1).all()


def test_every_bit_is_fair_and_independent_of_the_others():
    words = draws.bits(STREAM, "bits", 25_000).numpy().view(np.uint32).ravel()
    ones = (words[:, None] >> np.arange(32)) & 1
    error = 0.5 / np.sqrt(len(words))
    assert np.abs(ones.mean(axis=0) - 0.5).max() < 5 * error
    correlation = np.corrcoef(ones.T) - np.eye(32)
    assert np.abs(correlation).max() < 5 / np.sqrt(len(words))


def test_neighbouring_keys_and_positions_are_uncorrelated():
    labels = tuple((0, i, "test", 1) for i in range(400))
    field = draws.uniform(draws.Stream(labels, CPU), "field", 2000).double().numpy() - 0.5
    error = 1 / 12 / np.sqrt(field.size)
    for lag in (1, 2, 3, 224, 256, 672):
        assert abs((field[:, lag:] * field[:, :-lag]).mean()) < 5 * error
    assert abs((field[1:] * field[:-1]).mean()) < 5 * error
    # Over all pairs of images the correlations scatter as independent numbers do.
    pairs = np.corrcoef(field)[np.triu_indices(400, 1)]
    assert stats.kstest(pairs * np.sqrt(2000), "norm").pvalue > 1e-4


def test_counters_that_overlap_after_the_first_word_still_part():
    # Among 400 images of 2000 numbers no two share a run of two equal words.
    labels = tuple((0, i, "test", 1) for i in range(400))
    words = draws.bits(draws.Stream(labels, CPU), "overlap", 2000).numpy().astype(np.int64)
    runs = (words[:, 1:] << 32 | (words[:, :-1] & 0xFFFFFFFF)).ravel()
    assert len(np.unique(runs)) == len(runs)


def test_uniform():
    numbers = draws.uniform(STREAM, "u", 50_000).double().numpy().ravel()
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert stats.kstest(numbers, "uniform").pvalue > 1e-4
    cube = np.histogramdd(numbers[:399_999].reshape(-1, 3), bins=8, range=[(0, 1)] * 3)[0]
    assert stats.chisquare(cube.ravel()).pvalue > 1e-4


@pytest.mark.parametrize("count", [1, 2, 49_999])
def test_normal(count):
    numbers = draws.normal(STREAM, "n", count)
    assert numbers.shape == (8, count)
    assert torch.isfinite(numbers).all()


def test_normal_distribution():
    numbers = draws.normal(STREAM, "n", 3, 224, 224).double().numpy()
    assert numbers.shape == (8, 3, 224, 224)
    flat = numbers.ravel()
    size = flat.size
    assert abs(flat.mean()) < 5 / np.sqrt(size)
    assert abs(flat.var() - 1) < 5 * np.sqrt(2 / size)
    assert abs(stats.skew(flat)) < 5 * np.sqrt(6 / size)
    assert abs(stats.kurtosis(flat)) < 5 * np.sqrt(24 / size)
    assert stats.kstest(flat, "norm").pvalue > 1e-4
    assert (np.abs(flat) > 4).sum() == pytest.approx(size * 2 * stats.norm.sf(4), abs=5 * 8.8)
    # Both halves of a Box-Muller pair, and neighbours along all axes.
    half = numbers.reshape(8, 2, -1)
    assert abs((half[:, 0] * half[:, 1]).mean()) < 5 / np.sqrt(size / 2)
    for axis in (1, 2, 3):
        ahead = np.roll(numbers, 1, axis)
        assert abs((numbers * ahead).mean()) < 5 / np.sqrt(size)


def test_normal_noise_is_white():
    layers = draws.normal(STREAM, "white", 128, 128).double().numpy()
    power = (np.abs(np.fft.fft2(layers)) ** 2).mean(axis=0) / 128**2
    radius = np.hypot(*np.meshgrid(*[np.fft.fftfreq(128)] * 2))
    for low in np.arange(0, 0.5, 0.05):
        ring = power[(radius > low) & (radius <= low + 0.05)]
        # Each value is a mean of 8 exponentials; half of them are mirror images of the others.
        assert abs(ring.mean() - 1) < 5 / np.sqrt(8 * ring.size / 2)


@pytest.mark.parametrize(("low", "high"), [(0, 5), (-4, 4), (10, 46)])
def test_integers(low, high):
    numbers = draws.integers(STREAM, "i", low, high, 20_000).numpy().ravel()
    values, counts = np.unique(numbers, return_counts=True)
    assert list(values) == list(range(low, high))
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("reach", [1, 2, 3, 4])
def test_pairs_of_integers(reach):
    pairs = draws.integer_pairs(STREAM, "p", -reach, reach, 20_000).numpy()
    assert pairs.shape == (8, 2, 20_000)
    cells = (pairs[:, 0] + reach) * 2 * reach + pairs[:, 1] + reach
    values, counts = np.unique(cells, return_counts=True)
    assert len(values) == 4 * reach**2
    assert stats.chisquare(counts).pvalue > 1e-4
