"""Patch swaps: keyed, inside of the box alone, and of nothing but the box's own pixels."""

import numpy as np
import pytest

from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.explain.patch_swaps import (
    EDITS,
    Boxed,
    noise,
    patched,
    pixels,
    shuffled,
    swapped,
)
from robust_lib.preprocessing import Preprocessing
from tests.layouts import Shapes

AS_IS = Preprocessing(None, None)
BOX = np.array([10.4, 6.0, 41.0, 50.7])
INSIDE = (slice(6, 50), slice(11, 41))


def crop(height=30, width=24):
    """Every pixel another colour."""
    numbers = np.arange(height * width)
    return (
        np.stack([numbers % 251, numbers // 251, numbers % 7], -1)
        .astype(np.uint8)
        .reshape(height, width, 3)
    )


def colours(picture):
    return sorted(map(tuple, picture.reshape(-1, 3).tolist()))


def test_one_swap_moves_two_whole_patches():
    before = crop()
    found = swapped(before, np.random.default_rng(0), swaps=1, patch=1 / 3)
    moved = (found != before).any(-1)
    assert moved.sum() == 2 * 10 * 8
    assert colours(found) == colours(before)
    back = {tuple(before[at]): at for at in map(tuple, np.argwhere(moved))}
    shifts = {tuple(np.subtract(back[tuple(found[at])], at)) for at in back.values()}
    assert len(shifts) == 2  # there and back: the two patches are moved as they are
    assert np.add(*shifts).tolist() == [0, 0]


@pytest.mark.parametrize("swaps", [1, 3, 10])
def test_more_swaps_move_more(swaps):
    found = [
        (swapped(crop(), np.random.default_rng(seed), swaps=swaps, patch=1 / 3) != crop())
        .any(-1)
        .mean()
        for seed in range(20)
    ]
    assert 2 / 9 - 0.01 <= np.mean(found) <= 1
    assert swaps == 1 or np.mean(found) > 0.35


@pytest.mark.parametrize("size", [(1, 1), (3, 3), (0, 9), (9, 0)])
def test_what_has_no_room_for_two_patches_stays(size):
    """A box that is thinner than a pixel holds none."""
    before = crop(*size)
    found = swapped(before, np.random.default_rng(0), swaps=3, patch=0.5)
    assert np.array_equal(found, before)


def test_a_shuffle_uses_every_patch_once():
    before = crop()
    found = shuffled(before, np.random.default_rng(0), patch=1 / 3)
    assert colours(found) == colours(before)
    assert (found != before).any(-1).mean() > 0.5
    tiles = {found[y : y + 10, x : x + 8].tobytes() for y in (0, 10, 20) for x in (0, 8, 16)}
    own = {before[y : y + 10, x : x + 8].tobytes() for y in (0, 10, 20) for x in (0, 8, 16)}
    assert tiles == own


def test_noise_knows_nothing_of_what_it_hides():
    rng = [np.random.default_rng(0) for _ in range(2)]
    assert np.array_equal(noise(crop(), rng[0]), noise(255 - crop(), rng[1]))


@pytest.mark.parametrize("edit", EDITS)
def test_outside_of_the_box_nothing_changes(edit):
    base = Shapes()
    made = patched(base, [Boxed(2, BOX), Boxed(0, BOX)], edit, repeats=2)
    assert isinstance(made, ImageSet)
    assert len(made) == 4
    for number, place in enumerate((2, 2, 0, 0)):
        before, after = base.read(place, AS_IS), made.read(number, AS_IS)
        assert (after[INSIDE] != before[INSIDE]).any()
        after[INSIDE] = before[INSIDE]
        assert np.array_equal(after, before)


def test_versions_are_keyed_by_picture_prediction_and_repeat():
    base = Shapes()
    made = patched(base, [Boxed(1, BOX), Boxed(2, BOX)], repeats=3)
    alone = patched(base, [Boxed(2, BOX)], repeats=2)
    assert alone.ids == ("shape002/0/swaps-0", "shape002/0/swaps-1")
    for number in range(2):
        assert np.array_equal(alone.read(number, AS_IS), made.read(3 + number, AS_IS))
    versions = {made.read(number, AS_IS).tobytes() for number in range(3)}
    assert len(versions) == 3
    twice = patched(base, [Boxed(2, BOX), Boxed(2, BOX)], repeats=1)
    assert twice.ids == ("shape002/0/swaps-0", "shape002/1/swaps-0")
    assert not np.array_equal(twice.read(0, AS_IS), twice.read(1, AS_IS))
    other = patched(base, [Boxed(2, BOX)], repeats=1, seed=1)
    assert not np.array_equal(other.read(0, AS_IS), alone.read(0, AS_IS))


def test_digests_tell_settings_apart():
    base, boxes = Shapes(), [Boxed(1, BOX)]
    digests = [
        patched(base, boxes, edit, swaps=swaps, repeats=repeats, patch=patch, seed=seed).digest
        for edit, swaps, repeats, patch, seed in (
            ("swaps", 3, 10, 0.3, 0),
            ("swaps", 2, 10, 0.3, 0),
            ("swaps", 3, 9, 0.3, 0),
            ("swaps", 3, 10, 0.2, 0),
            ("swaps", 3, 10, 0.3, 1),
            ("shuffle", 3, 10, 0.3, 0),
            ("noise", 3, 10, 0.3, 0),
        )
    ]
    digests.append(patched(base, [Boxed(1, BOX + 1)]).digest)
    assert len(set(digests)) == len(digests)


def test_pixels_lie_wholly_in_the_box():
    assert pixels(BOX, np.zeros((64, 64, 3), np.uint8)) == INSIDE
    beyond = np.array([-3.0, -2.0, 70.0, 70.0])
    assert pixels(beyond, np.zeros((64, 64, 3), np.uint8)) == (slice(0, 64), slice(0, 64))
    sliver = np.array([3.2, 3.2, 3.8, 3.8])
    assert np.zeros((8, 8, 3))[pixels(sliver, np.zeros((8, 8, 3), np.uint8))].size == 0


def test_impossible_settings_are_refused():
    with pytest.raises(InputError, match="edit to be one of swaps, shuffle, noise"):
        patched(Shapes(), [], "blur")
    for wrong in ({"swaps": 0}, {"repeats": 0}, {"patch": 0.6}, {"patch": 0.0}):
        with pytest.raises(InputError, match=r"0\.5.*box's sides"):
            patched(Shapes(), [], **wrong)
