"""Classes in the order of their worst accuracy."""

from robust_book.chapters.vid_2_classification import classes
from tests.chapters.toys import class_rows


def test_the_lowest_comes_first_and_both_ends_stand_beside():
    of_each = classes.of_classes(class_rows({"mine": (3, 5)}, "mine"), "toys", 10)
    assert list(of_each) == ["monkey", "lion"]
    dots = classes.class_dots(of_each)
    assert dots["anchor"]["monkey"][0] == 40.0
    assert dots["worst frame"]["monkey"][0] == 20.0
    frame = classes.class_frame(of_each)
    assert frame["Sets"].tolist() == [5, 5]
    assert [cell.value for cell in frame["Anchor"]] == [40.0, 60.0]


def test_rows_of_other_data_sets_are_left_out():
    assert classes.of_classes(class_rows({"mine": (3, 5)}, "mine"), "other", 10) == {}
