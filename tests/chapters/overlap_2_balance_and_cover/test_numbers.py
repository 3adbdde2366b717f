"""Numbers of the balance chapter: ours beside the paper's, what lies outside, and the prose's."""

import numpy as np
import pandas as pd
import pytest

from robust_book.chapters.overlap_2_balance_and_cover import numbers
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from tests.protocols.overlap import toys


def part_row(metric, value, corruption, **ends):
    return Row(
        item="overlap-tab1", dataset="toys_c", model="resnet18_small", metric=metric,
        corruption=corruption, value=value, n=10, n_full=10, **ends,
    )  # fmt: skip


PARTS = Results.of(
    [part_row("mean_ce", 0.8, "set1", low=0.7, high=0.9), part_row("ce", 0.5, "border")]
)


def test_the_papers_network_stands_in_the_row_of_ours_that_plays_its_part():
    found = numbers.by_part(PARTS, {"resnet50": "resnet18_small"})
    assert list(found) == ["set1", "set2", "Border", "Obstruction"]
    assert found["set1"]["this run"] == {"ResNet-18-like": pytest.approx((80, 70, 90))}
    assert found["set1"]["the paper"]["ResNet-18-like"][0] == pytest.approx(81)
    assert found["Border"]["this run"]["ResNet-18-like"] == (50, 50, 50)
    rows = numbers.networks(found)
    assert rows[0] == "ResNet-18-like"
    assert "DeepAugment" in " ".join(rows)  # the paper's alone
    assert len(rows) == len(set(rows)) == 5


def test_printed_parts():
    assert numbers.printed_by_part()["set2"]["resnet50_augmix"] == 65


def test_halves_stand_one_above_the_other_with_their_means():
    found = numbers.halves()
    assert [len(members) for members in found.values()] == [9, 8]
    assert found["set1"][-1] == "Mean of set1"
    shown = numbers.spread(
        toys.numbers({"resnet18": toys.table(), "densenet121": toys.weak("snow")})
    )
    assert set(shown["ResNet-18"]) == {name for members in found.values() for name in members}
    assert "Snow" not in shown["DenseNet-121"]


def test_raw_gains_are_points_on_what_lies_outside():
    found = numbers.raw_gains(toys.overlaps({"resnet18": toys.table()}))
    assert list(found) == ["Border", "Obstruction"]
    assert len(found["Border"]["ResNet-18"]) == 15
    assert found["Border"]["ResNet-18"]["Fog"] == pytest.approx((0, 0, 0))
    assert numbers.raw_gains(toys.overlaps({"net": toys.table(names=("fog", "snow"))})) == {}


def row(metric, value, corruption=None, model="plain", **ends):
    return Row(
        item="overlap-tab1", dataset="toys_c", model=model, metric=metric, corruption=corruption,
        value=value, n=10, n_full=10, **ends,
    )  # fmt: skip


ROWS = Results.of(
    [
        row("error", 0.1),
        row("mean_ce", 0.8, "set1", low=0.7, high=0.9),
        row("mean_ce_gain", 0.0, "set1"),
        row("ce", 0.5, "border"),
        row("mean_error", 0.25, "border"),
    ]
)


def test_a_run_in_the_papers_columns():
    (found,) = numbers.halves_frame(ROWS).to_dict("records")
    assert found["Clean error"] == pytest.approx(10)
    assert (found["set1"], found["change on set1"], found["Border"]) == pytest.approx((80, 0, 50))
    assert found["set2"] is None


def test_the_papers_own_table():
    frame = numbers.printed_halves_frame().set_index("Network")
    assert frame.loc["ANT3x3", "change on set1"] == pytest.approx(-21)
    assert frame.loc["ResNet-50", "Obstruction"] == pytest.approx(63)
    assert "Clean error" not in frame


def test_errors_on_occlusions_and_on_a_corruption_of_the_readers():
    (found,) = numbers.occlusion_errors_frame(ROWS).to_dict("records")
    assert found == {"Network": "plain", "Border": 25.0}
    rain = [row("mean_error", 0.5, name) for name in ("/home/me/rain.py:rain", "fog")]
    (found,) = numbers.occlusion_errors_frame(ROWS + Results.of(rain)).to_dict("records")
    assert found == {"Network": "plain", "Border": 25.0, "Rain": 50.0}


def test_the_recomputed_halves_stand_beside_the_printed():
    frame = numbers.recomputed_frame().set_index("Half").round(1)
    assert frame.loc["set1"].tolist() == [81, 80.5, 80.3]
    assert frame.loc["set2"].tolist() == [73, 72.7, 72.6]


