"""The chapter on the data set: its networks, its blocks, and what it says of released sets."""

from unittest.mock import Mock

import pytest

from robust_book.chapters import vid_1_dataset as chapter
from robust_book.chapters.vid_1_dataset import dropped, falls, reels
from robust_lib.config.profiles import load_profile
from robust_lib.datasets.clips import Clips
from robust_lib.errors import InputError
from robust_lib.run.papers import vid
from tests.chapters.pages import page as page_of
from tests.chapters.toys import texts
from tests.chapters.vid_1_dataset.test_dropped import mock_clips
from tests.chapters.vid_1_dataset.toys import REVIEW, watched
from tests.toys import brightest


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter)


@pytest.mark.parametrize("profile", ["smoke", "mini", "full_trained"])
def test_every_profile_has_some_of_its_networks(profile):
    found = chapter.CHAPTER.evaluated_models(load_profile(profile))
    assert "resnet50_finetune" in found
    assert set(found) <= set(vid.FEW)


def test_the_papers_network_is_shown_or_what_comes_nearest(page):
    run = page.run
    nearest = run.paper_names["resnet50_finetune"]
    models = {name: (brightest(name),) for name in ("mine", nearest)}
    run.__dict__["models"] = models
    assert vid.network_of(run, None) == nearest
    run.__dict__["models"] = {"mine": models["mine"]}
    assert vid.network_of(run, None) == "mine"
    with pytest.raises(InputError, match="a network of this run to be one of"):
        vid.network_of(run, "resnet9")


def test_a_network_that_never_falls_has_no_figure(page):
    seen = chapter.watched(page.run)["brightest"]
    assert falls.falls(seen) == ()
    rows = falls.results(seen, (), page.run.images.name, "brightest")
    block = chapter.confidences(page, rows, seen, (), "brightest")
    assert "<svg" not in str(block)
    assert "n = 10 sets" in str(block)


def test_the_strips_and_the_scrubber_say_the_same(page):
    seen = watched({0: 1}, page.run.images.sets)
    shown = falls.examples(falls.falls(seen), seen.sets)
    rows = falls.results(seen, shown, page.run.images.name, "brightest")
    strips = texts(chapter.confidences(page, rows, seen, shown, "brightest"), "text")
    assert "→ green 58 %" in strips
    names = page.run.images.class_names
    made = reels.reels(reels.chosen(None, shown, {"m": seen}), {"m": seen}, names)
    assert [one.clip for one in made] == ["val/clip_0000", "val/clip_0001"]
    assert "→ green 58 %" in texts(chapter.frame_by_frame(page, made), "b")


def test_released_sets_have_no_pairs_to_show_and_say_so(page):
    assert chapter.NOT_PUBLISHED in str(chapter.dissimilar(page, None))
    assert "was not published" in str(chapter.review_steps(page, None))


def test_the_reviews_errors_stand_under_its_pairs(page):
    clips = Mock(spec=Clips)
    clips.review, clips.name = REVIEW, "toys"
    clips.clips, clips.candidates = mock_clips().clips, mock_clips().candidates
    block = chapter.dissimilar(page, clips)
    assert "+10: significant motion" in " ".join(texts(block, "text"))
    assert texts(block, "td")[:3] == ["2", "1", "1"]
    assert "of 40" in " ".join(texts(chapter.review_steps(page, clips), "text"))
    assert list(dropped.steps(REVIEW.counts).values())[-1] == 18


def test_counts_of_this_run_stand_beside_the_papers(page):
    block = chapter.in_numbers(page, chapter.counted(page.run, None))
    assert texts(block, "td")[:3] == ["10", "1,109", "1,145"]


def test_the_table_of_intervals_says_what_to_see(page):
    (caption,) = texts(chapter.intervals(page), "caption")
    assert caption.endswith("4 for n = 1,109 (released) and 0 for n = 1,314 (before review)")
