"""The simulated claims: each can still be made, and the committed table is of today's kinds."""

import csv

import pytest

from robust_lib import paths
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from robust_lib.results.table import Results
from robust_lib.seeds import generator
from tests.bench.simulate_verdicts import KINDS, parsed
from tests.bench.simulated import ITEM

DECIDED = ("holds", "does not hold", "not decided", "premise fails")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.words}, {kind.of}")
def test_every_kind_of_claim_finds_its_numbers(kind):
    rows = kind.world(generator("one world", kind.words), kind.effect)
    found = judge(parsed(kind.claim), Lookup(results=Results.of(rows), item=ITEM))
    assert found.word in DECIDED, found.arithmetic


def test_the_committed_table_has_the_kinds_that_are_simulated():
    path = paths.manifests() / "measured" / "simulated_verdicts.csv"
    with path.open(encoding="utf-8", newline="") as file:
        told = [(row["claim"], row["of"]) for row in csv.DictReader(file)]
    assert told == [(kind.words, kind.of) for kind in KINDS]
