"""The tour: one network and the baseline, one corruption, so that it is there first."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from robust_book.chapters import inc_2_mce, tour
from robust_lib.config.profiles import load_profile
from robust_lib.results.estimate import Draws
from robust_lib.results.table import Results
from robust_lib.run.start import start
from tests.chapters import toys


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


def errors(network, corruption_error=None, **interval):
    clean = toys.rows("inc-tab1", "error", {"alexnet_mini": 0.5, "resnet18_mini": network})
    rows = Results.of(
        replace(row, draws=Draws("toys", partial(np.full, 9, row.value))) for row in clean.rows
    )
    for severity in (1, 3):
        cell = {"corruption": "fog", "severity": severity}
        rows += toys.rows("inc-tab1", "error", {"resnet18_mini": severity / 4}, **cell)
    if corruption_error is None:
        return rows
    ces = toys.rows("inc-tab1", "ce", {"resnet18_mini": corruption_error}, corruption="fog")
    return rows + Results.of(replace(row, **interval) for row in ces.rows)


@pytest.mark.parametrize(
    ("clean", "corrupted", "interval", "end"),
    [
        (0.25, 0.9, {}, "is also more accurate on corrupted ones"),
        (0.25, 1.1, {}, "is less accurate on corrupted ones"),
        (0.75, 0.9, {}, "is less accurate on corrupted ones"),
        (0.5, 0.9, {}, "neither network is shown to be more accurate on clean images"),
        (
            0.25,
            1.1,
            {"low": 0.9, "high": 1.3},
            "is not shown to be more or less accurate than the other on corrupted ones",
        ),
        (0.25, None, {}, "were not compared on clean images"),
    ],
)
def test_the_outcome_is_what_the_run_says(clean, corrupted, interval, end):
    found = tour.outcome(errors(clean, corrupted, **interval), "resnet18_mini", "alexnet_mini")
    assert found.text.endswith(end)


def test_the_strongest_severity_stands_in_the_prose():
    grid = toys.grid("alexnet_mini", "resnet18_mini")
    numbers = tour.key_numbers(errors(0.25, 1.1), grid)
    assert (numbers["network"].text, numbers["clean_error"].text) == ("ResNet-18-like", "25.0 %")
    assert numbers["strongest_error"].text == "75.0 %"
    assert numbers["yardstick_clean_error"].text == "50.0 %"
    assert numbers["yardstick_strongest_error"].text == "not measured"


def test_published_errors_are_no_network_of_the_run():
    numbers = tour.key_numbers(errors(0.25), toys.grid("resnet18_mini"))
    assert numbers["yardstick"].text == "AlexNet"
    assert numbers["yardstick_clean_error"].text == "not measured"
    assert numbers["outcome"].text == "the networks were not compared on clean images"
