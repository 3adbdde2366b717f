"""Costs at the paper's size: counts by hand."""

import pytest

from robust_book.chapters import nao_4_attribution as chapter
from robust_book.chapters.nao_4_attribution.costs import PICTURES, cost_frame, costs
from tests.chapters.nao_4_attribution.toys import study
from tests.chapters.pages import page as page_of
from tests.protocols.attribution.toys import changes, shares


@pytest.fixture
def run(build):
    return page_of(chapter).run


def test_counts_follow_what_a_picture_was_asked_for_here(run):
    six = {"ordinary": study(changes([0.8] * 4, [[0.5] * 6] * 4))}
    ten = {"ordinary": study(changes([0.8] * 2, [[0.5] * 10] * 2))}
    steps = {"ordinary": shares([0.5, 0.75])}  # 16 gradients each
    found = costs(run, six, ten, steps, ("mine", "talkative", "mine"))
    every = sum(PICTURES.values())
    assert [one.asked for one in found] == [6 * every, 16_000, 10 * every]
    assert all(one.seconds > 0 for one in found)
    frame = cost_frame(found)
    assert frame["At the paper's size"][1] == "16,000 gradients"
    assert list(frame["Shards of an hour"]) == [max(1, -int(-one.hours // 1)) for one in found]
