"""What seeds allow: of the run itself, else of the committed table, and only of its networks."""

import pytest

from robust_book.chapters.overlap_1_matrix import ceiling
from robust_lib import paths
from robust_lib.protocols.overlap.agreement import CEILING
from robust_lib.results.table import Results
from tests.protocols.overlap import toys

OURS = ("resnet18_small", "densenet121_small")


def architectures(*names, **settings):
    return toys.overlaps({name: toys.table(**settings) for name in names})


def test_a_run_of_one_seed_takes_the_committed_table():
    found = ceiling.with_ceiling(Results(), architectures(*OURS)).row(metric=CEILING)
    known = ceiling.committed()
    both = [known["ResNet-18-like"], known["DenseNet-121-like"]]
    assert found.value == pytest.approx((both[0][0] + both[1][0]) / 2)
    assert (found.low, found.high) == (min(b[1] for b in both), max(b[2] for b in both))
    assert "overlaps_3_seeds" in found.convention
    assert found.dataset == "toys"


def test_of_other_networks_nothing_is_known():
    assert len(ceiling.with_ceiling(Results(), architectures("resnet18", *OURS))) == 0


def test_a_run_of_several_seeds_knows_it_itself():
    own = toys.ceiling([(0.5, 0.4, 0.6)], dataset="toys")
    rows = Results.of([own])
    assert ceiling.with_ceiling(rows, architectures(*OURS)) is rows


def test_without_the_table_nothing_is_known(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "manifests", lambda: tmp_path)
    assert ceiling.committed() == {}
