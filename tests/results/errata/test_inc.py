"""Errata of Common corruptions: each computation shows what the text says."""

from robust_lib.results.errata import inc
from tests.results.errata.lines import computed


def test_the_literal_formula_is_far_from_the_printed_value():
    assert computed(inc.relative_formula) == ["79.4 %", "105.0 %", "1.9 points"]
    assert len(inc.table_2_gaps()) == 90
