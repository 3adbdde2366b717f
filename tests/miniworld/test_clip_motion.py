"""Motion in clips: curves through an anchor, the same at any size, within the rule."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.miniworld.clip_motion import (
    FRAMES,
    LARGEST,
    at_scale,
    curve,
    posed,
    warped,
    within,
)
from robust_lib.miniworld.similarity import Similarity, box_overlap

RULE = Similarity()


def mover(place, key, side=(0.5, 0.85), rule=RULE):
    rng = seeds.generator(key)
    return posed(place, "box", rng, side=side, middle=(0.5, 0.5), spread=0.12, rule=rule)


def test_curves_pass_through_the_anchor_and_are_smooth():
    lines = np.stack([curve(seeds.generator(number)) for number in range(300)])
    assert lines.shape == (300, FRAMES)
    assert (lines[:, LARGEST] == 0).all()
    np.testing.assert_allclose(np.abs(lines).max(1), 1)
    bends = np.abs(np.diff(lines, 2, axis=1))
    assert bends.max() < 0.35  # no frame leaps
    assert np.median(bends.max(1)) < 0.06
    assert 0.3 < (lines[:, -1] > 0).mean() < 0.7  # either way
    assert len({line.tobytes() for line in lines}) == 300


def test_the_middle_of_a_drawing_goes_where_the_mover_is(art):
    one = mover(0, "a")
    for offset in (-10, -3, 0, 10):
        affine = one.affine(offset, 64, 128)
        at = offset + LARGEST
        np.testing.assert_allclose(affine @ [32, 32, 1], 128 * one.centre[at])
        grown = np.sqrt(abs(np.linalg.det(affine[:, :2]) / np.linalg.det(one.shape)))
        assert grown == pytest.approx(2 * one.side[at])


def test_a_motion_is_the_same_at_any_size():
    one = mover(0, "a")
    for offset in (-10, 0, 7):
        small = one.affine(offset, 64, 64)
        np.testing.assert_allclose(one.affine(offset, 64, 128), 2 * small)
        halved = one.affine(offset, 32, 64)  # of a drawing with half the pixels
        np.testing.assert_allclose(halved[:, :2], 2 * small[:, :2])
        np.testing.assert_allclose(halved[:, 2], small[:, 2])


def test_a_share_of_a_motion():
    one = mover(0, "a")
    still, whole, half = (one.moved(share) for share in (0.0, 1.0, 0.5))
    for path, own in (("centre", one.centre), ("side", one.side), ("turn", one.turn)):
        np.testing.assert_allclose(getattr(whole, path), own)
        np.testing.assert_allclose(
            getattr(still, path), np.broadcast_to(own[LARGEST], own.shape), atol=1e-12
        )
    np.testing.assert_allclose(half.turn, (one.turn + one.turn[LARGEST]) / 2)
    np.testing.assert_allclose(half.side, np.sqrt(one.side * one.side[LARGEST]))


def test_each_part_of_a_motion_keeps_its_bound():
    reached = []
    for number in range(200):
        one = mover(0, number)
        length = one.side[LARGEST]
        ways = np.linalg.norm(one.centre - one.centre[LARGEST], axis=1).max() / length
        growth = np.exp(np.abs(np.log(one.side / length)).max())
        turn = np.rad2deg(np.abs(one.turn - one.turn[LARGEST]).max())
        reached.append((ways / RULE.reach, np.log(growth) / np.log(RULE.scale), turn / RULE.turn))
    assert np.max(reached) <= 1 + 1e-9
    assert (np.max(reached, axis=0) > 0.9).all()  # some go all the way
    assert (np.min(reached, axis=0) < 0.1).all()  # and some hardly move


def slow_boxes(one, rgba):
    """The box of each frame, of all corners of all opaque pixels, cut off at the frame."""
    rows, columns = np.nonzero(rgba[..., 3] > 127)
    middles = np.stack([columns + 0.5, rows + 0.5], axis=1)
    for offset in range(-LARGEST, LARGEST + 1):
        affine = one.affine(offset, len(rgba), 1.0)
        points = np.clip(middles @ affine[:, :2].T + affine[:, 2], 0, 1)
        yield (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def test_boxes_overlap_as_the_rule_asks(art):
    """Wide motions of long things break the overlap until they are made smaller."""
    changed = 0
    for number in range(54):
        place = number % len(art.drawings)
        free = mover(place, number)
        kept = within(free, art.rgba[place], RULE)
        boxes = list(slow_boxes(kept, art.rgba[place]))
        assert min(box_overlap(box, boxes[LARGEST]) for box in boxes) >= RULE.overlap
        np.testing.assert_array_equal(kept.centre[LARGEST], free.centre[LARGEST])
        changed += kept is not free
        own = list(slow_boxes(free, art.rgba[place]))
        if min(box_overlap(box, own[LARGEST]) for box in own) > RULE.overlap + 0.05:
            assert kept is free
    assert 5 < changed < 49


def test_a_tighter_rule_leaves_less_motion(art):
    tight = Similarity(overlap=0.9)
    for number in range(6):
        kept = within(mover(3, number), art.rgba[3], tight)
        boxes = list(slow_boxes(kept, art.rgba[3]))
        assert min(box_overlap(box, boxes[LARGEST]) for box in boxes) >= 0.9


def test_a_layer_shows_the_drawing_where_the_affine_puts_it():
    icon = np.zeros((4, 4, 4), np.float32)
    icon[1, 2] = 1  # its middle is at (2.5, 1.5)
    twice = np.array([[2.0, 0, 1], [0, 2.0, 3]])
    layer = warped(icon, twice, 12)[..., 3]
    rows, columns = np.mgrid[:12, :12] + 0.5
    assert (layer * columns).sum() / layer.sum() == pytest.approx(6)
    assert (layer * rows).sum() / layer.sum() == pytest.approx(6)
    assert layer.sum() == pytest.approx(4, rel=0.01)
    np.testing.assert_array_equal(warped(icon[..., 3], twice, 12), layer)


def test_a_drawing_that_is_much_reduced_is_averaged_first(art):
    icon = art.rgba[0].astype(np.float32)
    small = mover(0, "a", side=(0.2, 0.2))
    assert at_scale(icon, small, 128).shape == (32, 32, 4)
    assert at_scale(icon, small, 160) is icon
    np.testing.assert_allclose(
        at_scale(icon, small, 64), icon.reshape(32, 2, 32, 2, 4).mean((1, 3)), atol=1e-3
    )
