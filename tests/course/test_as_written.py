"""Numbers and names as people write them."""

import numpy as np
import pytest

from robust_book.course import as_written


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.4", 0.4),
        ("0,4", 0.4),
        (" −0,4 ", -0.4),
        ("40 %", 0.4),
        ("40,5%", 0.405),
        ("share = 40 %", 0.4),
        ("1e-3", 0.001),
        ("1,400,0", "1,400,0"),
        ("40 % of them", "40 % of them"),
        ("two fifths", "two fifths"),
        ("", ""),
        (0.4, 0.4),
        (None, None),
    ],
)
def test_a_number_is_read_out_of_a_text_and_anything_else_is_left(text, number):
    found = as_written.read(text, "a fraction")
    assert found == number
    assert type(found) is type(number)


@pytest.mark.parametrize(("text", "number"), [("40 %", 40), ("0.4", 0.4), ("40,5 percent", 40.5)])
def test_percent_stay_percent_where_they_are_asked_for(text, number):
    assert as_written.read(text, "percent") == (text if number is None else number)


@pytest.mark.parametrize("value", [[1, 2], [], "3", "x", float("inf"), None, {}, {"a": 1}])
def test_what_is_not_one_finite_number_is_none(value):
    assert as_written.one_number(value) is None


def test_names_are_compared_without_case_and_blanks_and_by_what_pages_write():
    names = {"RN-18": "resnet18_small", "ResNet-18-like": "resnet18_small"}
    for given in ("resnet18_small", "ResNet-18-like", " rn-18", "RESNET18 small"):
        assert as_written.plain(given, names) == "resnet18_small"
    assert as_written.plain(np.array(["a b", "C"])) == ("a_b", "c")
    assert as_written.labels(["resnet18_small", "vgg"], names) == ["RN-18", "vgg"]


def test_only_a_set_holds_several_right_values():
    assert sorted(as_written.options({"Fog", "snow"})) == ["fog", "snow"]
    assert as_written.options(["Fog", "snow"]) == (("fog", "snow"),)
    assert as_written.options(np.int64(2)) == (2,)


def test_an_answer_is_shown_in_a_line_or_not_at_all():
    assert as_written.in_a_line([np.float32(0.5), "two\nlines", 3]) == "0.5, two lines, 3"
    assert as_written.in_a_line([1, max]) == ""
    assert as_written.in_a_line(None) == ""
