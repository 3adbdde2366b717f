"""The words of a command line: options of several words, and papermill's way with parameters."""

import pytest

from robust_book.commands.arguments import joined
from robust_lib.errors import InputError


def test_a_parameter_and_its_value_become_one_word():
    given = ["run", "inc_2_mce", "-p", "limit", "8", "-p", "models", '["a"]']
    assert joined(given) == ["run", "inc_2_mce", "-p", "limit=8", "-p", 'models=["a"]']


def test_an_option_of_several_words_is_repeated_for_each():
    given = ["predict", "inc_2_mce", "--corruptions", "fog", "snow", "--seeds", "1", "2"]
    wanted = ["--corruptions", "fog", "--corruptions", "snow", "--seeds", "1", "2"]
    assert joined(given) == ["predict", "inc_2_mce", *wanted]


def test_other_words_stay_as_they_are():
    given = ["corrupt", "in", "out", "--seed=3", "--limit", "4"]
    assert joined(given) == given


@pytest.mark.parametrize(
    "rest", [["-p"], ["-p", "limit"], ["-p", "limit=8", "9"], ["-p", "limit", "--profile"]]
)
def test_a_parameter_without_a_value_says_how_to_write_it(rest):
    with pytest.raises(InputError, match=r"Expected -p NAME VALUE, with a blank between"):
        joined(["run", "inc_2_mce", *rest])


@pytest.mark.parametrize("option", ["--corruptions", "--roles", "--boxes"])
def test_the_options_that_the_plan_gives_several_words_take_them(option):
    given = ["predict", "nao_2_map", option, "coco_val", "nao"]
    assert joined(given) == ["predict", "nao_2_map", option, "coco_val", option, "nao"]
