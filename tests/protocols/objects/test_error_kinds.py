"""Kinds of error by detector and data set."""

import pytest

from robust_lib.metrics.detection_errors import KINDS
from robust_lib.protocols.objects.error_kinds import error_kinds, results
from tests.protocols.objects import toys


def test_who_names_objects_wrongly_loses_by_names():
    ordinary, adversarial = toys.kinds_of_error({"mine": (12, 0)})["mine"]
    assert ordinary.counts == dict.fromkeys(KINDS, 0)
    assert adversarial.counts["classification"] == 10
    assert adversarial.costs["classification"] > adversarial.costs["background"]


def test_seeds_are_averaged():
    images = toys.pictures()[1]
    boxes = toys.object_boxes({"a": 0, "b": 12}, images)
    found = [boxes["a"][0], boxes["b"][0]]
    kinds = error_kinds(found, images.ids, images.annotations)
    assert kinds.counts["classification"] == 5


def test_a_row_a_kind_and_data_set():
    both = toys.kinds_of_error({"mine": (12, 0)})
    rows = results(both)
    assert len(rows) == 2 * len(KINDS)
    row = rows.row(dataset="nao/classification")
    assert row.value == pytest.approx(both["mine"][1].costs["classification"])
    assert row.n == 12
