"""What is said of an answer: nothing yet, right, what is wrong, or that the run does not say."""

import json
import sys

import numpy as np
import pytest
import torch

from robust_book.course.answers import KEPT, Exercise, checked, choice, fixed, number, tried
from tests.course.planted import NONE

HALF = number("share", "a fraction", fixed(float, 0.4), "Count.", {"both.": fixed(float, 0.3)})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (0.4, None),
        (np.float32(0.4), None),
        (torch.tensor([0.4]), None),
        (0.401, None),
        (0.3, "both."),
        (40, "it is in percent, but the answer is a fraction."),
        (0.6, "it is the complement: one minus the right answer."),
        (-0.4, "its sign is reversed: what was subtracted from what?"),
        (2.5, "it is inverted: what is divided by what?"),
        (0.9, "the result is a different number. Count."),
        ("40 %", None),
        ("40", "it is in percent, but the answer is a fraction."),
        ("40,0 %", None),
        ("0,4", None),
        ("share = 0.4", None),
        ("1,400,0", "the answer should be a fraction, but this is no single number (str)."),
        ("−0.4", "its sign is reversed: what was subtracted from what?"),
        ("two fifths", "the answer should be a fraction, but this is no single number (str)."),
        ([0.4, 0.4], "the answer should be a fraction, but this is no single number (list)."),
        (float("nan"), "the answer should be a fraction, but this is no single number (float)."),
        (True, "the answer should be a fraction, but this is no single number (bool)."),
        ("2/5", None),
        ("2 / 50", "the result is a different number. Count."),
        ("40.0 percent", None),
    ],
)
def test_a_number_is_right_or_its_mistake_is_named(given, told):
    assert HALF.judge(given, NONE) == told


def test_a_fraction_where_percent_is_asked_for_is_named():
    percent = number("share", "percent", fixed(float, 40), "Count.")
    assert percent.judge(0.4, NONE) == "it is a fraction, but the answer is in percent."


def test_two_digits_that_cannot_tell_are_asked_for_one_more():
    third = number("share", "a fraction", fixed(float, 1 / 3), "Count.")
    assert third.judge(0.33, NONE) == "it is rounded too far to be checked: give one more digit."
    assert third.judge("33.3 %", NONE) is None
    assert third.judge(0.34, NONE) == "the result is a different number. Count."
    few = number(
        "share", "a fraction", fixed(float, 0.0257), "Count.",
        {"the anchor, too.": fixed(float, 0.0306), "three.": fixed(float, 3)},
    )  # fmt: skip
    assert few.judge(0.03, NONE) == "it is rounded too far to be checked: give one more digit."
    assert few.judge(0.031, NONE) == "the anchor, too."


def test_percent_for_what_is_no_fraction_is_named():
    plain = number("score", "a number, 1 for itself", fixed(float, 0.458), "")
    assert plain.judge(45.8, NONE) == "it is a hundred times too large: is it in percent?"


def test_truth_is_taken_as_a_word_and_is_no_number():
    apart = choice("apart", "True or False", lambda rows: True, "Look.")
    assert [apart.judge(given, NONE) for given in (True, "yes", "True", np.True_)] == [None] * 4
    assert all(apart.judge(given, NONE) for given in (False, "no", 1, "maybe"))
    whole = choice("first", "a severity", lambda rows: 0, "Look.")
    assert whole.judge(False, NONE)


def test_a_name_in_a_list_is_that_name_and_an_order_is_told_how_much_of_it_stands():
    fog = choice("worst", "a name", lambda rows: "fog", "Sort.")
    assert fog.judge(["fog"], NONE) is None
    order = choice("order", "names", lambda rows: ("a", "b", "c", "d"), "Sort.")
    assert "2 of 4 are in the right place" in order.judge(["a", "b", "d", "c"], NONE)
    assert "3 were given, but 4 are required" in order.judge(["a", "b", "c"], NONE)


def test_what_equals_everything_is_not_right():
    class Equal:
        def __eq__(self, other):
            return True

    fog = choice("worst", "a name", lambda rows: "fog", "Sort.")
    assert fog.judge(Equal(), NONE)


