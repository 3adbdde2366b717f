"""Grounds: colours, the same for the same draws, and each kind unlike the others."""

import numpy as np
import pytest

from robust_lib.miniworld import layout_grounds
from robust_lib.miniworld.layout_grounds import KINDS, PLACES


def drawn(kind, seed=0, size=64):
    return layout_grounds.drawn(kind, size, np.random.default_rng(seed))


@pytest.mark.parametrize("kind", KINDS)
def test_a_ground_is_a_picture_of_its_draws(kind):
    ground = drawn(kind)
    assert (ground.shape, ground.dtype) == ((64, 64, 3), np.float32)
    assert 0 <= ground.min() < ground.max() <= 1
    assert np.array_equal(ground, drawn(kind))
    assert not np.array_equal(ground, drawn(kind, seed=1))


def test_the_six_places_are_the_papers():
    assert PLACES == ("underwater", "beach", "forest", "road", "mountain", "sky")


def test_places_have_their_colours():
    means = {
        kind: np.mean([drawn(kind, seed).mean((0, 1)) for seed in range(20)], 0) for kind in KINDS
    }
    for blue in ("underwater", "sky"):
        assert means[blue].argmax() == 2
        assert means[blue][2] > means[blue][0] + 0.1
    assert means["forest"].argmax() == 1
    lower = np.mean([drawn("beach", seed)[48:].mean((0, 1)) for seed in range(20)], 0)
    assert lower[0] > lower[2] + 0.05  # sand is yellow


def test_no_size_is_special():
    for size in (32, 96, 128):
        assert drawn("mountain", size=size).shape == (size, size, 3)
