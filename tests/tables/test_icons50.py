"""Tables of surface variation, from rows and answers that are known."""

import math

import pytest

from robust_lib.chapters.tables import icons50 as tables
from robust_lib.protocols import surface_variation
from tests.protocols.test_surface_variation import HELD, ICONS, answers, said


def results():
    return surface_variation.results(answers(3), HELD, ICONS, "exact")


def test_accuracies_by_protocol_and_network():
    found = tables.surface_intervals(results())
    assert list(found) == ["style", "version", "subtype"]
    value, low, high = found["style"]["net"]
    assert low < value < high


def test_printed_accuracies_stand_beside_ours():
    printed = tables.printed_surface()
    assert printed["style"]["shake_shake"] == pytest.approx(0.76)
    assert printed["version"]["resnext29_8x32d"] == pytest.approx(0.98)
    assert set(printed["subtype"]) == {
        "resnet20", "densenet40_k24", "resnext29_8x32d", "shake_shake",
    }  # fmt: skip


def test_a_row_of_the_table_is_a_network_in_a_protocol():
    row = tables.surface_table(results()).iloc[0]
    assert (row["Held out"], row["Icons"]) == ("style", 12)
    assert row["From"] < row["Accuracy"] < row["To"]


def test_vendors_are_sorted_from_the_hardest_on():
    names = ["style:google", "style:openmoji"]
    made = {name: {"net": (said(name, wrong),)} for name, wrong in zip(names, (1, 5), strict=True)}
    frame = tables.left_out_table(surface_variation.leave_one_out(made, names, ICONS, "net"))
    assert frame["Vendor held out"].tolist() == ["openmoji", "google"]


def test_classes_are_counted():
    frame = tables.icon_classes(ICONS).set_index("Class")
    assert frame.loc["Bird"].tolist() == [15, 3, 3]
    assert frame.loc["Airplane"].tolist() == [0, 0, 0]


def test_accuracy_by_class_names_what_it_was_taken_for():
    told = {"style": (said("style:microsoft", 2),), "version": (said("version", 0),)}
    frame = tables.icon_accuracies(told, ICONS.class_names).set_index("Class")
    assert frame.loc["Bird", "style"] == pytest.approx(100 * 4 / 6)
    assert frame.loc["Bird", "Taken for"] == "Hat"
    assert frame.loc["Hat", "Taken for"] == "-"
    assert math.isnan(frame.loc["Airplane", "style"])


def test_only_words_with_side_effects_are_shown():
    frame = tables.side_effect_table(surface_variation.side_effects(ICONS, "google"))
    assert frame.empty or (frame["Taken besides"] > 0).all()
