"""Reels: which sets are shown, and what is said of their frames."""

from types import SimpleNamespace

import pytest

from robust_book.chapters.vid_1_dataset import falls, reels
from robust_lib.errors import InputError
from tests.chapters.toys import texts
from tests.chapters.vid_1_dataset.toys import watched
from tests.toys import AS_IS, SwatchFrames

NAMES = ("bear", "bird")


def test_the_examples_and_a_set_without_a_mistake_are_shown():
    seen = {"one": watched({0: 2, 1: 3}, sets=4), "two": watched({2: 5}, sets=4)}
    shown = falls.falls(seen["one"])
    assert reels.chosen(None, shown, seen) == (0, 1, 3)


def test_where_all_sets_have_mistakes_the_examples_stand_alone():
    seen = {"one": watched({0: 2, 1: 3}, sets=2)}
    assert reels.chosen(None, falls.falls(seen["one"])[:1], seen) == (0,)
    assert reels.chosen(None, (), seen) == (0,)


@pytest.mark.parametrize(
    "clips", [["val/clip_0002", "val/clip_0000"], '["val/clip_0002", "val/clip_0000"]']
)
def test_clips_are_shown_as_named(clips):
    assert reels.chosen(clips, (), {"one": watched({}, sets=3)}) == (2, 0)


@pytest.mark.parametrize("clips", [["val/clip_0009"], "clip_0001", [], 12])
def test_clips_that_are_none_are_refused(clips):
    with pytest.raises(InputError, match=r"3 videos.*anchor.*val"):
        reels.chosen(clips, (), {"one": watched({}, sets=3)})


def test_each_network_has_one_worst_frame_a_set():
    seen = {"one": watched({0: -3}, sets=2), "two": watched({0: 8}, sets=2)}
    (reel, _) = reels.reels([0, 1], seen, NAMES)
    worst = {name: [k for k, one in reel.of(name).items() if one.worst] for name in reel.networks}
    assert worst == {"one": [-3], "two": [8]}
    said = reel.of("one")[-3]
    assert (said.answer, said.right) == ("bird", False)
    assert said.confidence == pytest.approx(0.731, abs=1e-3)


def test_frames_that_were_dropped_are_not_among_them():
    images = SwatchFrames(count=30)
    (reel,) = reels.reels([1], {"one": watched({}, images.sets)}, images.class_names)
    assert [moment.offset for moment in reel.moments] == [-1, 0, 1]
    made = reels.pictures([reel], SimpleNamespace(images=images, geometry=AS_IS))
    assert list(made) == [moment.file for moment in reel.moments]
    assert next(iter(made)) == "frames-clip_0001-000000.webp"


SHOWN = reels.reels([0, 1], {"mine": watched({0: 5}, sets=2)}, ("bear", "bird & bee"))


def test_every_frame_has_its_caption():
    markup = reels.scrubber(SHOWN, convention="n = 2", side=224)
    assert len(texts(markup, "figcaption")) == 42
    assert texts(markup, "strong")[9:12] == ["−1", "anchor", "+1"]
    assert texts(markup, "b").count("→ bird & bee 73 %") == 1
    assert texts(markup, "em") == ["worst", "worst"]


def test_a_line_says_on_how_many_frames_a_network_is_wrong():
    markup = reels.scrubber(SHOWN, convention="", side=224)
    assert [text for text in texts(markup, "p") if ": wrong on" in text] == [
        "mine: wrong on 1",
        "mine: wrong on 0",
    ]
    assert str(markup).count("rb-miss") == 1


def test_names_are_text_and_small_frames_show_their_pixels():
    assert "bird &amp; bee" in str(reels.scrubber(SHOWN, convention="", side=64))
    assert "rb-coarse" in str(reels.scrubber(SHOWN, convention="", side=64))
    assert "rb-coarse" not in str(reels.scrubber(SHOWN, convention="", side=224))


def test_without_frames_there_is_nothing_to_step_through():
    with pytest.raises(InputError, match="at least one set of frames"):
        reels.scrubber((), convention="", side=64)
