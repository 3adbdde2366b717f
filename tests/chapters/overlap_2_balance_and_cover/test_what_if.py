"""A benchmark that a reader chooses: where it begins."""

import re

from robust_book.chapters.overlap_2_balance_and_cover import numbers
from robust_book.chapters.overlap_2_balance_and_cover.what_if import benchmark
from robust_lib.protocols.overlap.benchmark import average
from tests.chapters.toys import judged, texts

NAMES = ("fog", "snow", "gaussian_noise", "border")


def test_it_begins_with_the_corruptions_of_imagenet_c():
    block = benchmark(judged(*NAMES))
    assert re.findall(r'value="(\w+)" checked', str(block)) == ["gaussian_noise", "snow", "fog"]


def test_it_begins_with_the_chapters_own_numbers():
    overlaps = average(judged(*NAMES))
    balance = numbers.balance_frame(overlaps, NAMES[:3])["Mean overlap"]
    shown = texts(benchmark(judged(*NAMES)), "td")
    assert shown[0::2] == [*(f"{one:.2f}" for one in balance), "–"]
