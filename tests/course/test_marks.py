"""The files of marks: no text is a formula, and each platform finds its students."""

import csv
import io

import pytest

from robust_book.course import marks
from robust_book.course.handed_in import Row
from robust_lib.errors import InputError

ROWS = [
    Row("Ada Lovelace", "00_tour", 1, "right", 1, 1, file="a"),
    Row("Ada Lovelace", "00_tour", 3, "partly right", 1, 2, answer="-1; x", says="<b>", file="a"),
    Row("Ada Lovelace", "00_tour", 1, "not yet", 0, 1, file="b"),
    Row("=cmd|'/c calc'!A0", "00_tour", 1, "not yet", 0, 1, words="+1", file="c"),
    Row("=cmd|'/c calc'!A0", "inc_2_mce", 0, "not handed in"),
]
CANVAS = [
    {"Student": "Lovelace, Ada", "ID": "7", "Section": "A"},
    {"Student": "Turing, Alan", "ID": "8", "Section": "A"},
]


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_what_a_spreadsheet_would_compute_is_text(tmp_path):
    files = marks.write(ROWS, tmp_path)
    for file in (one for one in files if one.suffix == ".csv"):
        for line in csv.reader(io.StringIO(file.read_text("utf-8-sig"))):
            assert not [cell for cell in line if cell.startswith(("=", "+", "-", "@"))], file
    table = read((tmp_path / marks.TABLE).read_text("utf-8-sig"))
    assert list(table[0])[:9] == [
        "student", "chapter", "exercise", "state", "points", "of", "answer", "words", "says",
    ]  # fmt: skip
    assert len(table) == len(ROWS)


def test_a_gradebook_has_the_better_of_two_files_and_no_mark_for_none():
    canvas = read(marks.gradebook(ROWS, "canvas"))
    assert canvas[0]["Student"].strip() == "Points Possible"
    assert canvas[0]["00_tour"] == "3"
    by_name = {one["Student"]: one for one in canvas}
    assert by_name["Ada Lovelace"]["00_tour"] == "2"
    assert by_name["'=cmd|'/c calc'!A0"]["inc_2_mce"] == ""


def test_a_platforms_own_list_says_who_a_student_is(tmp_path):
    canvas = read(marks.gradebook(ROWS, "canvas", CANVAS))
    told = {one["Student"]: (one["ID"], one["00_tour"]) for one in canvas}
    assert told["Lovelace, Ada"] == ("7", "2")
    assert told["Turing, Alan"] == ("8", "")
    exported = tmp_path / "moodle.csv"
    exported.write_text('"First name","Last name","Email address"\nAda,Lovelace,a@x.org\n', "utf-8")
    moodle = read(marks.gradebook(ROWS, "moodle", marks.read_roster(exported)))
    assert [one["00_tour"] for one in moodle if one["Email address"] == "a@x.org"] == ["2"]
    exported.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(InputError, match="a class list"):
        marks.read_roster(exported)


def test_feedback_is_a_page_a_student_with_every_answer_as_text(tmp_path):
    files = marks.write(ROWS, tmp_path)
    pages = [file for file in files if file.suffix == ".html"]
    assert {file.name for file in pages} == {"Ada_Lovelace.html", "cmd_c_calc_A0.html"}
    (ada,) = [file.read_text("utf-8") for file in pages if "Ada" in file.name]
    assert "00_tour: 2 of 3" in ada
    assert "<td>-1; x</td><td>&lt;b&gt;</td>" in ada
    assert "calc" not in ada
    assert marks.pages([Row("?!", "", 0, "")]) == {"?!": "student.html"}
