"""A test over many values: all are tried, fixtures arrive, and the one that fails is told."""

import pytest

from tests.looped import over

SEEN = []


@pytest.fixture
def doubled():
    return 2


@over("number", range(3))
def test_each_value_comes_with_the_fixtures(doubled, number):
    SEEN.append(doubled * number)


def test_all_values_were_tried_in_one_case():
    assert SEEN == [0, 2, 4]


def test_the_value_that_fails_is_told():
    @over("number", [1, 0, 2])
    def divides(number):
        assert 1 / number

    with pytest.raises(ZeroDivisionError) as error:
        divides()
    assert error.value.__notes__ == ["number = 0"]
