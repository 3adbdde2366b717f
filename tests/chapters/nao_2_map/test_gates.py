"""Gates of public detectors: which apply, which pass, and on which data."""

import pytest

from robust_lib.chapters.nao_2_map import gates
from robust_lib.chapters.nao_2_map.gates import COCO, NAO, gate_frame
from robust_lib.results.reported import reported
from tests.chapters import toys

NAMES = dict(gates.PUBLIC) | {"faster_rcnn": "fasterrcnn_resnet50_fpn"}
MASK = "maskrcnn_resnet50_fpn"


def gate(results, names=NAMES):
    return gate_frame(results, names).set_index(["Network", "Data"])["Gate"]


def test_the_gates_are_those_of_the_paper_and_of_the_weights_publisher():
    frame = gate_frame(toys.rows("nao-tab2", "map", {"mine": 0.5}), NAMES)
    expected = {(row["Network"], row["Data"]): row["Others found"] for _, row in frame.iterrows()}
    assert expected == {
        (MASK, COCO): 37.9,
        (MASK, NAO): 20.0,
        ("retinanet_resnet50_fpn", NAO): 13.7,
        ("efficientdet_d2", NAO): 16.1,
        ("efficientdet_d4", NAO): 18.6,
        ("efficientdet_d7", NAO): pytest.approx(17.0),
        ("fasterrcnn_resnet50_fpn", COCO): 37.0,
    }
    assert set(frame["Gate"]) == {"other data or networks"}
    printed = {row.model for row in reported("nao-tab2") if row.dataset == "nao"}
    assert set(gates.PUBLIC) <= printed


@pytest.mark.parametrize(
    ("value", "dataset", "word"),
    [
        (0.3790, COCO, "passed"),
        (0.3799, COCO, "passed"),
        (0.3768, COCO, "FAILED"),
        (0.2048, NAO, "passed"),
        (0.1940, NAO, "FAILED"),
    ],
)
def test_a_number_passes_near_the_published_one(value, dataset, word):
    found = gate(toys.rows("nao-tab2", "map", {MASK: value}, dataset))
    assert found[MASK, dataset] == word
    assert (found.drop((MASK, dataset)) == "other data or networks").all()


def test_other_data_and_other_networks_have_no_gate():
    elsewhere = toys.rows("nao-tab2", "map", {MASK: 0.9}, "layouts_val")
    assert set(gate(elsewhere)) == {"other data or networks"}
    here = toys.rows("nao-tab2", "map", {MASK: 0.9}, NAO)
    assert set(gate(here, {})) == {"other data or networks"}
    recall = toys.rows("nao-tab2", "mar", {MASK: 0.2}, NAO)
    assert set(gate(recall)) == {"other data or networks"}


def test_the_block_says_when_no_gate_applies():
    block = str(gates.gates(toys.rows("nao-tab2", "map", {"mine": 0.5}), NAMES))
    assert "No gate applies to this run: each of the 7" in block
    block = str(gates.gates(toys.rows("nao-tab2", "map", {MASK: 0.2}, NAO), NAMES))
    assert "passed" in block
    assert "Others found" in block
