"""The markup of the scrubber; a browser drives it in tests/site."""

import pytest

from robust_book.chapters.vid_1_dataset.reels import reels
from robust_book.chapters.vid_1_dataset.scrubber import scrubber
from robust_lib.errors import InputError
from tests.chapters.toys import texts
from tests.chapters.vid_1_dataset.toys import watched

SHOWN = reels([0, 1], {"mine": watched({0: 5}, sets=2)}, ("bear", "bird & bee"))


def test_every_frame_has_its_caption():
    markup = scrubber(SHOWN, convention="n = 2", side=224)
    assert len(texts(markup, "figcaption")) == 42
    assert texts(markup, "strong")[9:12] == ["−1", "anchor", "+1"]
    assert texts(markup, "b").count("→ bird & bee 73 %") == 1
    assert texts(markup, "em") == ["worst", "worst"]


def test_a_line_says_on_how_many_frames_a_network_is_wrong():
    markup = scrubber(SHOWN, convention="", side=224)
    assert [text for text in texts(markup, "p") if ": wrong on" in text] == [
        "mine: wrong on 1",
        "mine: wrong on 0",
    ]
    assert str(markup).count("rb-miss") == 1


def test_names_are_text_and_small_frames_show_their_pixels():
    assert "bird &amp; bee" in str(scrubber(SHOWN, convention="", side=64))
    assert "rb-coarse" in str(scrubber(SHOWN, convention="", side=64))
    assert "rb-coarse" not in str(scrubber(SHOWN, convention="", side=224))


def test_without_frames_there_is_nothing_to_step_through():
    with pytest.raises(InputError, match="at least one set of frames"):
        scrubber((), convention="", side=64)
