"""Two passports: differences, paired over the same images, against slow loops."""

from pathlib import Path

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.passport import comparison


@pytest.fixture
def both(passports):
    (one, first), (two, second) = passports["one"], passports["two"]
    one = one.passport.model_copy(update={"answers": "answers.parquet"})
    two = two.passport.model_copy(update={"answers": "answers.parquet"})
    right = comparison.right_of(one, first), comparison.right_of(two, second)
    return one, two, right


def test_differences_are_those_of_the_numbers(both):
    one, two, right = both
    found = {each.title: each for each in comparison.differences(one, two, right)}
    assert found["mCE"].value == found["mCE"].other.value - found["mCE"].one.value
    assert "Accuracy, hard pictures" not in found  # which the second was not asked


def test_paired_intervals_hold_the_difference_and_are_narrower_than_apart(both):
    one, two, right = both
    for each in comparison.differences(one, two, right):
        if each.low is not None:
            assert each.low - 1e-9 <= each.value <= each.high + 1e-9, each.title
    titles = [
        each.title for each in comparison.differences(one, two, right) if each.low is not None
    ]
    assert {"Clean error", "mCE", "CE, border"} <= set(titles)


def test_the_draws_of_an_mce_average_to_its_difference(both):
    """The slow way: the same fifteen quotients, from the files of answers."""
    one, two, right = both
    section = one.section("imagenet_c")
    mce = next(each.number for each in section.headlines if each.title == "mCE")
    draws = comparison._draws(mce, section, right)
    parts = []
    for ce in (each for each in section.numbers if each.metric == "ce"):
        if ce.corruption in ("border", "obstruction"):
            continue
        errors = []
        for side in right:
            cells = [name for name in side if f"/{ce.corruption}/" in name]
            errors.append(sum(1 - side[name].mean() for name in cells))
        parts.append((errors[1] - errors[0]) / (errors[0] / ce.value))
    exact = np.mean(parts)
    assert abs(draws.mean() - exact) < 4 * draws.std() / np.sqrt(len(draws)) + 1e-9
    found = {each.title: each for each in comparison.differences(one, two, right)}
    assert found["mCE"].value == pytest.approx(exact)


def test_without_answers_nothing_is_paired(both):
    one, two, _ = both
    assert all(each.low is None for each in comparison.differences(one, two))
    assert comparison.right_of(one.model_copy(update={"answers": None}), Path()) == {}


def test_the_better_model_is_named_only_where_the_interval_says_so(both):
    one, two, right = both
    each = next(iter(comparison.differences(one, two, right)))
    lower = comparison.Difference("mCE", "lower", each.one, each.other, 0.1, 0.2)
    assert lower.verdict == "first"
    assert (
        comparison.Difference("mCE", "higher", each.one, each.other, 0.1, 0.2).verdict == "second"
    )
    assert comparison.Difference("mCE", "lower", each.one, each.other, -0.1, 0.2).verdict == ""


def test_other_data_is_refused(both):
    one, two, _ = both
    with pytest.raises(InputError, match="Expected passports of one profile"):
        comparison.differences(one, two.model_copy(update={"profile": "full"}))


def test_the_page_names_both(both):
    one, two, right = both
    found = comparison.differences(one, two, right)
    made = comparison.comparison_page(one, two, found)
    assert "one and two" in made
    assert len(comparison.in_words(found).splitlines()) == len(found)
    assert "-0.0" not in comparison.in_words(found)
