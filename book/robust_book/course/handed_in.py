"""The submissions of a class: one row for each exercise of each student. Nothing is executed.

A check keeps its states in the metadata of its output, where no answer can write. The answers are
next to them, and are checked again here. So a check that was corrected later counts, and a state
that was written by hand does not. An answer that cannot be stored, such as a function, keeps the
verdict of the student's run, and so does an answer about a run with other parameters.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from robust_book.course import as_written
from robust_book.course.answers import KEPT, Exercise, Verdict, checked
from robust_book.course.checklists import CHECKLISTS
from robust_book.course.checks import EXERCISES
from robust_book.course.copies import HEADING
from robust_lib.errors import DataError
from robust_lib.results.table import Results

RowsOf = Callable[[str, str], Results | None]
"""Chapter, profile -> the rows of its run; None if they are not here."""
AGAIN, THEIRS = "again", "by the student's run"
NO_NOTEBOOK, NOT_THERE = "no notebook", "not handed in"
_CALL = re.compile(r"\bchecks\s*\.\s*check\(\s*run\s*,\s*(?:number\s*=\s*)?(\d+)")
_ID = re.compile(r"exercise-(\d+)(?:-|$)")
_BEGINS = re.compile(r"^(\d+)\. \*\*")
_UNCHECKED, _YOURS = "*No computer checks this one", "*Your answer:*"
_TICK = re.compile(r"^\s*- \[([ xX])\]", re.MULTILINE)
_LETTERS = 2000  # of somebody's words in the table


@dataclass(frozen=True)
class Row:
    """One exercise of one student.

    Attributes:
        state: "right", "partly right", "not yet", "no answer yet", "not in this run", "not run",
            "no check" if it was deleted, "to be read" for text; for a whole chapter "no notebook"
            or "not handed in".
        points: number of right answers.
        of: number of answers that this run can judge.
        answer: the given answer, in one line.
        words: the student's text, and the feedback of the check, in that order.
        time: when the check ran, UTC; empty if it did not.
        checked: whether the answer was checked again here, or only by the student's run.
    """

    student: str
    chapter: str
    exercise: int
    state: str
    points: int = 0
    of: int = 0
    answer: str = ""
    words: str = ""
    says: str = ""
    time: str = ""
    checked: str = ""
    file: str = ""


def rows(folder: Path, rows_of: RowsOf, chapters: Collection[str] = ()) -> list[Row]:
    """Return one row per exercise from a folder of notebooks by student, and one per other file.

    Args:
        folder: path that contains a folder for each student, or files whose names begin with the
            student's.
        chapters: chapters that were to be handed in, in addition to all that were handed in.

    Raises:
        DataError: there is no such folder.
    """
    if not folder.is_dir():
        raise DataError(
            f"Expected a folder of notebooks at {folder.absolute()}, but there is no such folder. "
            "Pass the folder that contains the handed-in notebooks."
        )
    files = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() == ".ipynb")
    found: list[Row] = []
    for path in files:
        place = path.relative_to(folder)
        if ".ipynb_checkpoints" not in place.parts:
            found += _of_file(path, place, rows_of)
    students = sorted({row.student for row in found})
    wanted = sorted({*chapters, *(row.chapter for row in found)} - {""})
    there = {(row.student, row.chapter) for row in found}
    lacking = [
        Row(student, chapter, 0, NOT_THERE)
        for student in students
        for chapter in wanted
        if (student, chapter) not in there
    ]
    return sorted([*found, *lacking], key=lambda row: (row.student, row.chapter, row.exercise))


def _of_file(path: Path, place: Path, rows_of: RowsOf) -> list[Row]:
    student = _student(place)
    try:
        if path.exists() and not path.is_file():
            raise ValueError("it is not a file.")
        # Some programs begin a file with a mark of its encoding.
        return list(_of_notebook(json.loads(path.read_text("utf-8-sig")), student, place, rows_of))
    except Exception as error:  # whatever somebody handed in: the table goes on
        fault = f"{type(error).__name__}: {error}"[:_LETTERS]
        chapter = _chapter_in(place.stem)
        return [Row(student, chapter, 0, NO_NOTEBOOK, says=fault, file=place.as_posix())]


def kept(notebook: Mapping[str, Any]) -> dict[int, Mapping[str, Any]]:
    """Return the checks stored in an executed notebook: exercise number -> record.

    If one check has several outputs, such as from a copied cell, the latest counts.
    """
    found: dict[int, Mapping[str, Any]] = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            record = output.get("metadata", {}).get(KEPT)
            if record is not None:
                number = int(record["exercise"])
                if number not in found or _time(record) >= _time(found[number]):
                    found[number] = record
    return found


def _time(record: Mapping[str, Any]) -> str:
    return str(record.get("time", ""))


def _of_notebook(
    notebook: Mapping[str, Any], student: str, place: Path, rows_of: RowsOf
) -> Iterator[Row]:
    records = kept(notebook)
    chapter = notebook["metadata"].get(KEPT, {}).get("chapter") or _chapter_in(place.stem)
    if chapter not in EXERCISES and chapter not in CHECKLISTS:
        told = [str(record.get("chapter")) for record in records.values()]
        chapter = next((name for name in told if name in EXERCISES), "")
    if not chapter:
        raise ValueError(
            "it does not belong to a chapter of the course; it may be a notebook of another course"
        )
    called, words = calls(notebook), _words(notebook)
    for number in sorted({*EXERCISES.get(chapter, {}), *CHECKLISTS.get(chapter, {})}):
        written, ticked = words.get(number, ("", ""))
        row = Row(student, chapter, number, "no check", words=written, file=place.as_posix())
        if number in CHECKLISTS.get(chapter, {}):
            yield replace(row, state="to be read" if written else "no answer yet", says=ticked)
        elif number in records:
            yield _judged(row, records[number], rows_of)
        else:
            yield replace(row, state="not run") if number in called else row


def _judged(row: Row, record: Mapping[str, Any], rows_of: RowsOf) -> Row:
    if str(record.get("chapter")) != row.chapter:
        return replace(row, says="The check in its place belongs to another chapter.")
    by_name = {str(one["name"]): one for one in record["answers"]}
    exercise = EXERCISES[row.chapter][row.exercise]
    asked = [one.name for one in exercise.answers]
    theirs = {name: _theirs(name, by_name.get(name)) for name in asked}
    again = _again(row, exercise, record, theirs, rows_of)
    verdicts = [again.get(name, theirs[name]) for name in asked]
    here = [one.state for one in verdicts if one.state != "not in this run"]
    right = here.count("right")
    if not here:
        state = "not in this run"
    elif right:
        state = "right" if right == len(here) else "partly right"
    else:
        state = "not yet" if "not yet" in here else "no answer yet"
    given = [(one.name, as_written.in_a_line(one.given)) for one in theirs.values()]
    return replace(
        row,
        state=state,
        points=right,
        of=len(here),
        answer="; ".join(f"{name} = {shown}" for name, shown in given if shown),
        says=" ".join(f"{one.name}: {one.says}" for one in verdicts if one.says),
        time=_time(record),
        checked=AGAIN if len(again) == len(asked) else THEIRS,
    )


def _theirs(name: str, told: Mapping[str, Any] | None) -> Verdict:
    """Return the verdicts of the student's run; an answer without a record has none."""
    if told is None:
        return Verdict(name, "no answer yet")
    state: Any = told["state"]
    known = ("right", "no answer yet", "not yet", "not in this run")
    if state not in known:
        raise ValueError(f"a check's state is one of {', '.join(known)}, not {state!r}")
    return Verdict(name, state, str(told.get("says", "")), told.get("given"))


