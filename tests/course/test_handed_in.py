"""What a class handed in becomes rows: no answer fools them, and no file stops them."""

import json
import os
from dataclasses import replace

import nbformat
import pytest

from robust_book.course import checks, handed_in
from robust_book.course.answers import KEPT, checked
from robust_book.course.handed_in import AGAIN, NO_NOTEBOOK, NOT_THERE, THEIRS
from robust_lib.errors import DataError
from tests.course import solutions
from tests.course.planted import NONE, row

TOUR, CE = "00_tour", 3
"""A chapter and its exercise of one number, 0.5, that needs no run."""
RIGHT = 0.5


def output(chapter=TOUR, number=CE, rows=NONE, profile="smoke", **given):
    """Return what a notebook keeps of a check."""
    found = checked(checks.EXERCISES[chapter][number], number, given, rows)
    about = {"chapter": chapter, "profile": profile, "time": "2026-11-28T10:00:00+00:00"}
    text, metadata = replace(found, about=about)._repr_mimebundle_()
    return nbformat.v4.new_output("execute_result", text, metadata=metadata)


def check(*outputs, number=CE, source="checks.check(run, {}, ce=ce)"):
    # Ids are those that a program chose that knows none of ours.
    return nbformat.v4.new_code_cell(source.format(number), outputs=list(outputs))


def hand_in(folder, place, *cells, chapter=TOUR):
    made = nbformat.v4.new_notebook(cells=list(cells), metadata={KEPT: {"chapter": chapter}})
    file = folder / place
    file.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, file)
    return file


def rows(folder, **given):
    """Return the rows: (student, exercise) -> row."""
    found = handed_in.rows(folder, given.get("rows_of", lambda *_: None), given.get("chapters", ()))
    return {(one.student, one.exercise): one for one in found}


def test_points_are_right_answers_and_what_was_not_run_says_so(tmp_path):
    hand_in(tmp_path, "ada/tour.ipynb", check(output(ce=RIGHT)))
    hand_in(tmp_path, "bob/tour.ipynb", check(output(ce=50)))
    hand_in(tmp_path, "eve/tour.ipynb", check())
    hand_in(tmp_path, "eve/.ipynb_checkpoints/tour.ipynb", check(output(ce=RIGHT)))
    hand_in(tmp_path, "max/tour.ipynb")
    found = rows(tmp_path)
    told = {name: (found[name, CE].state, found[name, CE].points) for name, _ in found}
    assert told == {
        "ada": ("right", 1), "bob": ("not yet", 0), "eve": ("not run", 0), "max": ("no check", 0),
    }  # fmt: skip
    assert found["bob", CE].answer == "ce = 50"
    assert "in percent" in found["bob", CE].says
    assert found["ada", CE].checked == AGAIN


def test_no_answer_calls_itself_right(tmp_path):
    """Neither by its words, nor as a state or an answer that was written into the file."""
    hand_in(tmp_path, "eve/tour.ipynb", check(output(ce=f"{RIGHT}: right.\n  ce: right.")))
    forged = output(ce=50)
    forged.metadata[KEPT]["answers"][0]["state"] = "right"
    hand_in(tmp_path, "mal/tour.ipynb", check(forged))
    without = output(ce=RIGHT)
    without.metadata[KEPT]["answers"][0]["given"] = None
    hand_in(tmp_path, "ned/tour.ipynb", check(without))
    other = output("inc_2_mce", 3, build=lambda: None)
    other.metadata[KEPT] |= {"exercise": CE}
    hand_in(tmp_path, "oli/tour.ipynb", check(other))
    found = rows(tmp_path)
    states = {name: found[name, CE].state for name, _ in found}
    assert states == {
        "eve": "not yet", "mal": "not yet", "ned": "no answer yet", "oli": "no check",
    }  # fmt: skip
    assert not any(one.points for one in found.values())


def test_nothing_to_do_is_no_point(tmp_path):
    empty = output("overlap_1_matrix", 1, fewest="nonsense")
    hand_in(tmp_path, "ada/x.ipynb", check(empty, number=1), chapter="overlap_1_matrix")
    found = rows(tmp_path)["ada", 1]
    assert (found.state, found.points, found.of) == ("not in this run", 0, 0)


@pytest.mark.parametrize(
    "source",
    [
        "checks.check(\n    run,\n    {},\n    ce=ce,\n)",
        "checks.check(run,{},ce=ce)",
        "x = checks.check(run, {}, ce=ce)",
        "checks.check(run, number={}, ce=ce)",
    ],
)
def test_a_check_is_found_however_it_is_written(tmp_path, source):
    hand_in(tmp_path, "ada/tour.ipynb", check(source=source))
    assert rows(tmp_path)["ada", CE].state == "not run"


