"""Two passports: differences, paired over the same images, against slow loops."""

from pathlib import Path

import numpy as np
import pytest

from robust_book.passport import comparison
from robust_lib.errors import InputError
from robust_lib.passport import paired
from robust_lib.passport.paired import said_in


@pytest.fixture
def both(passports):
    (one, first), (two, second) = passports["one"], passports["two"]
    one = one.passport.model_copy(update={"answers": "answers.parquet"})
    two = two.passport.model_copy(update={"answers": "answers.parquet"})
    right = said_in(one, first), said_in(two, second)
    return one, two, right


def test_differences_are_those_of_the_numbers(both):
    one, two, right = both
    found = {each.title: each for each in comparison.differences(one, two, right)}
    assert found["mCE"].value == found["mCE"].other.value - found["mCE"].one.value
    assert "Accuracy, hard images" not in found  # which the second was not asked


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
    draws = paired.draws(mce, section, right)
    parts = []
    for ce in (each for each in section.numbers if each.metric == "ce"):
        if ce.corruption in ("border", "obstruction"):
            continue
        errors = []
        for side in right:
            cells = [name for name in side if f"/{ce.corruption}/" in name]
            errors.append(sum(1 - side[name]["right"].astype(bool).mean() for name in cells))
        parts.append((errors[1] - errors[0]) / (errors[0] / ce.value))
    exact = np.mean(parts)
    assert abs(draws.mean() - exact) < 4 * draws.std() / np.sqrt(len(draws)) + 1e-9
    found = {each.title: each for each in comparison.differences(one, two, right)}
    assert found["mCE"].value == pytest.approx(exact)


def test_without_answers_nothing_is_paired(both):
    one, two, _ = both
    assert all(each.low is None for each in comparison.differences(one, two))
    assert said_in(one.model_copy(update={"answers": None}), Path()) == {}


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
    with pytest.raises(InputError, match="Expected two reports of one profile"):
        comparison.differences(one, two.model_copy(update={"profile": "full"}))


def _made_of(passport, **digests):
    made = passport.made.model_copy(update={"datasets": passport.made.datasets | digests})
    return passport.model_copy(update={"made": made})


def test_other_pictures_are_refused_though_the_profile_is_the_same(both):
    one, two, _ = both
    (name,) = one.section("imagenet_c").sets
    other = _made_of(two, **{name: "another digest"})
    with pytest.raises(InputError, match="Expected two reports on the same images") as refused:
        comparison.differences(one, other)
    assert f"different images ({name})" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_another_folder_is_refused_under_whatever_name(both):
    one, two, _ = both
    section = two.section("imagenet_c").model_copy(update={"sets": ("elsewhere",)})
    with pytest.raises(InputError, match="elsewhere there"):
        comparison.differences(one, two.model_copy(update={"sections": (section,)}))


def test_fewer_pictures_are_refused(both):
    one, two, _ = both
    section = two.section("imagenet_c")
    fewer = [
        each.model_copy(update={"number": each.number.model_copy(update={"n": 9})})
        for each in section.headlines
    ]
    section = section.model_copy(update={"headlines": tuple(fewer)})
    with pytest.raises(InputError, match="16 images here, 9 there"):
        comparison.differences(one, two.model_copy(update={"sections": (section,)}))


def test_images_that_were_corrupted_in_another_way_are_refused_with_both_ways(both):
    """Of 224 pixels as the archive beside the network's own size: two or three points apart."""
    one, two, _ = both
    section = two.section("imagenet_c")
    assert section.corrupted == one.section("imagenet_c").corrupted
    assert section.corrupted.startswith("jpeg85 at the network's own size; frost: ")
    other = section.model_copy(update={"corrupted": "jpeg85 of 224 pixels, made as the archive"})
    with pytest.raises(InputError, match=r"size.*here, jpeg85.*224") as refused:
        comparison.differences(one, two.model_copy(update={"sections": (other,)}))
    assert "same --images, --limit and --geometry" in str(refused.value)
    assert comparison.seen(one, two) == ""
    assert "two sees: crop 224" in comparison.seen(one, two.model_copy(update={"sees": "crop 224"}))


def test_a_benchmark_of_other_data_is_left_out_and_named(both):
    one, _, _ = both
    name = one.section("imagenet_a").sets[0]
    other = _made_of(one, **{name: "another digest"})
    found = comparison.differences(one, other)
    titles = {each.title for each in found}
    assert "mCE" in titles
    assert "Accuracy, hard images" not in titles
    assert set(comparison.other_data(one, other)) == {one.section("imagenet_a").title}
    made = comparison.comparison_page(one, other, found)
    assert "Left out, because the data differ" in made
    assert "Left out" not in comparison.comparison_page(one, one, found)


def test_the_page_names_both(both):
    one, two, right = both
    found = comparison.differences(one, two, right)
    made = comparison.comparison_page(one, two, found)
    assert "one and two" in made
    assert len(comparison.in_words(found).splitlines()) == len(found)
    assert "-0.0" not in comparison.in_words(found)
