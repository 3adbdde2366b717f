"""Errata of the overlap paper: each computation shows what the text says."""

from robust_lib.results.errata import overlap
from tests.results.errata.lines import computed


def test_sixteen_networks_an_architecture():
    assert computed(overlap.thirty_models) == ["30", "32"]


def test_the_standard_networks_first_half():
    rounded, exact, *mces = overlap.set1()
    assert (rounded.computed, exact.computed) == ("80.50 %", "80.26 %")
    gaps = [float(line.computed[:-2]) - float(line.printed[:-2]) for line in mces]
    assert len(gaps) == 4
    assert all(0.1 < gap < 0.8 for gap in gaps)
