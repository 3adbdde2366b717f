"""The right answers are told by one module, which the teacher alone has."""

import pytest

from robust_book.course import checks, solutions
from robust_lib.errors import InputError
from tests.course.planted import run_of


def test_the_right_answer_passes_and_an_unknown_one_is_refused():
    run = run_of("00_tour")
    assert checks.check(run, 3, ce=solutions.right(run, 3, "ce")).passed
    with pytest.raises(InputError, match="an answer to exercise 3"):
        solutions.right(run, 3, "nonsense")
