"""The chapter of balance and cover: its benchmark, its occlusions, the numbers of the prose."""

from types import SimpleNamespace

import pytest

from robust_book.chapters import overlap_2_balance_and_cover as chapter
from robust_lib.corruptions import occlusion
from robust_lib.errors import InputError
from robust_lib.results.compare import compare
from tests.protocols.overlap import toys
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


def test_the_tables_of_a_benchmark_say_what_they_show():
    accuracies = toys.overlaps({"resnet18": toys.table(names=("fog", "snow", "border"))})
    balance = str(chapter.balance(accuracies, ("fog", "snow")))
    assert "each of the 2 corruptions" in balance
    assert "Fog" in balance
    assert "Border" in str(chapter.coverage(accuracies, ("fog", "snow")))
