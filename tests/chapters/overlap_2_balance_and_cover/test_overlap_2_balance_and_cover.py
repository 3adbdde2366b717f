"""The chapter of balance and cover: its benchmark, its occlusions, the numbers of the prose."""

import re
from types import SimpleNamespace

import pytest

from robust_book.chapters import overlap_2_balance_and_cover as chapter
from robust_book.chapters.overlap_2_balance_and_cover import benchmark, numbers
from robust_lib.corruptions import occlusion
from robust_lib.errors import InputError
from robust_lib.protocols.overlap.benchmark import average
from robust_lib.results.compare import compare
from robust_lib.run.papers import inc
from tests.chapters import pages
from tests.chapters import toys as examples
from tests.chapters.toys import judged, texts
from tests.toys import unchecked

PAIRS = SimpleNamespace(corruptions=("fog", "snow", "border"))


@pytest.mark.parametrize("named", [["snow", "fog"], '["snow", "fog"]', ("snow", "fog")])
def test_a_benchmark_comes_as_a_list_or_as_its_text(named):
    with unchecked():
        assert chapter.members(named, PAIRS) == ("snow", "fog")
        assert chapter.members(None, PAIRS) == ("fog", "snow")
        with pytest.raises(InputError, match=r"a benchmark as a list .* but got 'fog'"):
            chapter.members("fog", PAIRS)


def test_the_occlusions_have_the_papers_sizes():
    found = compare(chapter.occlusion_sizes(), "overlap-claim-cover")
    sizes = {
        (v.metric, v.corruption): v
        for v in found
        if v.status != "direction" and v.metric != "largest_overlap"
    }
    assert len(sizes) == 8
    assert {verdict.verdict for verdict in sizes.values()} == {"as printed"}
    assert sizes["largest_side", "obstruction"].ours == occlusion.OBSTRUCTION_SIDE[1]


@pytest.fixture
def page(build):
    return pages.page(chapter, "toys")


def test_the_tables_of_a_benchmark_say_what_they_show():
    near = judged("fog", "gaussian_noise", "shot_noise")
    balance = chapter.balance(judged("fog", "snow", "gaussian_noise"), ("fog", "snow"))
    assert "each of the 2 corruptions" in str(balance)
    # Mean overlap, judged pairs, nearest, overlap with it.
    assert texts(balance, "td")[:4] == ["0.10", "1", "Snow", "0.10"]
    coverage = chapter.coverage(near, ("fog", "shot_noise"))
    assert texts(coverage, "th")[-1] == "Gaussian noise"
    assert texts(coverage, "td") == ["Shot noise", "0.90"]


def test_table_1_has_clean_errors_and_halves(page):
    rows = examples.rows("inc-tab1", "error", {"resnet50": 0.25})
    rows += examples.rows("overlap-tab1", "mean_ce", {"resnet50": 0.8}, corruption="set1")
    grid = examples.grid("alexnet_small", "resnet50")
    block = chapter.halves(page, rows, grid, inc.normaliser(page.run, grid))
    assert texts(block, "td")[:2] == ["25.0", "80.0"]
    assert "80.3" in str(chapter.recomputed())


def test_overlaps_are_spread_over_both_halves(page):
    rows = examples.rows("overlap-fig2", "mean_overlap", {"resnet18": 0.5}, corruption="fog")
    block = chapter.spread(page, rows, judged("fog", "gaussian_noise", "shot_noise"))
    for name in ("Mean of set2", "set1", "set2"):
        assert texts(block, "text").count(name) == 1


def test_what_lies_outside_has_its_largest_overlap_and_its_errors(page):
    about = ("overlap-claim-cover", "largest_overlap", {"resnet18": 0.0})
    rows = examples.rows(*about, corruption="border")
    cells = texts(chapter.cover(page, rows, judged("fog", "snow", "border")), "td")
    assert (cells[0], cells[1], cells[3]) == ("ResNet-18", "0.0", "2 of 15")
    none = chapter.cover(page, rows, judged("fog", "snow"))
    assert "points" not in texts(none, "text")
    errors = examples.rows("inc-alexnet", "mean_error", {"resnet50": 0.25}, corruption="border")
    block = chapter.occlusion_errors(errors)
    assert (texts(block, "th"), texts(block, "td")) == (
        ["Network", "Border", "ResNet-50"],
        ["25.0"],
    )


NAMES = ("fog", "snow", "gaussian_noise", "border")


def test_it_begins_with_the_corruptions_of_imagenet_c():
    block = benchmark(judged(*NAMES))
    assert re.findall(r'value="(\w+)" checked', str(block)) == ["gaussian_noise", "snow", "fog"]


def test_it_begins_with_the_chapters_own_numbers():
    overlaps = average(judged(*NAMES))
    balance = numbers.balance_frame(overlaps, NAMES[:3])["Mean overlap"]
    shown = texts(benchmark(judged(*NAMES)), "td")
    assert shown[0::2] == [*(f"{one:.2f}" for one in balance), "–"]