def test_a_check_keeps_states_and_answers_where_no_answer_can_write():
    exercise = Exercise((HALF, tried("made", "a function", lambda rows: True, lambda value: None)))
    found = checked(exercise, 2, {"share": "x: right.", "made": max}, NONE)
    shown, metadata = found._repr_mimebundle_()
    assert shown == {"text/plain": repr(found)}
    kept = json.loads(json.dumps(metadata[KEPT]))
    assert kept["exercise"] == 2
    told = [(one["name"], one["state"], one["given"]) for one in kept["answers"]]
    assert told == [("share", "not yet", "x: right."), ("made", "right", None)]


def test_a_program_that_a_student_ends_is_no_right_answer():
    ends = tried("build", "a function", lambda rows: True, lambda value: value())
    (verdict,) = checked(Exercise((ends,)), 1, {"build": sys.exit}, NONE).verdicts
    assert verdict.state == "not yet"
    assert "the answer should be a function" in verdict.says


def test_what_is_a_mistake_to_the_digit_is_not_asked_for_one_more():
    """Nobody could give it."""
    fixed_at = number("gain", "a number", fixed(float, 0.303), "", {"plain.": fixed(float, 0.3)})
    assert fixed_at.judge(0.3, NONE) == "plain."


def test_names_are_taken_as_pages_write_them():
    known = {"jpeg_compression": "JPEG", "resnet18_small": "ResNet-18-like"}
    shown = {label: name for name, label in known.items()}
    either = choice(
        "one", "a name", lambda rows: "resnet18_small", "Look.",
        among=lambda rows: list(known.values()), shown=lambda rows: shown,
    )  # fmt: skip
    assert [either.judge(name, NONE) for name in ("ResNet-18-like", "resnet18_small")] == [None] * 2
    assert either.judge("jpeg", NONE) == "the right answer is a different one. Look."
    assert either.judge("VGG", NONE).endswith("the names are JPEG, ResNet-18-like.")
    coded = choice(
        "one", "a name", lambda rows: "resnet18_small", "Look.",
        among=lambda rows: list(known), shown=lambda rows: shown | {"RN18": "resnet18_small"},
    )  # fmt: skip
    assert coded.judge("VGG", NONE).endswith("the names are JPEG, ResNet-18-like.")


def test_words_where_a_whole_number_is_asked_for_are_told_so():
    far = choice("far", "a whole number", lambda rows: {1, 2}, "Look.")
    assert [far.judge(given, NONE) for given in (2, "2", "k = 2", 2.0)] == [None] * 4
    for given in ("between 0 and 1", (0, 1)):
        assert far.judge(given, NONE).startswith(
            "the answer should be a whole number, but this is no"
        )
    assert far.judge(3, NONE) == "the right answer is a different one. Look."


def test_a_right_answer_is_right_even_if_a_mistake_leads_to_it_too():
    zero = number("gain", "a fraction", fixed(float, 0), "", {"nothing.": fixed(float, 0)})
    assert zero.judge(0, NONE) is None


def test_one_of_several_right_names_is_enough_and_lists_are_compared_in_order():
    either = choice("one", "a name", lambda rows: {"fog", "snow"}, "Look.")
    assert [either.judge(name, NONE) for name in ("fog", "Snow")] == [None, None]
    ordered = choice("order", "names", lambda rows: ("a", "b"), "Look.")
    assert ordered.judge(["a", "b"], NONE) is None
    assert ordered.judge(["b", "a"], NONE) == "the right answer is a different one. Look."


def test_states_of_an_exercise():
    silent = number("silent", "a number", lambda rows: None, "")
    broken = tried("broken", "a function", lambda rows: True, lambda value: value())
    exercise = Exercise((HALF, silent, broken))
    empty = checked(exercise, 2, {}, NONE)
    assert [one.state for one in empty.verdicts] == [
        "no answer yet", "not in this run", "no answer yet",
    ]  # fmt: skip
    assert not empty.passed

    def fails():
        raise KeyError("mine")

    wrong = checked(exercise, 2, {"share": 0.3, "broken": fails}, NONE)
    assert [one.state for one in wrong.verdicts] == ["not yet", "not in this run", "not yet"]
    assert "KeyError" in wrong.verdicts[2].says
    assert repr(wrong).splitlines()[:2] == ["Exercise 2", "  share = 0.3: not yet: both."]
    assert "  broken: not yet: the answer should be a function, but it led to KeyError" in repr(
        wrong
    )
    done = checked(exercise, 2, {"share": 0.4, "broken": lambda: None}, NONE)
    assert done.passed
    assert "  share = 0.4: right." in repr(done)
