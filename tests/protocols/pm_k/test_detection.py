"""Rows of pm-k mAP: what a wrong class and a wrong place cost, and claims that can fail."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.pm_k import detection
from robust_lib.results.compare import compare
from tests.protocols.pm_k import toys
from tests.toys import unchecked

NAMES = {"fasterrcnn_resnet50": "small", "fasterrcnn_resnet101": "large"}


def rows_of(right, sets=40, **settings):
    return detection.results(toys.scored(right, toys.frame_sets(sets), **settings))


def value(rows, metric, k, model="small"):
    return rows.row(metric=metric, model=model, k=k).value


def test_a_wrong_class_costs_detection_and_not_localisation():
    rows = rows_of({"small": (20, 40)})
    assert value(rows, "pm_map", 0) == pytest.approx(1)
    assert value(rows, "pm_map", 10) < 0.8
    assert value(rows, "pm_localization_map", 10) == pytest.approx(1)
    assert value(rows, "localization_map_drop", 10) == pytest.approx(0)


def test_a_wrong_place_costs_both():
    rows = rows_of({"small": (20, 40)}, lost="place")
    assert value(rows, "pm_map", 10) < 0.8
    assert value(rows, "pm_localization_map", 10) < 0.8


def test_drops_are_differences_and_have_paired_intervals():
    rows = rows_of({"small": (20, 30)})
    drop = rows.row(metric="map_drop", model="small", k=10)
    assert drop.value == pytest.approx(value(rows, "pm_map", 0) - value(rows, "pm_map", 10))
    assert drop.low < drop.value < drop.high
    ends = [rows.row(metric="pm_map", model="small", k=k) for k in (0, 10)]
    apart = (ends[0].high - ends[0].low) + (ends[1].high - ends[1].low)
    assert drop.high - drop.low < apart  # the sets are the same


def test_draws_are_the_same_for_all_that_is_asked_of_the_same_sets():
    rows = rows_of({"small": (20, 30), "large": (20, 30)})
    one, other = (rows.row(metric="pm_map", model=m, k=10).draws for m in ("small", "large"))
    np.testing.assert_array_equal(one.values(), other.values())


def test_the_farthest_frame_that_counts_is_a_setting():
    near = rows_of({"small": (20, 40)}, k=2)  # what is lost is three frames away
    assert value(near, "pm_map", 2) == pytest.approx(1)
    assert value(rows_of({"small": (20, 40)}, k=3), "pm_map", 3) < 0.8


def test_conventions_are_told_beside_every_number():
    words = rows_of({"small": (20, 40)}, iou="coco", anchor=False).rows[0].convention
    for part in ("IoU .5 to .95", "all-point", "anchor left out", "then the earlier"):
        assert part in words


def test_boxes_in_other_frames_are_refused():
    sets = toys.frame_sets(4)
    found = toys.boxes({"small": (2, 3)}, toys.frame_sets(5))["small"]
    truth = detection.truth_of(toys.annotations(sets))
    with pytest.raises(InputError, match=r"boxes.*84 frames.*sets"):
        detection.scored([found], sets, truth, detection.Settings())


@pytest.mark.parametrize("k", [0, 11])
def test_an_impossible_distance_is_refused(k):
    with unchecked(), pytest.raises(InputError, match=r"1.*10 frames"):
        detection.Settings(k=k)


DROPS = "pm_map[@vid-tab2, k=10] < pm_map[@vid-tab2, k=0]"
PLACES = "pm_localization_map[@vid-tab2, k=10] < pm_localization_map[@vid-tab2, k=0]"
WORKS = "pm_map[@vid-tab2, k=0] > 20%"
AS_MUCH = "localization_map_drop[@vid-tab2, k=10] >= map_drop[@vid-tab2, k=10]"


@pytest.mark.parametrize(
    ("claim", "settings", "word"),
    [
        (DROPS, {}, "holds"),
        (PLACES, {}, "not decided"),  # classes are lost, places are not
        (PLACES, {"lost": "place"}, "holds"),
        (AS_MUCH, {}, "does not hold"),
    ],
)
def test_each_claim_of_table_2_can_come_out_either_way(claim, settings, word):
    rows = rows_of({"small": (20, 36), "large": (16, 36)}, sets=60, samples=200, **settings)
    verdicts = compare(rows, "vid-tab2", roles=NAMES, datasets={"imagenet_vid_robust": "toys"})
    chosen = [
        one
        for one in verdicts
        if one.metric == f"{claim} if {WORKS}" and one.dataset == "imagenet_vid_robust"
    ]
    assert {one.verdict for one in chosen} == {word}


def test_detectors_that_lose_nothing_are_no_evidence_of_a_drop_or_of_none():
    rows = rows_of({"small": (60, 60), "large": (60, 60)}, sets=60)
    verdicts = compare(rows, "vid-tab2", roles=NAMES, datasets={"imagenet_vid_robust": "toys"})
    assert {one.verdict for one in verdicts if one.metric == DROPS} <= {"not decided", "missing"}
