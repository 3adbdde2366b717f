"""Layouts: what is said of each thing is what its picture shows."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.miniworld import layouts, scenes
from robust_lib.miniworld.layouts import ANNOTATED, COVERED, Mixture, on_cards
from robust_lib.miniworld.worlds import art_of, load_world

EVEN = Mixture({"studio": 1.0, "sky": 1.0}, foreign=0.4)


@pytest.fixture
def drawings(project):
    world = load_world("toys")
    art = art_of(world, Store(project / "store"))
    sides = (world.inside, world.outside)
    return art, on_cards(art), *(scenes.targets_by_class(art, side, "any") for side in sides)


@pytest.fixture
def compose(drawings):
    def composed(item, mixture=EVEN, **settings):
        return layouts.compose(item, *drawings, mixture, **{"size": 64} | settings)

    return composed


def many(compose, count=60, mixture=EVEN):
    return [compose(f"pool/{number:06d}", mixture) for number in range(count)]


def test_a_layout_is_a_function_of_its_id_and_the_seed(compose):
    one, again, other = compose("a/1"), compose("a/1"), compose("a/1", seed=1)
    assert np.array_equal(one.picture, again.picture)
    assert [thing.box for thing in one.things] == [thing.box for thing in again.things]
    assert not np.array_equal(one.picture, other.picture)


def test_boxes_bound_their_masks_and_masks_do_not_overlap(compose):
    seen = 0
    for layout in many(compose):
        shared = np.zeros((64, 64), int)
        for thing in layout.things:
            rows, columns = np.nonzero(thing.mask)
            box = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
            assert thing.box == box
            assert ANNOTATED <= thing.visible <= 1
            assert 0 <= thing.contrast <= 1
            shared += thing.mask
            seen += 1
        assert shared.max(initial=0) <= 1
    assert seen > 60


def test_there_are_one_to_four_things_of_both_sides(compose, drawings):
    *_, inside, outside = drawings
    found = many(compose, 100)
    things = [thing for layout in found for thing in layout.things]
    assert {len(layout.things) for layout in found} <= {0, 1, 2, 3, 4}
    assert {len(layout.things) for layout in found} >= {1, 2, 3}
    assert all(thing.name in (outside if thing.foreign else inside) for thing in things)
    share = np.mean([thing.foreign for thing in things])
    assert abs(share - 0.4) < 0.12  # 2.9 standard errors of 150 things


def test_grounds_come_as_often_as_they_weigh(compose):
    grounds = [
        one.ground for one in many(compose, 100, replace(EVEN, grounds={"sky": 3.0, "road": 1.0}))
    ]
    assert set(grounds) == {"sky", "road"}
    assert abs(grounds.count("sky") - 75) < 15


def test_only_foreign_things_that_are_named_occur(compose):
    found = many(compose, 60, replace(EVEN, foreign_kinds=("ring",)))
    names = {thing.name for layout in found for thing in layout.things if thing.foreign}
    assert names == {"ring"}


def test_a_later_thing_covers_little_of_an_earlier_one(compose):
    hidden = []
    for layout in many(compose):
        for thing in layout.things[:-1]:
            hidden.append(1 - thing.visible)
    # Others may cover it too, and the frame may cut it; but most is to be seen of most.
    assert np.median(hidden) <= COVERED


def test_cards_frame_the_same_drawing_smaller(compose, drawings):
    art, cards, *_ = drawings
    assert (cards.rgba[:, 32, 0] == [70, 70, 70, 255]).all()  # the card's edge
    assert (cards.rgba[..., 3] == 255).all()
    assert cards.drawings == art.drawings
    shown = compose("a/3", replace(EVEN, depictions=1.0))
    bare = compose("a/3", replace(EVEN, depictions=0.0))
    for card, thing in zip(shown.things, bare.things, strict=False):
        assert card.depiction
        assert not thing.depiction
        if card.name == thing.name and min(card.visible, thing.visible) > 0.99:
            assert card.mask.sum() < 0.6 * thing.mask.sum()


def test_blurred_things_are_blurred_and_say_so(compose):
    sharp = compose("a/5", replace(EVEN, blurred=0.0))
    soft = compose("a/5", replace(EVEN, blurred=1.0))
    assert not any(thing.blurred for thing in sharp.things)
    assert all(thing.blurred for thing in soft.things)

    def roughness(layout):
        return np.abs(np.diff(layout.picture.astype(int), axis=0)).mean()

    assert roughness(soft) < roughness(sharp)
