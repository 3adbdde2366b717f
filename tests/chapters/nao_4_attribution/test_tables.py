"""Tables and words of the chapter, of known changes and shares."""

import numpy as np
import pytest

from robust_book.chapters import nao_4_attribution as chapter
from robust_book.chapters.nao_4_attribution import tables
from robust_book.chapters.nao_4_attribution.grounds import Ground
from robust_lib.results.table import Results
from tests.chapters.nao_4_attribution.toys import study
from tests.protocols.attribution.toys import changes, shares

PICTURE = np.zeros((4, 4, 3), np.uint8)
CONTROL = {"toys/noise": changes([0.75, 0.5], [[0.0], [0.0]], [0, 1])}
STUDY = {"ordinary": study(changes([0.75, 0.5], [[0.5, 0.25], [0.5, 0.0]], [0, 1]), CONTROL)}


def test_a_row_a_change_with_its_scale_below():
    rows = chapter.rows.swaps("mine", STUDY, swaps=3, repeats=2)
    frame = tables.change_frame(rows, "nao-fig8", STUDY, "3 swaps")
    assert frame["Change"].tolist() == ["3 swaps", "the box under grey noise"]
    assert [cell.value for cell in frame["Absolute"]] == pytest.approx([31.25, 62.5])
    assert frame["With signs"][0].value == pytest.approx(-31.25)
    assert [cell.value for cell in frame["Not found again"]] == pytest.approx([25, 100])
    assert frame["n"].tolist() == ["2", "2"]


def test_backgrounds_with_what_is_seen_in_them():
    rows = chapter.rows.backgrounds("mine", STUDY, [])
    places = [Ground("a", PICTURE, 0.04), Ground("z", PICTURE, 0.3, 7)]
    frame = tables.ground_frame(rows, places, STUDY)
    assert frame["Change|ordinary"][0].value == pytest.approx((25 + 0) / 2)
    assert frame["Change|ordinary"][1] == "left out"
    assert frame["Passed over"].tolist() == [0, 7]


def test_classes_with_the_largest_change_come_first():
    rows = chapter.rows.swaps("mine", STUDY, swaps=3, repeats=2)
    dots, means = tables.change_dots(rows, "nao-fig8", STUDY)
    assert tables.ranked(dots) == ["cat", "dog"]
    assert means["ordinary"] == pytest.approx(31.25)
    assert dots["ordinary"]["dog"][0] == pytest.approx(25)


def test_signed_shares_stay_in_the_figure():
    found = {"ordinary": shares([0.9, 0.1], classes=[0, 1])}
    panel = tables.share_dots(chapter.rows.shares("mine", found), found)["ordinary"]
    assert panel["with signs"]["cat"] == (105.0, 105.0, 105.0)
    assert panel["in the box"]["dog"][0] == pytest.approx(10)


def test_the_prose_has_numbers_of_both_sets_or_says_that_there_are_none():
    rows = chapter.rows.backgrounds("mine", STUDY, []) + chapter.rows.swaps(
        "mine", STUDY, swaps=3, repeats=2
    )
    found = {"ordinary": shares([0.9, 0.1], classes=[0, 1])}
    every = Results.of([*rows.rows, *chapter.rows.shares("mine", found).rows])
    numbers = tables.key_numbers(every, STUDY, STUDY, found, ("mine", "mine", "mine"))
    assert numbers["ordinary_backgrounds"].text == "31.2 %"
    assert numbers["ordinary_swaps_noise"].text == "62.5 %"
    assert numbers["ordinary_inside"].text == "50.0 %"
    assert numbers["ordinary_random"].text == "25.0 %"
    assert numbers["adversarial_swaps"].text == "not measured"
