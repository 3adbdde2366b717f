"""Errors: one family, whose members say what was expected, what came, and what to do."""

import pytest

from robust_lib import errors
from robust_lib.errors import InputError, RobustLibError, one_of

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_can_be_caught_as_one_of_this_library(kind):
    assert issubclass(kind, RobustLibError)


def test_a_wrong_argument_is_a_value_error_to_those_who_do_not_know_the_library():
    with pytest.raises(ValueError, match="one, but got two"):
        raise InputError("Expected one, but got two.")


def test_a_name_outside_a_closed_set_is_answered_with_the_set():
    assert one_of("metric", "acc", {"accuracy": 1, "mce": 2}) == (
        "Expected metric to be one of accuracy, mce, but got acc."
    )
    assert one_of("k", None, range(2)) == "Expected k to be one of 0, 1, but got None."
