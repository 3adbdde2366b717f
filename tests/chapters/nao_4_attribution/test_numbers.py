"""Rows, tables and words of the chapter, of known changes and shares."""

import numpy as np
import pytest

from robust_book.chapters.nao_4_attribution import numbers
from robust_book.chapters.nao_4_attribution.studies import MOST, Ground
from robust_lib.results.reported import reported
from robust_lib.results.table import Results
from tests.chapters.nao_4_attribution.toys import study
from tests.protocols.attribution.toys import changes, shares

PICTURE = np.zeros((4, 4, 3), np.uint8)
CONTROL = {"toys/noise": changes([0.75, 0.5], [[0.0], [0.0]], [0, 1])}
STUDY = {"ordinary": study(changes([0.75, 0.5], [[0.5, 0.25], [0.5, 0.0]], [0, 1]), CONTROL)}
STUDIES = {
    name: study(changes([0.75, 0.5], [[0.5, 0.25], [0.5, 0.0]], [0, 1], name), {})
    for name in ("here", "there")
}


def test_backgrounds_have_rows_by_class_and_by_background_in_both_sets():
    made = numbers.background_rows("mine", STUDIES, [])
    for name in STUDIES:
        assert {row.dataset for row in made.rows if row.dataset.startswith(name)} == {
            name,
            f"{name}/cat",
            f"{name}/dog",
            f"{name}/backgrounds/a",
            f"{name}/backgrounds/b",
        }
    assert made.row(metric="threshold").value == MOST
    assert {row.item for row in made.rows} == {"nao-fig6"}


def test_swaps_have_their_settings():
    made = numbers.swap_rows("mine", STUDIES, swaps=3, repeats=10)
    assert (made.row(metric="swaps").value, made.row(metric="repeats").value) == (3, 10)
    assert made.row(metric="swaps").model == "mine"


def test_shares_tell_of_how_many_pictures_they_are():
    found = {name: shares([0.75, 0.25], [0, 1], dataset=name) for name in STUDIES}
    made = numbers.inside_rows("mine", found)
    assert made.row(metric="images").value == 2
    assert len(made.select(metric="attribution_inside", dataset="there")) == 1


def test_nothing_found_leaves_the_settings_alone():
    nothing = {"here": study(changes([], [], dataset="here"))}
    assert len(numbers.swap_rows("mine", nothing, swaps=3, repeats=10)) == 2


def test_one_line_per_change_with_its_scale_below():
    rows = numbers.swap_rows("mine", STUDY, swaps=3, repeats=2)
    frame = numbers.change_frame(rows, "nao-fig8", STUDY, "3 swaps")
    assert frame["Images"].tolist() == ["ordinary"] * 2
    assert frame["Change"].tolist() == ["3 swaps", "the box under grey noise"]
    assert [cell.value for cell in frame["Absolute"]] == pytest.approx([31.25, 62.5])
    assert frame["Signed"][0].value == pytest.approx(-31.25)
    assert [cell.value for cell in frame["No longer detected"]] == pytest.approx([25, 100])
    assert frame["n"].tolist() == ["2", "2"]


def test_backgrounds_with_what_is_seen_in_them():
    rows = numbers.background_rows("mine", STUDY, [])
    places = [Ground("a", PICTURE, 0.04), Ground("z", PICTURE, 0.3, 7)]
    frame = numbers.ground_frame(rows, places, STUDY)
    assert frame["Change|ordinary"][0].value == pytest.approx((25 + 0) / 2)
    assert frame["Change|ordinary"][1] == "left out"
    assert frame["Background"].tolist() == ["a", "z"]
    assert frame["Most confident prediction on it alone"].tolist() == pytest.approx([4, 30])
    assert frame["Passed over"].tolist() == [0, 7]


