"""Which numbers of one network may stand in one row."""

from dataclasses import replace

from robust_lib.results.leaderboard.columns import column
from robust_lib.results.leaderboard.entries import Cell, joined, with_drops

CELL = Cell(value=0.5, dataset="toys_val", way="so", where="Table 1")


def rows(*found):
    return [
        {key: cell.text for key, cell in entry.cells.items()}
        for entry in joined(found, source="run", paper=None)
    ]


def test_a_number_is_written_as_it_was_printed():
    assert replace(CELL, value=0.0212, decimals=2).text == "2.12"
    assert replace(CELL, value=0.02, decimals=0).text == "2"


def test_columns_stand_in_the_boards_order():
    corrupted = replace(CELL, dataset="toys_c")
    assert rows(("m", column("mce"), corrupted), ("m", column("clean"), CELL)) == [
        {"clean": "50.0", "mce": "50.0"}
    ]


def test_what_is_printed_twice_stands_once_with_the_other_value_beside_it():
    again = replace(CELL, value=0.51, where="sec. 5")
    found = [("m", column("clean"), one) for one in (CELL, again, CELL, again)]
    (entry,) = joined(found, source="run", paper=None)
    assert entry.cells["clean"].also == ("51.0 (sec. 5)",)


def test_another_way_another_part_and_other_pictures_have_rows_of_their_own():
    others = [
        replace(CELL, way="otherwise"),
        replace(CELL, n=5, n_full=9),
        replace(CELL, dataset="games_val"),
    ]
    found = [("m", column("clean"), one) for one in (CELL, *others)]
    assert len(rows(*found)) == 4


def test_a_corrupted_part_does_not_stand_beside_the_clean_whole():
    part = replace(CELL, dataset="toys_c", n=5, n_full=9)
    assert len(rows(("m", column("clean"), CELL), ("m", column("mce"), part))) == 2


def test_a_classifier_and_a_detector_of_one_name_are_two():
    assert len(rows(("m", column("clean"), CELL), ("m", column("coco"), CELL))) == 2


def test_a_drop_is_of_the_same_pictures():
    before = ("m", column("pm0"), replace(CELL, value=0.75))
    after = ("m", column("pm10"), replace(CELL, value=0.5, low=0.25, high=0.75))
    other = ("m", column("pm10"), replace(CELL, dataset="others"))
    found = with_drops([before, after, other])
    ((_, one, cell),) = found[3:]
    assert (one.key, cell.value, cell.low, cell.where) == (
        "pm_drop", 0.25, None, "the difference of the two",
    )  # fmt: skip


def test_a_drop_that_is_printed_is_not_computed():
    printed = ("m", column("pm_drop"), replace(CELL, value=0.1))
    both = [("m", column(key), CELL) for key in ("pm0", "pm10")]
    assert len(with_drops([*both, printed])) == 3


def test_clean_and_corrupted_pictures_are_of_one_bed():
    shared = {"value": 0.5, "way": "", "where": ""}
    assert (
        Cell(dataset="imagenet_val", **shared).bed
        == Cell(dataset="imagenet_c", **shared).bed
        != Cell(dataset="imagenet_val", n=5, n_full=9, **shared).bed
    )
