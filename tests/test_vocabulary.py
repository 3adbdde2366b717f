"""The corruptions' names, as the paper lists them."""

from robust_lib import vocabulary


def test_fifteen_common_four_extra_two_occlusions_and_no_name_twice():
    assert len(vocabulary.COMMON) == 15
    assert len(vocabulary.EXTRA) == 4
    assert vocabulary.OCCLUSION == ("border", "obstruction")
    assert len(set(vocabulary.NAMES)) == 21


def test_categories_divide_all_names():
    listed = [name for names in vocabulary.CATEGORIES.values() for name in names]
    assert sorted(listed) == sorted(vocabulary.NAMES)
    first_four = list(vocabulary.CATEGORIES.values())[:4]
    assert tuple(name for names in first_four for name in names) == vocabulary.COMMON