def test_classes_with_the_largest_change_come_first_below_the_whole_and_its_scale():
    rows = numbers.swap_rows("mine", STUDY, swaps=3, repeats=2)
    dots, sections = numbers.change_dots(rows, "nao-fig8", STUDY)
    assert [row.partition(",")[0] for row in sections["by class"]] == ["cat", "dog"]
    assert sections["over all"] == list(dots["ordinary"])[: len(sections["over all"])]
    assert dots["ordinary"][numbers.MEAN][0] == pytest.approx(31.25)
    (dog,) = (value for row, value in dots["ordinary"].items() if row.startswith("dog, n = "))
    assert dog[0] == pytest.approx(25)
    one, three, five = ((value,) * 3 for value in (1.0, 3.0, 5.0))
    assert numbers.ranked({"a": {"cat": one}, "b": {"cat": three, "dog": five}}) == ["dog", "cat"]


def test_all_changes_stand_on_one_scale_with_the_ledgers_bound():
    half = {"toys/noise": changes([0.75, 0.5], [[0.25], [0.0]], [0, 1])}
    other = {"ordinary": study(STUDY["ordinary"].found, half)}
    swapped = numbers.swap_rows("mine", STUDY, swaps=3, repeats=2)
    rows = numbers.background_rows("yours", other, [Ground("a", PICTURE, 0.0)]) + swapped
    dots, sections = numbers.scale(rows, {"nao-fig6": other, "nao-fig8": STUDY})
    first, second = sections.values()
    assert [dots["ordinary"][row][0] for row in first] == pytest.approx([31.25, 50.0])
    assert [dots["ordinary"][row][0] for row in second] == pytest.approx([31.25, 62.5])
    bounds = [row.metric for row in reported("nao-fig6") if "probability_change" in row.metric]
    assert bounds
    assert all(f"probability_change[*] < {numbers.HARDLY:.0f}%" in bound for bound in bounds)


def test_signed_shares_stay_in_the_figure():
    found = {"ordinary": shares([0.9, 0.1], classes=[0, 1])}
    panel = numbers.share_dots(numbers.inside_rows("mine", found), found)["ordinary"]
    assert panel["signed"]["cat"] == (105.0, 105.0, 105.0)
    assert panel["in the box"]["dog"][0] == pytest.approx(10)


def test_shares_over_all_classes_stand_under_what_they_are():
    found = {"ordinary": shares([0.9, 0.1], classes=[0, 1])}
    rows = numbers.inside_rows("mine", found)
    (line,) = numbers.share_frame(rows, found).to_dict("records")
    metrics = {
        "Inside|Absolute": "attribution_inside",
        "Inside|Signed": "signed_inside",
        "By chance|Random box": "random_inside",
        "By chance|Area": "area_inside",
        "Classes mostly inside|Absolute": "classes_mostly_inside",
        "Classes mostly inside|Signed": "classes_mostly_inside_signed",
    }
    dataset = found["ordinary"].dataset
    for column, metric in metrics.items():
        assert line[column].value == 100 * rows.row(metric=metric, dataset=dataset).value
    assert list(line) == ["Images", *metrics, "Left out"]
    assert (line["Images"], line["Left out"]) == ("ordinary", "0 of 2")


def test_the_prose_has_numbers_of_both_sets_or_says_that_there_are_none():
    rows = numbers.background_rows("mine", STUDY, []) + numbers.swap_rows(
        "mine", STUDY, swaps=3, repeats=2
    )
    found = {"ordinary": shares([0.9, 0.1], classes=[0, 1])}
    every = Results.of([*rows.rows, *numbers.inside_rows("mine", found).rows])
    named = numbers.key_numbers(every, STUDY, STUDY, found, ("mine", "yours", "hers"))
    detectors = ("background_detector", "attribution_detector", "swap_detector")
    assert [named[key].text for key in detectors] == ["mine", "yours", "hers"]
    assert named["ordinary_backgrounds"].text == "31.2 %"
    assert named["ordinary_swaps_noise"].text == "62.5 %"
    assert named["ordinary_inside"].text == "50.0 %"
    assert named["ordinary_random"].text == "25.0 %"
    area = every.row(metric="area_inside", dataset=found["ordinary"].dataset)
    assert named["ordinary_area"].value == area.value != named["ordinary_random"].value
    assert named["ordinary_mostly"].text == "50.0 %"
    assert named["ordinary_backgrounds_lost"].text == "25.0 %"
    assert named["adversarial_swaps"].text == "not measured"
