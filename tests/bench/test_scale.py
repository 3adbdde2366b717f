"""The scale table: counted by hand where that is easy, and committed as it is computed."""

import csv

import pytest

from robust_lib import paths
from tests.bench.scale import Rates, scale, table

RATES = Rates(read=1.0, load=2.0, forward=1000.0, readers=1, start=10.0)


def test_one_gpu_does_all_jobs_one_after_the_other():
    found = scale(RATES, 1, networks=3, images=1000, corruptions=["fog", "snow"], severities=[1, 5])
    job = 10 + 3 * 2 + 2 * 1000 * 3 / 1000
    assert found.hours == pytest.approx(2 * job / 3600)
    assert (found.busy, found.bound) == (1, "networks")


def test_a_picture_costs_the_longer_of_reading_and_showing():
    slow = Rates(read=5.0, load=0.0, forward=1000.0, readers=2, start=0.0)
    found = scale(slow, 1, networks=1, images=1000, corruptions=["fog"], severities=[1])
    assert found.hours == pytest.approx(1000 * 5 / 1000 / 2 / 3600)
    assert found.bound == "reading"


def test_there_are_no_more_jobs_than_corruptions():
    hours = [scale(RATES, gpus, networks=50).hours for gpus in (1, 8, 14, 15, 64)]
    assert hours[0] == pytest.approx(15 * hours[-1])
    assert hours[1] == hours[2] == pytest.approx(2 * hours[-1])  # in two rounds
    assert hours[3] == hours[4]
    assert scale(RATES, 64, networks=50).busy == 15


def test_the_committed_table_is_the_computed_one():
    def read(name):
        path = paths.manifests() / "measured" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    costs = {row["read"]: float(row["CPU ms"]) for row in read("reading_cost")}
    assert read("scale") == table(costs["an image of the archive"], costs["a ResNet-50"] / 1000)
