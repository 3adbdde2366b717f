"""Contrast: 0 where the surroundings have the thing's colours, more where they have not."""

import numpy as np
import pytest

from robust_lib.miniworld.contrast import NEAR, RING, contrast


def square(colour, ground, size=64, side=32):
    """A square of one colour on a plain ground, and where it lies."""
    scene = np.empty((size, size, 3), np.float32)
    scene[:] = ground
    thing = np.zeros((size, size), bool)
    first = (size - side) // 2
    thing[first : first + side, first : first + side] = True
    scene[thing] = colour
    return scene, thing


@pytest.mark.parametrize(
    ("colour", "ground"),
    [
        ((0, 0, 0), (1, 1, 1)),
        ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
        ((1, 0, 0), (0, 1, 0)),
        ((0.3, 0.4, 0.5), (0.3, 0.2, 0.5)),
    ],
)
def test_plain_colours_are_as_far_as_they_are(colour, ground):
    scene, thing = square(colour, ground)
    expected = np.linalg.norm(np.subtract(colour, ground)) / np.sqrt(3)
    assert contrast(scene, thing, thing) == pytest.approx(expected, abs=1e-3)


def test_only_what_is_visible_counts():
    scene, thing = square((1, 1, 1), (0, 0, 0))
    scene[:, :32][thing[:, :32]] = 0  # covered by something black
    visible = thing.copy()
    visible[:, :32] = False
    assert contrast(scene, visible, thing) == pytest.approx(1, abs=1e-3)
    assert contrast(scene, thing, thing) == pytest.approx(0.5, abs=0.1)


def test_only_the_surroundings_count():
    scene, thing = square((1, 1, 1), (0, 0, 0))
    scene[:4] = 1  # as bright, but far away
    assert contrast(scene, thing, thing) == pytest.approx(1, abs=1e-3)


def test_a_thing_is_lost_where_a_part_of_what_is_around_it_has_its_colour():
    scene, thing = square((1, 1, 1), (0, 0, 0))
    for share, lost in ((NEAR / 2, False), (2 * NEAR, True)):
        around = scene.copy()
        rng = np.random.default_rng(0)
        around[(rng.random((64, 64)) < share) & ~thing] = 1
        assert contrast(around, thing, thing) == pytest.approx(0 if lost else 1, abs=1e-3)


def test_a_slow_loop_finds_the_same():
    rng = np.random.default_rng(1)
    scene = rng.random((64, 64, 3)).astype(np.float32)
    thing = np.hypot(*(np.mgrid[:64, :64] - 32)) < 14
    width = round(RING * 64)
    far = []
    for y, x in zip(*np.nonzero(thing), strict=True):
        if y % 3 or x % 3:
            continue
        around = []
        for v, u in np.ndindex(64, 64):
            outside = 14 <= np.hypot(v - 32, u - 32) < 14 + width
            if outside and v % 3 == 0 and u % 3 == 0:
                around.append(np.linalg.norm(scene[y, x] - scene[v, u]))
        far.append(sorted(around)[int(NEAR * len(around))])
    expected = np.mean(far) / np.sqrt(3)
    assert contrast(scene, thing, thing) == pytest.approx(expected, abs=0.02)


def test_nothing_visible_and_nothing_around_have_no_contrast():
    scene, thing = square((1, 1, 1), (0, 0, 0))
    nothing, everything = np.zeros((64, 64), bool), np.ones((64, 64), bool)
    assert contrast(scene, nothing, thing) == 0
    assert contrast(scene, everything, everything) == 0
