"""Frames in shuffled order, as the chapter shows them."""

import numpy as np
import pytest

from robust_book.chapters import vid_2_classification as chapter  # noqa: F401, the page's
from robust_book.chapters.vid_2_classification import order
from robust_lib.protocols.pm_k.shuffled import Shuffled, shuffled
from tests.protocols.pm_k import toys

ANSWERS = toys.answers({"resnet50_mini": (60, 120)}, toys.frame_sets(200))


@pytest.mark.parametrize(
    ("true", "word"),
    [(0.9, "behave like the anchor"), (0.6, "no visible effect"), (0.2, "are harder than those")],
)
def test_the_sentence_follows_the_shuffles(true, word):
    shuffles = np.column_stack([np.ones(100), np.linspace(0.5, 0.7, 100)])
    said = order.words(Shuffled(np.array([1.0, true]), shuffles))
    assert said.startswith(f"{100 * true:.1f} % of the sets")
    assert "60.0 [50.5, 69.5] % in shuffled order" in said
    assert word in said


def test_the_figure_has_both_orders_and_says_what_it_is(page):
    """What is lost is lost three frames away, and only shuffles lose it sooner."""
    found = shuffled(ANSWERS, "resnet50_mini", 50)
    block = str(order.in_shuffled_order(page, ANSWERS, found, "resnet50_mini"))
    assert "neighbours in shuffled order" in block
    assert "Two lines from 60 to 30 %" in block
    assert "behave like the anchor" in order.key_numbers(found)["order"].text
