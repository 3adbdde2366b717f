"""The numbers that the prose names."""

from robust_book.chapters.inc_5_auxiliary import key_numbers
from robust_lib.protocols import held_out_subtypes as protocol
from tests.protocols.subtypes import subtypes


def test_the_gap_is_paired():
    rows = protocol.results(*subtypes(seen_wrong=1, unseen_wrong=4), "toys", samples=200)
    found = key_numbers.subtypes(rows, "toys")
    assert (found["seen"].text, found["unseen"].text) == ("10.0 %", "100.0 %")
    assert found["gap"].text.startswith("90.0 [")
    assert found["gap"].n == 20
    assert (found["fewest"].text, found["most"].text) == ("100.0 %", "100.0 %")
