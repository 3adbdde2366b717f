"""The simulated intervals: each can still be made, and the committed table is of today's kinds."""

import csv

import pytest

from robust_lib import paths
from robust_lib.seeds import generator
from tests.bench.simulate_intervals import KINDS


@pytest.mark.slow
def test_every_kind_of_interval_finds_its_number():
    for kind in KINDS:
        low, high = kind.ends(generator("one world", kind.words))
        assert low <= high, kind.words


def test_the_committed_table_has_the_kinds_that_are_simulated():
    path = paths.manifests() / "measured" / "simulated_intervals.csv"
    with path.open(encoding="utf-8", newline="") as file:
        told = [(row["interval of"], row["over"]) for row in csv.DictReader(file)]
    assert told == [(kind.words, kind.of) for kind in KINDS]
