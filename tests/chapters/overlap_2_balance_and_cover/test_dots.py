"""Dots of the balance chapter: ours beside the paper's, halves marked, gains that are raw."""

import pytest

from robust_book.chapters.overlap_2_balance_and_cover import dots
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from tests.protocols.overlap import toys


def row(metric, value, corruption, **ends):
    return Row(
        item="overlap-tab1", dataset="toys_c", model="resnet18_small", metric=metric,
        corruption=corruption, value=value, n=10, n_full=10, **ends,
    )  # fmt: skip


ROWS = Results.of([row("mean_ce", 0.8, "set1", low=0.7, high=0.9), row("ce", 0.5, "border")])


def test_the_papers_network_stands_in_the_row_of_ours_that_plays_its_part():
    found = dots.by_part(ROWS, {"resnet50": "resnet18_small"})
    assert list(found) == ["set1", "set2", "Border", "Obstruction"]
    assert found["set1"]["this run"] == {"ResNet-18-like": pytest.approx((80, 70, 90))}
    assert found["set1"]["the paper"]["ResNet-18-like"][0] == pytest.approx(81)
    assert found["Border"]["this run"]["ResNet-18-like"] == (50, 50, 50)
    rows = dots.networks(found)
    assert rows[0] == "ResNet-18-like"
    assert "DeepAugment" in " ".join(rows)  # the paper's alone
    assert len(rows) == len(set(rows)) == 5


def test_printed_parts():
    assert dots.printed_by_part()["set2"]["resnet50_augmix"] == pytest.approx(0.65)


def test_halves_stand_one_above_the_other_with_their_means():
    found = dots.halves()
    assert [len(members) for members in found.values()] == [9, 8]
    assert found["set1"][-1] == "Mean of set1"
    shown = dots.spread(toys.numbers({"resnet18": toys.table(), "densenet121": toys.weak("snow")}))
    assert set(shown["ResNet-18"]) == {name for members in found.values() for name in members}
    assert "Snow" not in shown["DenseNet-121"]


def test_raw_gains_are_points_on_what_lies_outside():
    found = dots.raw_gains(toys.overlaps({"resnet18": toys.table()}))
    assert list(found) == ["Border", "Obstruction"]
    assert len(found["Border"]["ResNet-18"]) == 15
    assert found["Border"]["ResNet-18"]["Fog"] == pytest.approx((0, 0, 0))
    assert dots.raw_gains(toys.overlaps({"net": toys.table(names=("fog", "snow"))})) == {}
