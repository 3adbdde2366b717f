"""What lies outside: the largest overlap, of how many pairs, and the accuracies behind it."""

import pytest

from robust_book.chapters.overlap_2_balance_and_cover.cover import cover_frame
from tests.protocols.overlap import toys


def near_fog():
    scores = toys.alike()
    place = toys.NAMES.index("border"), toys.NAMES.index("fog")
    scores[place] = scores[place[::-1]] = 0.4
    return {"resnet18": toys.table(scores, clean=0.5)}


def test_the_nearest_stands_with_what_it_gains():
    tables = near_fog()
    frame = cover_frame(toys.numbers(tables), toys.overlaps(tables))
    border = frame.set_index("Corruption").loc["Border"]
    assert border["Overlap"].value == pytest.approx(40)
    assert (border["Nearest"], border["Judged pairs"]) == ("Fog", "15 of 15")
    assert border["Standard"] == pytest.approx(10)
    assert border["With the nearest"] == pytest.approx(20)
    assert border["With itself"] == pytest.approx(35)


def test_what_cannot_be_judged_has_no_overlap_but_its_accuracies():
    one = toys.weak("border")
    frame = cover_frame(toys.numbers({"net": one}), toys.overlaps({"net": one}))
    border = frame.set_index("Corruption").loc["Border"]
    assert border["Nearest"] == "Not judged"
    assert border["Judged pairs"] == "0 of 15"
    assert border["Overlap"] is None
    assert border["Standard"] == pytest.approx(18)
