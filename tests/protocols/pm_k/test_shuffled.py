"""Frames in shuffled order: what of a curve is nearness in time, and what sets that differ."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.protocols.pm_k.shuffled import shuffled
from tests.looped import over
from tests.protocols.pm_k import toys

SETS = toys.frame_sets(300)


def answers(fails, **settings):
    """`fails`: (set, offset) -> whether a network is wrong there."""
    truth = np.array([labels[0] for labels in SETS.labels])
    predicted = truth.copy()
    wrong = fails(np.arange(len(SETS))[:, None], SETS.offsets)
    predicted[SETS.members[wrong]] ^= 1
    blank = toys.answers({"mine": (0, 0)}, SETS, **settings)
    return replace(blank, by_network={"mine": (predicted,)})


@over("case", range(4))
def test_sets_that_differ_alone_are_no_nearness(case):
    """Their steps shrink as fast as if frames failed together: the inference this replaces."""
    rng = np.random.default_rng(case)
    hard = rng.beta(0.15, 1.0, (300, 1))
    found = shuffled(answers(lambda sets, offsets: rng.random(offsets.shape) < hard), "mine", 200)
    steps = -np.diff(found.true)
    assert steps[0] > 2 * steps[4:].mean()
    _, low, high = found.band(1)
    assert low - 0.02 < found.true[1] < high + 0.02  # one in twenty lies outside


def test_frames_that_fail_together_with_their_distance_are():
    far = np.random.default_rng(0).integers(1, 15, (300, 1))
    found = shuffled(answers(lambda sets, offsets: np.abs(offsets) >= far), "mine", 200)
    assert found.near() == 1
    assert found.true[1] - found.band(1)[0] > 0.3
    close = shuffled(answers(lambda sets, offsets: (offsets == 1) & (sets < 150)), "mine", 200)
    assert close.near() == -1


@pytest.mark.parametrize("k", [4, 10])
def test_both_ends_of_the_curve_are_kept(k):
    """Of sets' frames beyond k none may change places with one within."""
    rng = np.random.default_rng(1)
    found = shuffled(
        answers(lambda sets, offsets: rng.random(offsets.shape) < 0.1, k=k), "mine", 50
    )
    for end in (0, -1):
        assert np.ptp(found.shuffled[:, end]) == 0
        assert found.shuffled[0, end] == found.true[end]
    assert found.shuffled.shape == (50, k + 1)
    assert np.ptp(found.shuffled[:, 1]) > 0
