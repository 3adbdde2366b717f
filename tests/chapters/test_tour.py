"""The tour: one network and the baseline, one corruption, so that it is there first."""

from robust_lib.chapters import inc_2_mce, tour
from robust_lib.config.profiles import load_profile
from robust_lib.run.start import start


def test_the_tour_needs_two_networks_and_one_corruption():
    for name, networks in (("mini", ("alexnet_mini", "resnet18_mini")), ("full", ("resnet18",))):
        run = start(tour.CHAPTER, name)
        assert tuple(map(str, run.networks)) == networks
        assert run.corruptions == ("gaussian_noise",)


def test_the_engine_is_told_the_same_as_the_notebook_begins_with():
    profile = load_profile("mini")
    assert [str(one) for one in tour.CHAPTER.all_networks(profile)] == ["resnet18_mini"]
    assert tour.CHAPTER.evaluated_corruptions(profile) == ("gaussian_noise",)
    assert tour.CHAPTER.shows == inc_2_mce.CHAPTER.shows


def test_a_reader_may_ask_for_another_network_and_corruption():
    run = start(tour.CHAPTER, "mini", model="vgg11", corruption="fog")
    assert tuple(map(str, run.networks)) == ("alexnet_mini", "vgg11_mini")
    assert run.corruptions == ("fog",)
