"""Worlds: which classes a part of one has, and what may not stand in a file."""

import json

import pytest

from robust_lib.errors import InputError, ManifestError
from robust_lib.miniworld.worlds import World, load_world
from tests.miniature import WORLD


@pytest.fixture
def world():
    return World.model_validate(WORLD)


def test_a_part_has_the_classes_of_its_list(world):
    part = world.part("a")
    assert (part.name, list(part.inside)) == ("toys_a", ["ball", "heart"])
    assert part.inside["heart"] == world.inside["heart"]
    assert part.outside == world.outside
    assert part.subsets == {}
    with pytest.raises(InputError, match="a subset of toys to be one of a, o, but got c"):
        world.part("c")


def test_strangers_are_what_is_outside(world):
    strangers = world.strangers()
    assert strangers.inside == strangers.outside == world.outside
    assert strangers.clutter == world.clutter
    assert strangers.name == "toys_strangers"


@pytest.mark.parametrize(
    ("subset", "words"),
    [
        (["ball", "moon"], "the subset a names no classes: moon"),
        (["dot"], "the subset a names no classes: dot"),
        (["heart", "ball"], "in the order of inside"),
        (["ball", "ball"], "each once"),
        ([], "must name some classes"),
    ],
)
def test_a_list_that_is_no_part_is_refused(project, subset, words):
    path = project / "data_manifests" / "worlds" / "toys.yaml"
    path.write_text(json.dumps(WORLD | {"subsets": {"a": subset}}))
    with pytest.raises(ManifestError) as caught:
        load_world("toys")
    assert words in str(caught.value)


def test_the_committed_lists_are_as_long_and_overlap_as_the_papers_do():
    world = load_world("scenes")
    one, other = (set(world.part(name).inside) for name in ("a", "o"))
    assert len(one) == len(other) == 24
    assert len(one & other) / 24 == pytest.approx(59 / 200, abs=0.01)


@pytest.mark.parametrize(
    "pair",
    [
        ("crescent moon", "half moon"),
        ("exclamation mark", "question mark"),
        ("fir tree", "palm tree"),
        ("fist", "raised hands"),
        ("star", "snowflake"),
        ("bathtub", "toilet"),
        ("diamond", "heart"),
    ],
)
def test_no_committed_list_has_two_that_look_alike(pair):
    world = load_world("scenes")
    assert set(pair) <= set(world.inside)
    assert not any(set(pair) <= set(chosen) for chosen in world.subsets.values())


def test_wider_classes_have_the_icons_of_their_members(world):
    wide = world.widened("vid")
    assert wide.name == "toys_vid"
    assert wide.inside == {"angular": ("square-box", "flag"), "round": ("ball",)}
    assert (wide.outside, wide.subsets, wide.wide) == (world.outside, {}, {})
    with pytest.raises(InputError, match="wider classes of toys to be one of vid, but got a"):
        world.widened("a")


@pytest.mark.parametrize(
    ("wide", "words"),
    [
        ({"round": ["ball", "moon"]}, "the list vid widens no classes: moon"),
        ({"round": ["dot"]}, "the list vid widens no classes: dot"),
        ({"round": ["ball"], "heavy": ["ball"]}, "each member once"),
        ({"round": []}, "must have classes"),
        ({}, "must have classes"),
    ],
)
def test_a_list_of_wider_classes_that_is_none_is_refused(project, wide, words):
    path = project / "data_manifests" / "worlds" / "toys.yaml"
    path.write_text(json.dumps(WORLD | {"wide": {"vid": wide}}))
    with pytest.raises(ManifestError) as caught:
        load_world("toys")
    assert words in str(caught.value)


def test_the_committed_wider_classes_hold_half_of_the_classes():
    world = load_world("scenes")
    sizes = [len(members) for members in world.wide["vid"].values()]
    assert (len(sizes), sum(sizes)) == (16, 33)
    assert sizes.count(1) == 4


def test_pairs_are_things_and_what_they_may_be_taken_for(world):
    pairs = (("ring", "ball"), ("box", "flag"))
    told = World.model_validate(WORLD | {"pairs": pairs})
    assert (told.pairs, world.pairs) == (pairs, ())
    assert told.part("a").pairs == ()  # of which not all are classes


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([["moon", "ball"]], "the pair moon, ball must be a thing"),
        ([["ball", "ring"]], "another class inside"),
        ([["ball", "ball"]], "another class inside"),
        ([["ball", "box"], ["box", "ball"]], "must each stand once"),
    ],
)
def test_pairs_that_are_none_are_refused(project, pairs, words):
    path = project / "data_manifests" / "worlds" / "toys.yaml"
    path.write_text(json.dumps(WORLD | {"pairs": pairs}))
    with pytest.raises(ManifestError) as caught:
        load_world("toys")
    assert words in str(caught.value)