def test_a_check_is_found_by_its_cell_id_and_an_empty_one_is_none(tmp_path):
    cell = nbformat.v4.new_code_cell("feedback(ce)", id=f"exercise-{CE}-check")
    empty = nbformat.v4.new_code_cell(" ", id=f"exercise-{CE}-check")
    hand_in(tmp_path, "ada/tour.ipynb", cell)
    hand_in(tmp_path, "bob/tour.ipynb", empty)
    found = rows(tmp_path)
    assert [found[name, CE].state for name in ("ada", "bob")] == ["not run", "no check"]


def test_of_several_outputs_of_a_check_the_last_one_counts(tmp_path):
    later = output(ce=RIGHT)
    later.metadata[KEPT]["time"] = "2026-11-28T11:00:00+00:00"
    hand_in(tmp_path, "ada/tour.ipynb", check(later), check(output(ce=50)), check())
    assert rows(tmp_path)["ada", CE].state == "right"


def test_a_file_that_is_no_notebook_is_a_row_that_says_so(tmp_path):
    hand_in(tmp_path, "ada/tour.ipynb", check(output(ce=RIGHT)))
    (tmp_path / "00_tour.ipynb").mkdir()
    (tmp_path / "dangling.ipynb").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "waits.ipynb")
    good = json.loads((tmp_path / "ada/tour.ipynb").read_text("utf-8"))
    texts = {
        "half": '{"cells": [', "list": "[1]", "deep": "[" * 99999, "empty": "",
        "outputs": json.dumps({**good, "cells": [{**good["cells"][0], "outputs": ["x"]}]}),
        "state": json.dumps(good).replace('"state": "right"', '"state": "perfect"'),
        "another": json.dumps({**good, "metadata": {}, "cells": []}),
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"{name}.ipynb").write_text(text, "utf-8")
    found = handed_in.rows(tmp_path, lambda *_: None)
    odd = [one for one in found if one.state == NO_NOTEBOOK]
    assert {one.student for one in odd} == {*texts, "00_tour", "dangling", "waits"}
    assert all(one.says for one in odd)
    assert rows(tmp_path)["ada", CE].state == "right"


def test_an_old_program_s_mark_and_capitals_are_no_hindrance(tmp_path):
    file = hand_in(tmp_path, "ada/tour.ipynb", check(output(ce=RIGHT)))
    (tmp_path / "bob.IPYNB").write_text(file.read_text("utf-8"), "utf-8-sig")
    assert rows(tmp_path)["bob", CE].state == "right"


def test_an_answer_on_a_run_is_checked_again_with_the_teachers_rows_alone(tmp_path):
    chapter, number = TOUR, 1
    here = [
        row(metric="error", model="net", value=value, severity=severity, corruption="fog")
        for severity, value in ((None, 0.2), (3, 0.7))
    ]
    taken = type(NONE).of(here)
    given = output(chapter, number, taken, severity=3)
    hand_in(tmp_path, "ada/tour.ipynb", check(given, number=number))
    own = output(chapter, number, taken, severity=3)
    own.metadata[KEPT]["changed"] = True
    hand_in(tmp_path, "bob/tour.ipynb", check(own, number=number))
    found = rows(tmp_path, rows_of=lambda *_: taken)
    assert [(found[name, 1].state, found[name, 1].checked) for name in ("ada", "bob")] == [
        ("right", AGAIN), ("right", THEIRS),
    ]  # fmt: skip
    assert rows(tmp_path)["ada", 1].checked == THEIRS


def test_a_check_that_was_mended_later_counts(tmp_path, monkeypatch):
    wrong = output(ce=RIGHT)
    wrong.metadata[KEPT]["answers"][0] |= {
        "state": "not yet",
        "says": "the result is a different number.",
    }
    hand_in(tmp_path, "ada/tour.ipynb", check(wrong))
    found = rows(tmp_path)["ada", CE]
    assert (found.state, found.says) == ("right", "")


def test_words_and_ticks_are_collected_and_students_are_named(tmp_path):
    made = solutions.students(tmp_path / "made") / "00_tour.ipynb"
    text = made.read_text("utf-8").replace("*Your answer:*", "*Your answer:* They are divided.")
    for place in (
        "Ada L_12_assignsubmission_file/00_tour.ipynb",
        "bobsmith_71_902_00_tour-1.ipynb",
    ):
        (tmp_path / "in" / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / place).write_text(text.replace("- [ ]", "- [x]", 1), "utf-8")
    found = rows(tmp_path / "in", chapters=("inc_2_mce",))
    assert {name for name, _ in found} == {"Ada L", "bobsmith"}
    for name in ("Ada L", "bobsmith"):
        read = found[name, 2]
        assert (read.state, read.words) == ("to be read", "They are divided.")
        assert read.says == "1 of 2 boxes are ticked."
        assert found[name, 0].state == NOT_THERE
        assert found[name, 0].chapter == "inc_2_mce"
        assert found[name, CE].state == "not run"


def test_nothing_handed_in_is_no_row_and_no_folder_is_an_error(tmp_path):
    assert rows(tmp_path) == {}
    with pytest.raises(DataError, match="there is no such folder"):
        rows(tmp_path / "none")
