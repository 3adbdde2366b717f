"""Auxiliary studies: the rise that a run shows, means over settings, widths, and statistics."""

import pytest

from robust_book.course import inc_auxiliary
from robust_lib.results.table import Results
from tests.course.planted import hold, row, says

CHAPTER = "inc_5_auxiliary"
SEEN, UNSEEN = (0.1, 0.15, 0.2), (0.3, 0.5, 0.8)


def test_mistakes_are_named_and_nothing_is_revealed():
    assert hold(inc_auxiliary) >= 10


def rows():
    return Results.of(
        row(item="inc-cifar100", metric="error", dataset=f"broad_{side}", model="m",
            severity=number, value=value)
        for side, values in (("seen", SEEN), ("unseen", UNSEEN))
        for number, value in enumerate(values, start=1)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (0.1, ""),
        (10, "it is in percent"),
        (0.5, "this is the rise of the line of the held-out"),
        (0.4, "this is the difference between the rises"),
        (-0.1, "its sign"),
        (0.25, "the result is a different number"),
    ],
)
def test_what_a_smaller_training_set_explains_is_the_rise_of_the_seen(given, told):
    found = says(inc_auxiliary, CHAPTER, 1, {"explained": given}, rows())["explained"]
    assert found[1].startswith(told)
    assert (found[0] == "right") is (told == "")


def test_a_run_of_one_setting_says_nothing():
    one = Results(rows().rows[:1])
    assert says(inc_auxiliary, CHAPTER, 1, {"explained": 1}, one)["explained"][0] == (
        "not in this run"
    )


def test_both_means_by_hand():
    told = says(inc_auxiliary, CHAPTER, 2, {"over_settings": 55, "over_answers": 60})
    assert {state for state, _ in told.values()} == {"right"}
    told = says(inc_auxiliary, CHAPTER, 2, {"over_settings": 60, "over_answers": 0.6})
    assert told["over_settings"][1] == "it is the mean over all predictions."
    assert told["over_answers"][1] == "it is a fraction, but the answer is in percent."


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        ((["a"], ["a", "b"]), ""),
        ((["a", "b"], ["a"]), "the two are swapped"),
        ((["a"], ["b", "c"]), "the second should have the first"),
        ((["a"], ["b"]), "one icon should be held out, then two"),
    ],
)
def test_two_held_out_are_the_one_and_one_more(pair, told):
    found = says(inc_auxiliary, CHAPTER, 3, {"held_out_names": pair})["held_out_names"]
    assert found[1].startswith(told)
    assert (found[0] == "right") is (told == "")


def test_swapped_widths_and_a_forgotten_blend_are_named():
    over_pictures, over_drawings = inc_auxiliary.widths()
    given = {"over_pictures": over_drawings, "over_drawings": over_pictures}
    told = says(inc_auxiliary, CHAPTER, 4, given)
    assert told["over_pictures"][1] == "it is the width over drawings."
    assert told["over_drawings"][1] == "it is the width over images."
    told = says(inc_auxiliary, CHAPTER, 5, {"first": 5.586, "second": 16.83})
    assert told["first"] == ("right", "")
    assert told["second"][1].startswith("all of the style")