def _again(
    row: Row,
    exercise: Exercise,
    record: Mapping[str, Any],
    theirs: Mapping[str, Verdict],
    rows_of: RowsOf,
) -> dict[str, Verdict]:
    """Return the verdicts of answers that can be judged here, name -> verdict."""
    saved: Results | None = Results()
    if exercise.of_run:
        changed = bool(record.get("changed"))
        saved = None if changed else rows_of(row.chapter, str(record.get("profile")))
    if saved is None:
        return {}
    given = {name: one.given for name, one in theirs.items()}
    # Of what is tried out, such as a function, the notebook keeps no answer.
    lost = {one.name for one in exercise.answers if one.tried and given[one.name] is None}
    found = checked(exercise, row.exercise, given, saved).verdicts
    return {one.name: one for one in found if one.name not in lost}


def calls(notebook: Mapping[str, Any]) -> set[int]:
    """Return the exercises whose check is in a notebook, identified by cell id or by the call."""
    found = set()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            named = _ID.match(str(cell.get("id", "")))
            call = _CALL.search("".join(cell["source"]))
            if call:
                found.add(int(call[1]))
            elif named and str(cell["id"]).endswith("-check") and "".join(cell["source"]).strip():
                found.add(int(named[1]))
    return found


def _words(notebook: Mapping[str, Any]) -> dict[int, tuple[str, str]]:
    """Return the text below each exercise, and the number of ticked entries of a checklist."""
    found: dict[int, tuple[str, str]] = {}
    number, is_below = 0, False
    for cell in notebook["cells"]:
        if cell["cell_type"] != "markdown":
            continue
        text = "".join(cell["source"]).strip()
        is_below = is_below or HEADING in text
        if is_below and (begins := _BEGINS.match(text)):
            number = int(begins[1])
            found[number] = ("", "")
        elif number and text.startswith(_UNCHECKED):
            ticks = [tick.strip() for tick in _TICK.findall(text)]
            told = f"{sum(map(bool, ticks))} of {len(ticks)} boxes are ticked."
            found[number] = (found[number][0], told)
        elif number:
            before, ticked = found[number]
            written = text.removeprefix(_YOURS).strip()
            found[number] = (f"{before}\n{written}".strip()[:_LETTERS], ticked)
    return found


def _chapter_in(stem: str) -> str:
    """Return the chapter in a file's name, such as "ada_12_inc_2_mce-1"; empty for none."""
    known = sorted({*EXERCISES, *CHECKLISTS}, key=len, reverse=True)
    return next((name for name in known if name in stem), "")


def _student(place: Path) -> str:
    """Return the student's name: that of the folder, or the file's name before the chapter's.

    >>> _student(Path("Ada L_123_assignsubmission_file/00_tour.ipynb"))
    'Ada L'
    >>> _student(Path("lovelaceada_71_902_00_tour-1.ipynb")), _student(Path("notes.ipynb"))
    ('lovelaceada', 'notes')
    """
    if len(place.parts) > 1:
        return re.sub(r"_\d+_assignsubmission_\w+$", "", place.parts[0])
    before = place.stem.partition(_chapter_in(place.stem) or "\0")[0]
    return re.sub(r"(?:_late)?(?:_\d+)*$", "", before.strip(" _-.")) or place.stem
