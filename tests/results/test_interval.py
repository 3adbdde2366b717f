"""Numbers with their ends: in percent, and with themselves where an end is lacking."""

from robust_lib.results.interval import in_percent, point


def test_fractions_become_percent():
    assert in_percent(0.5, 0.25, 0.75) == (50, 25, 75)


def test_a_number_stands_for_an_end_that_it_lacks():
    assert in_percent(0.5) == (50, 50, 50)
    assert in_percent(0.5, 0.25) == (50, 25, 50)
    assert point(76.7) == (76.7, 76.7, 76.7)
