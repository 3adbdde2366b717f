"""Distances that a reader moves: where they begin, and what each set is called."""

import re

from robust_book.chapters.vid_2_classification.what_if import distances
from tests.chapters.toys import texts
from tests.protocols.pm_k import toys

CLASSES = ("owl", "key")


def test_it_begins_with_the_pages_k_and_reading():
    found = toys.answers({"resnet50_mini": (3, 5), "alexnet_mini": (1, 9)}, k=4, anchor=False)
    block = distances(found, "alexnet_mini", CLASSES)
    assert texts(block, "td")[:3] == ["50.0", "30.0", "20.0"]
    assert re.search(r'name="k" min="0" max="4" step="1" value="4"', str(block))
    assert " checked" not in str(block)
    assert '<option value="1" selected>AlexNet-like' in str(block)


def test_a_set_is_called_by_what_it_shows_and_its_clip():
    block = str(distances(toys.answers({"resnet50_mini": (3, 5)}), "resnet50_mini", CLASSES))
    assert '"sets":["owl (clip_0000)","key (clip_0001)"' in block


def test_a_bit_a_distance_says_whether_a_set_is_right_so_far():
    """Set 3 is lost three frames from its anchor, set 5 at once."""
    block = str(distances(toys.answers({"resnet50_mini": (3, 5)}), "resnet50_mini", CLASSES))
    bits = re.search(r'"seeds":\[\[\[([\d,]+)\]', block)[1].split(",")
    assert [int(one) for one in bits] == [2**11 - 1] * 3 + [0b111] * 2 + [0] * 5
