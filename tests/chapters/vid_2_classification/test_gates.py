"""Gates: passed, failed, or about other data."""

from dataclasses import replace

import pytest

from robust_lib.chapters.vid_2_classification.gates import SETS, gate_frame
from tests.protocols.pm_k import toys

NAMES = {"resnet50": "resnet50", "alexnet": "alexnet_mini"}


@pytest.fixture(scope="module")
def answers():
    right = {"resnet50": (582, 749), "alexnet_mini": (355, 548)}
    found = toys.answers(right, toys.frame_sets(SETS))
    return replace(found, dataset="imagenet_vid_robust")


def gates(answers):
    frame = gate_frame(answers, NAMES)
    return dict(zip(zip(frame["Network"], frame["k"], strict=True), frame["Gate"], strict=True))


def test_the_references_counts_pass(answers):
    found = gates(answers)
    assert (found["resnet50", 0], found["resnet50", 10]) == ("passed", "passed")
    assert found["alexnet", 0] == "other data or networks"  # another network plays it


def test_one_set_less_fails(answers):
    worse = toys.answers({"resnet50": (581, 749)}, answers.sets)
    found = gates(replace(worse, dataset="imagenet_vid_robust"))
    assert (found["resnet50", 0], found["resnet50", 10]) == ("passed", "FAILED")


@pytest.mark.parametrize(
    "change", [{"dataset": "clips_val"}, {"anchor": False}, {"reading": "anchor"}]
)
def test_other_data_or_conventions_are_not_judged(answers, change):
    assert set(gates(replace(answers, **change)).values()) == {"other data or networks"}