def test_a_benchmark_stands_with_labels_and_what_has_no_overlap_says_so():
    names = ["fog", "jpeg_compression", "snow", "rain.py:rain"]
    overlaps = pd.DataFrame(
        [[1, 0.5, 0.2, np.nan], [0.5, 1, 0.1, np.nan], [0.2, 0.1, 1, np.nan], [np.nan] * 4],
        names,
        names,
    )
    balance = numbers.balance_frame(overlaps, names[:2])
    assert list(balance.columns) == [
        "Corruption", "Mean overlap", "Judged pairs", "Nearest", "Overlap with it",
    ]  # fmt: skip
    assert balance.iloc[0].tolist() == ["Fog", 0.5, 1, "JPEG", 0.5]
    snow, rain = numbers.coverage_frame(overlaps, names[:2]).to_dict("records")
    assert snow == {"Corruption": "Snow", "Nearest": "Fog", "Overlap with it": 0.2}
    assert (rain["Corruption"], rain["Nearest"]) == ("Rain", "Not defined")
    assert np.isnan(rain["Overlap with it"])


def near_fog():
    scores = toys.alike()
    place = toys.NAMES.index("border"), toys.NAMES.index("fog")
    scores[place] = scores[place[::-1]] = 0.4
    return {"resnet18": toys.table(scores, clean=0.5)}


def test_the_nearest_stands_with_what_it_gains():
    tables = near_fog()
    frame = numbers.cover_frame(toys.numbers(tables), toys.overlaps(tables))
    border = frame.set_index("Corruption").loc["Border"]
    assert border["Overlap"].value == pytest.approx(40)
    assert (border["Nearest"], border["Judged pairs"]) == ("Fog", "15 of 15")
    assert border["Standard"] == pytest.approx(10)
    assert border["With the nearest"] == pytest.approx(20)
    assert border["With itself"] == pytest.approx(35)


def test_what_cannot_be_judged_has_no_overlap_but_its_accuracies():
    one = toys.weak("border")
    frame = numbers.cover_frame(toys.numbers({"net": one}), toys.overlaps({"net": one}))
    border = frame.set_index("Corruption").loc["Border"]
    assert border["Nearest"] == "Not judged"
    assert border["Judged pairs"] == "0 of 15"
    assert border["Overlap"] is None
    assert border["Standard"] == pytest.approx(18)


def change_row(metric, model, half, value, width=0.0):
    return Row(
        item="overlap-tab1", dataset="toys_c", model=model, metric=metric, corruption=half,
        value=value, low=value - width, high=value + width, n=10, n_full=10,
    )  # fmt: skip


def changes(width=0.0, **by_model):
    pairs = [
        (model, half, value)
        for model, both in by_model.items()
        for half, value in zip(("set1", "set2"), both, strict=True)
    ]
    return Results.of(change_row("mean_ce_gain", *pair, width) for pair in pairs)


def test_the_numbers_of_the_prose_name_the_best_change():
    found = changes(plain=(0.0, 0.0), robust=(-0.2, -0.1), other=(0.1, 0.2), base=(-0.5, -0.5))
    means = Results.of([change_row("mean_ce", "plain", "set1", 0.9)])
    tables = {"resnet18": toys.table()}
    overlaps = toys.numbers(tables)
    named = numbers.key_numbers(found + means + overlaps, "plain", toys.overlaps(tables), "base")
    assert named["standard_set1"].text == "90.0 %"
    assert named["standard_set2"].text == "not measured"
    assert named["best_set1"].text == "−20.0 points (robust)"
    assert named["relatives"].text.startswith("robust is more robust than the standard network")
    worse = numbers.key_numbers(changes(other=(0.1, 0.2)), "plain", toys.overlaps(tables))
    assert worse["best_set1"].text == "+10.0 points (other)"  # nobody improves
    mean = overlaps.row(metric="mean_overlap", corruption="set2").value
    assert named["overlap_set2"].text == f"{mean:.2f} (ResNet-18)"
    assert named["largest_border"].text == "0.00 (ResNet-18)"
    assert "105 of 105 pairs" in named["judged"].text


def test_a_relative_is_robust_only_if_both_halves_fall_beyond_noise():
    found = changes(plain=(0.0, 0.0), good=(-0.2, -0.1), half=(-0.2, 0.1), bad=(0.2, 0.1))
    told = numbers.relatives(found, "plain")
    assert told.text == (
        "good is more robust than the standard network on both halves (not: half and bad)"
    )
    assert (told.value, told.n) == (1, 3)
    noisy = numbers.relatives(changes(0.15, plain=(0.0, 0.0), good=(-0.2, -0.1)), "plain")
    assert noisy.text.startswith("none of the 1 is more robust")
    assert numbers.relatives(Results(), "plain").text == "not measured"


def test_raw_gains_outside_are_counted_where_they_are_beyond_noise():
    scores = toys.alike()
    for name, overlap in (("fog", 0.4), ("snow", -0.2)):
        place = toys.NAMES.index("border"), toys.NAMES.index(name)
        scores[place] = scores[place[::-1]] = overlap
    found = toys.overlaps({"net": toys.table(scores)})
    assert numbers.counted_gains(found, "border").text == "1 of 15 networks gain, 1 lose"
    few = toys.overlaps({"net": toys.table(names=("fog", "snow"))})
    assert numbers.counted_gains(few, "border").text == "not measured"
