"""Which networks stand beside each other, and which are left out where."""

from robust_lib.config.profiles import load_profile, profile_names
from robust_lib.protocols.nae.networks import (
    ATTENTION,
    FILTER,
    PLAIN,
    ROBUST,
    SIZES,
    TUNED,
    is_filter,
    is_paired,
    knows_all_classes,
    of_all_classes,
    present,
)  # fmt: skip
from tests.protocols.nae.toys import NAMES


def test_every_network_that_the_paper_compares_plays_in_the_full_profile():
    full = load_profile("full_trained").networks["nae"]
    paired = [one for pair in (*ATTENTION, *SIZES) for one in pair]
    assert {FILTER, *ROBUST, *paired} <= set(full)


def test_one_network_of_every_profile_chose_the_pictures():
    sections = [load_profile(name).networks for name in profile_names()]
    for section in (one["nae"] for one in sections if "nae" in one):
        assert [one for one in section if is_filter(one)] == [FILTER]


def test_networks_of_fewer_classes_are_those_that_are_tuned_or_trained_from_scratch():
    assert not any(knows_all_classes(one) for one in (TUNED, *ROBUST))
    assert knows_all_classes(FILTER)
    assert of_all_classes(NAMES, ["tuned", "small", "scratch", "mine"]) == ("small", "mine")


def test_a_pair_needs_both_of_its_networks():
    assert present(ATTENTION, NAMES, ["plain", "attentive", "large"]) == (("plain", "attentive"),)
    assert present(ATTENTION, {}, ["plain", "attentive"]) == ()
    assert is_paired("resnet152")
    assert not is_paired(PLAIN)
