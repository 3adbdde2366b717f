"""Errata of the overlap paper: each computation shows what the text says."""

from robust_lib.results.errata import overlap
from tests.results.errata.lines import computed


def test_sixteen_networks_an_architecture():
    assert computed(overlap.thirty_models) == ["30", "32"]


def test_the_standard_networks_first_half():
    assert computed(overlap.set1) == ["80.50 %", "80.26 %"]
