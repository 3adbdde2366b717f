"""The still camera beside pm-k, as the chapter shows it."""

import pytest

from robust_book.chapters import vid_2_classification as chapter  # noqa: F401, the page's
from robust_book.chapters.vid_2_classification import still
from robust_lib.protocols.pm_k import classification
from tests.protocols.pm_k import toys

SETS = toys.frame_sets(200)
CLIPS = toys.answers({"resnet50_mini": (60, 120), "alexnet_mini": (80, 150)}, SETS)
STILL = toys.answers({"resnet50_mini": (105, 120), "alexnet_mini": (115, 150)}, SETS)
ROWS = classification.results(CLIPS, {"resnet50": "resnet50_mini"})
CONTROL = still.still_rows(CLIPS, STILL)


def test_a_line_for_each_network_with_both_drops_and_both_averages():
    frame = still.still_frame(ROWS, CONTROL, CLIPS, STILL)
    assert frame["Network"].tolist() == ["ResNet-50-like", "AlexNet-like"]
    first = frame.iloc[0]
    drops = (first["Drop on clips"].value, first["Drop with a still camera"].value)
    assert drops == pytest.approx((30.0, 7.5))
    assert first["Share without motion"].value == pytest.approx(25.0)
    assert first["Neighbours in clips"] == 100 * CLIPS.neighbours("resnet50_mini")


def test_the_prose_has_the_least_and_the_greatest():
    named = still.key_numbers(CONTROL, STILL)
    assert named["still_drops"].text == "7.5 to 17.5 points"
    assert named["still_shares"].text == "25.0 to 50.0 %"
    assert named["still_anchors"].text == "60.0 to 75.0 %"
    # Of a set's twenty frames the one that is wrong is a twentieth.
    each = [100 * (1 - lost / 200 / 20) for lost in (200 - 105, 200 - 115)]
    assert named["still_frames"].text == f"{each[0]:.1f} to {each[1]:.1f} %"
    apart = f"{60 - each[0]:.1f} to {75 - each[1]:.1f} points"
    assert named["still_apart"].text == apart.replace("-", "−")


def test_of_real_videos_nothing_is_claimed(page):
    assert not still.still_rows(CLIPS, None).rows
    assert "does not exist for real videos" in str(
        still.still_camera(page, ROWS, still.still_rows(CLIPS, None), CLIPS, None)
    )
    told = still.key_numbers(still.still_rows(CLIPS, None), None)
    assert {one.text for one in told.values()} == {"not measured"}
