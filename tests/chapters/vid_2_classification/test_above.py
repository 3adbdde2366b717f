"""Effective robustness, as the chapter shows it."""

from robust_book.chapters.vid_2_classification import above
from tests.protocols.pm_k import toys

NAMES = {"resnet50_finetune": "tuned", "resnet50": "plain"}
RIGHT = {"plain": (200, 300), "second": (150, 240), "third": (100, 180), "tuned": (320, 340)}
ANSWERS = toys.answers(RIGHT, toys.frame_sets(400))


def test_who_loses_less_than_the_stills_expect_lies_above_their_line():
    frame = above.above_frame(ANSWERS, NAMES)
    first = frame.iloc[0]
    assert (first["Network"], first["Type"]) == ("tuned", "fine-tuned on video")
    assert first["Above the line"].low > 5
    assert abs(frame.iloc[1]["Above the line"].value) < 3
    assert "1 of 4 are above the line" in str(above.above_the_line(ANSWERS, NAMES))


def test_two_stills_make_no_line():
    few = toys.answers({name: RIGHT[name] for name in ("plain", "second", "tuned")})
    assert "at least three networks" in str(above.above_the_line(few, NAMES))
