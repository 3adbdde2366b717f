"""The tour and the first chapters: what is right is the paper's or the run's, slips are named."""

import pytest
import torch

from robust_book.course import inc
from robust_lib.corruptions import corrupt
from robust_lib.results.reported import reported
from robust_lib.results.table import Results
from tests.course.planted import hold, row, says
from tests.toys import brightest


def test_mistakes_are_named_and_nothing_is_revealed():
    assert hold(inc) >= 10


def test_the_papers_mce_is_right_and_the_ratio_of_means_is_not():
    (printed,) = [
        one for one in reported("inc-tab1") if one.metric == "mce" and one.model == "resnet50"
    ]
    mce = printed.number
    given = {"mce": mce, "ratio_of_means": mce, "mean_error": 60.8}
    told = says(inc, "inc_2_mce", 2, given)
    assert told["mce"] == ("right", "")
    assert told["ratio_of_means"][1].startswith("it is the mean of the ratios")
    assert told["mean_error"][1].startswith("it is in percent")


def tour(*errors):
    """The tour's rows: of the yardstick, which never errs, and of the network."""
    return Results.of(
        row(metric="error", model=model, severity=severity or None, value=value)
        for model, values in (("yardstick", [0.0] * len(errors)), ("own", errors))
        for severity, value in enumerate(values)
    )


@pytest.mark.parametrize(
    ("errors", "right"), [((0.2, 0.3, 0.6, 0.7, 0.8, 0.9), 2), ((0.2, 0.2, 0.2, 0.2, 0.2, 0.2), 0)]
)
def test_half_of_the_accuracy_is_read_off_the_run(errors, right):
    rows = tour(*errors)
    assert says(inc, "00_tour", 1, {"severity": right}, rows)["severity"][0] == "right"
    assert says(inc, "00_tour", 1, {"severity": 5}, rows)["severity"][0] == "not yet"


def test_a_doubled_error_is_no_halved_accuracy():
    told = says(inc, "00_tour", 1, {"severity": 1}, tour(0.2, 0.4, 0.6, 0.7, 0.8, 0.9))
    assert told["severity"][1].startswith("this is where the error has doubled")


def test_networks_differ_most_where_the_spread_is_largest():
    values = {"fog": (0.5, 0.9), "snow": (1.5, 1.6)}
    rows = Results.of(
        row(metric="ce", corruption=name, model=model, value=value)
        for name, both in values.items()
        for model, value in zip("ab", both, strict=True)
    )
    assert says(inc, "inc_2_mce", 1, {"most": "fog", "least": "snow"}, rows) == {
        "most": ("right", ""), "least": ("right", ""),
    }  # fmt: skip
    swapped = says(inc, "inc_2_mce", 1, {"most": "snow", "least": "fog"}, rows)
    assert swapped["most"][1] == "the networks differ least there."


def test_corruptions_may_be_called_as_figures_and_tables_call_them():
    rows = Results.of(
        row(metric="ce", corruption=name, model=model, value=value)
        for name, both in {"gaussian_noise": (0.1, 0.9), "jpeg_compression": (0.1, 0.2)}.items()
        for model, value in zip("ab", both, strict=True)
    )
    for most in ("Gaussian noise", "Gauss.", "gaussian_noise"):
        told = says(inc, "inc_2_mce", 1, {"most": most, "least": "JPEG"}, rows)
        assert {state for state, _ in told.values()} == {"right"}


def fogs(key):
    images = torch.rand(2, 3, 40, 40, generator=torch.Generator().manual_seed(0))
    together = corrupt(images, "fog", 3, keys=["a", "b"])
    return together, corrupt(images[1:], "fog", 3, keys=[key])


def test_fog_of_another_key_is_another_fog():
    assert says(inc, "inc_1_corruptions", 2, {"fogs": fogs("b")})["fogs"][0] == "right"
    told = says(inc, "inc_1_corruptions", 2, {"fogs": fogs("c")})["fogs"]
    assert "same key" in told[1]
    assert "pair" in says(inc, "inc_1_corruptions", 2, {"fogs": 3})["fogs"][1]


def test_a_classifier_is_built_and_tried():
    assert says(inc, "inc_2_mce", 3, {"build": lambda: brightest("b")})["build"][0] == "right"
    state, told = says(inc, "inc_2_mce", 3, {"build": brightest("b")})["build"]
    assert state == "not yet"
    assert "function that builds one" in told
