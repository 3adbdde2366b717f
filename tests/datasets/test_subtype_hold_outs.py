"""Hold-outs of subtypes: the same in training and test, nested, and by every class alike."""

from itertools import pairwise

import numpy as np
import pytest

from robust_lib.datasets.hold_outs import named
from robust_lib.datasets.icons50 import parse
from robust_lib.datasets.subtype_hold_outs import of_each_subtype, some_a_class
from robust_lib.errors import InputError

SUBTYPES = {
    "fish": ("flatfish", "ray", "shark", "trout", "aquarium_fish"),
    "trees": ("maple", "oak", "palm", "pine", "willow"),
    "people": ("baby", "boy", "girl", "man", "woman"),
}
LABELS = {folder: label for label, folder in enumerate(SUBTYPES)}


def drawn(numbers):
    """Pictures of every subtype, one a number."""
    return [
        parse(f"{folder}/cifar_{number}_{subtype}.png", LABELS[folder])
        for number in numbers
        for folder, subtypes in SUBTYPES.items()
        for subtype in subtypes
    ]


def held(icons, number, **given):
    found = some_a_class(icons, number, **given)
    kept = {(icons[place].label, icons[place].motif) for place in found.train}
    gone = {(icons[place].label, icons[place].motif) for place in found.test}
    assert kept.isdisjoint(gone)
    return gone


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_every_class_loses_as_many_subtypes_and_no_class_all(number):
    gone = held(drawn(range(3)), number)
    assert [sum(label == one for one, _ in gone) for label in LABELS.values()] == [number] * 3


def test_training_and_test_pictures_lose_the_same():
    for number in (1, 2, 3, 4):
        assert held(drawn(range(3)), number) == held(drawn([7, 9])[::-1], number)


def test_three_are_two_and_one_more():
    by_number = [held(drawn([0]), number) for number in (1, 2, 3, 4)]
    for fewer, more in pairwise(by_number):
        assert fewer < more


def test_another_seed_holds_out_others_and_all_subtypes_have_their_turn():
    seen = set()
    for seed in range(60):
        seen |= held(drawn([0]), 1, seed=seed)
    assert len(seen) == 15


@pytest.mark.parametrize("number", [0, 5, 9])
def test_a_number_that_leaves_one_side_empty_is_refused(number):
    with pytest.raises(InputError, match=f"from 1 to 4 to hold out.*fish has 5, but got {number}"):
        some_a_class(drawn([0]), number)


def test_a_tone_goes_with_its_subtype():
    paths = ("fist", "fist_type_4", "palm", "palm_type_4")
    icons = [parse(f"hand/a_0_{name}.png", 0) for name in paths]
    assert [icon.motif for place in [some_a_class(icons, 1).test] for icon in
            np.array(icons, object)[place]] in (["fist"] * 2, ["palm"] * 2)  # fmt: skip


def test_they_are_known_by_name():
    icons = drawn(range(2))
    assert named(icons, "some_a_class:3").test.tolist() == some_a_class(icons, 3).test.tolist()
    for wrong in ("some_a_class", "some_a_class:", "some_a_class:two", "some_a_class:-1"):
        with pytest.raises(InputError, match="a hold-out to be one of"):
            named(icons, wrong)


def test_a_share_of_each_subtype_leaves_all_subtypes_on_both_sides():
    icons = drawn(range(9))
    split = of_each_subtype(icons, 0.25)
    for places, each in ((split.test, 2), (split.train, 7)):
        names = [icons[place].motif for place in places]
        assert {names.count(name) for name in names} == {each}
        assert len(set(names)) == 15


def test_which_of_them_is_drawn_by_path_and_seed():
    icons = drawn(range(9))
    first, again = (
        {some[place].path for place in of_each_subtype(some, 0.25).test}
        for some in (icons, icons[::-1])
    )
    assert first == again
    assert first != {icons[place].path for place in of_each_subtype(icons, 0.25, seed=1).test}


def test_a_single_drawing_of_a_subtype_stays():
    icons = [*drawn(range(4)), parse("fish/cifar_0_carp.png", 0)]
    assert "carp" not in {icons[place].motif for place in of_each_subtype(icons, 0.9).test}
