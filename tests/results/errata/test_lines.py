"""What errata compute with: the printed numbers, found by their conditions."""

import pytest

from robust_lib.errors import InputError
from robust_lib.results.errata.lines import percent, row, rows, value
from robust_lib.results.reported import reported

INC = reported("inc")


def test_rows_come_in_printed_order_and_meet_every_condition():
    found = rows(INC, "ce", model="alexnet", item="inc-tab1")
    assert len(found) == 15
    assert [one for one in INC if one in found] == found
    assert {one.model for one in found} == {"alexnet"}
    assert rows(INC, "ce", model="nobody") == []


def test_the_first_row_is_the_one():
    assert row(INC, "ce", model="alexnet") == rows(INC, "ce", model="alexnet")[0]


def test_a_value_is_a_fraction():
    # AlexNet is what the CE is normalised by.
    assert value(INC, "ce", model="alexnet", corruption="fog") == 1.0
    assert percent(value(INC, "mce", model="resnet50")) == "76.7 %"


def test_a_number_that_is_not_printed_is_told_by_its_conditions():
    with pytest.raises(InputError, match=r"printed.*model=nobody, severity=3"):
        row(INC, "ce", model="nobody", severity=3)
