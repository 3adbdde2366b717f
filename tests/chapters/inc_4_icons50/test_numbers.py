"""Tables of surface variation, from rows and predictions that are known."""

import math
from dataclasses import replace

import pytest

from robust_book.chapters.inc_4_icons50 import numbers
from robust_lib.datasets.hold_outs import SideEffect
from robust_lib.protocols import surface_variation
from robust_lib.protocols.surface_variation import style_hold_out
from robust_lib.results.table import Results
from tests.protocols.icons import HELD, ICONS, SUBTYPES, by_hold_out, predicted_on

VENDORS = ["google", "openmoji"]


def results():
    return surface_variation.results(by_hold_out(3), HELD, ICONS.name, "exact")


def left_out():
    """OpenMoji's icons are harder for a network that never met their style."""
    predictions = {
        style_hold_out(vendor): {"net": (predicted_on(style_hold_out(vendor), wrong),)}
        for vendor, wrong in zip(VENDORS, (1, 5), strict=True)
    }
    return surface_variation.leave_one_out(predictions, VENDORS, ICONS.name, "net")


def test_printed_accuracies_stand_in_the_rows_of_ours():
    found = numbers.panels(results(), ICONS.name, {"resnext29_8x32d": "net"})
    printed = {protocol: dots["the paper"] for protocol, dots in found.items()}
    assert list(printed)[:3] == ["style", "version", "subtype"]
    assert printed["style"]["Shake-Shake"] == pytest.approx((76, 76, 76))
    assert printed["version"]["net"][0] == pytest.approx(98)
    assert set(printed["subtype"]) == {"ResNet-20", "DenseNet-40", "net", "Shake-Shake"}
    value, low, high = found["style"]["this run"]["net"]
    assert low < value < high
    assert value == 75
    assert list(numbers.panels(results(), ICONS.name, {}, ["version"])) == ["version"]


def test_a_row_of_the_table_is_a_network_in_a_protocol():
    row = numbers.protocol_frame(results(), ICONS.name).iloc[0]
    assert (row["Held out"], row["Icons"]) == ("style", 12)
    assert row["Accuracy"].low < row["Accuracy"].value < row["Accuracy"].high


def test_vendors_are_sorted_from_the_hardest_on():
    frame = numbers.vendor_frame(left_out(), ICONS.name, VENDORS)
    assert frame["Vendor held out"].tolist() == ["OpenMoji", "Google"]


def test_classes_are_counted():
    frame = numbers.class_frame(ICONS).set_index("Class")
    assert frame.loc["Bird"].to_dict() == {"Icons": 15, "Vendors": 3, "Subtypes": 3}
    assert frame.loc["Airplane"].tolist() == [0, 0, 0]


def test_accuracy_by_class_names_what_it_was_taken_for():
    predictions = {
        "style": (predicted_on("style:microsoft", 2),), "version": (predicted_on("version", 0),)
    }  # fmt: skip
    frame = numbers.accuracy_by_class_frame(predictions, ICONS.class_names).set_index("Class")
    assert frame.loc["Bird", "style"] == pytest.approx(100 * 4 / 6)
    assert frame.loc["Bird", "Taken for"] == "Hat"
    assert frame.loc["Hat", "Taken for"] == "–"
    assert math.isnan(frame.loc["Airplane", "style"])


def test_only_words_with_side_effects_are_in_the_table():
    effects = surface_variation.side_effects(ICONS.icons, "google", SUBTYPES)
    frame = numbers.side_effect_frame(effects)
    besides = [effect.besides for effect in effects if effect.besides]
    assert frame["Taken besides"].tolist() == sorted(besides, reverse=True)
    more = [SideEffect("duck", 3, 1, ()), SideEffect("books", 2, 9, ("books",))]
    assert numbers.side_effect_frame(more)["Looked for"].tolist() == ["books", "duck"]


def test_the_prose_names_the_first_network_and_the_ends_of_the_vendors():
    named = numbers.key_numbers(results(), left_out(), ICONS.name, VENDORS, "net")
    assert set(named) == {
        "first", "style", "version", "subtype", "worst_style", "best_style", "lowest_network",
        "highest_network", "spreads",
    }  # fmt: skip
    assert named["first"].text == "net"
    assert named["style"].text == "75.0 %"
    assert named["worst_style"].text == "OpenMoji, 16.7 %"
    assert named["best_style"].text.startswith("Google, ")
    assert named["lowest_network"].text == named["highest_network"].text == "net, 75.0 %"
    assert named["spreads"].text == "not measured"  # of one network


def test_vendors_and_networks_are_compared_by_their_spread():
    again = [replace(row, model="other", value=0.5) for row in results().rows]
    both = results() + Results.of(again)
    named = numbers.key_numbers(both, left_out(), ICONS.name, VENDORS, "net")
    assert named["spreads"].text == (
        "the range of accuracies is 75 points for "
        f"{len(VENDORS)} vendors left out in turn, and 25 for 2 networks"
    )
    assert named["spreads"].value == 0.75
    assert named["lowest_network"].text == "other, 50.0 %"


def test_committed_accuracies_have_their_ends_and_icons():
    line = numbers.accuracies_frame(results()).iloc[0]
    assert (line["Network"], line["Held out"], line["icons"]) == ("net", "style", 12)
    assert line["accuracy low"] < line["accuracy"] == 75 < line["accuracy high"]
