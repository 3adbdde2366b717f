"""Table 2 as rows, and a claim that can fail."""

import pytest

from robust_lib.protocols.objects.coco_map import results
from robust_lib.protocols.objects.scored_boxes import CHOICES
from robust_lib.results.claims import parse
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from tests.protocols.objects import toys

RIGHT = {"mine": (60, 60), "other": (60, 20)}


def test_rows_are_table_2():
    rows = results(toys.maps(RIGHT), {"mine": 7})
    assert rows.row(metric="map", model="mine", dataset="coco_val").value == pytest.approx(1)
    before, after = (
        rows.row(metric="map", model="other", dataset=name) for name in ("coco_val", "nao")
    )
    drop = rows.row(metric="map_drop", model="other")
    relative = rows.row(metric="relative_drop", model="other")
    assert drop.value == before.value - after.value
    assert relative.value == 1 - after.value / before.value
    assert drop.low < drop.value < drop.high
    assert "from coco_val" in relative.convention
    assert rows.row(metric="parameters", model="mine").value == 7
    assert rows.row(metric="images", dataset="nao").value == 60
    assert len(rows.select(metric="map_without_ood", model="mine").rows) == 1 + len(CHOICES)


def test_no_share_is_lost_of_a_map_of_nothing():
    """Of 0.0 %, once 100 % were lost, or nothing."""
    rows = results(toys.maps({"blind": (0, 0), "mine": (60, 20)}))
    assert rows.row(metric="map_drop", model="blind").value == 0
    assert [row.model for row in rows.select(metric="relative_drop").rows] == ["mine"]


@pytest.mark.parametrize(
    ("right", "word"),
    [((60, 20), "holds"), ((60, 58), "not decided"), ((20, 60), "does not hold")],
)
def test_that_a_detector_drops_can_fail(right, word):
    """Whatever is foreign is forgiven here, so that only what is named wrongly counts."""
    settings = {"iou": 0.5, "foreign": "overlap"}
    rows = results(toys.maps({"mine": right}, **settings))
    claim = parse("map_without_ood[mine] < map[mine, dataset=coco_val]", "nao")
    assert judge(claim, Lookup(results=rows, item="nao-tab2")).word == word
