"""The marks of a class as files: one long table, gradebooks for Canvas and Moodle, feedback."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from robust_book.course.handed_in import NOT_THERE, Row
from robust_book.html import policy
from robust_book.html.markup import Html, lines, text
from robust_lib import atomic
from robust_lib.errors import InputError

TABLE, FEEDBACK = "marks.csv", "feedback"
COLUMNS = tuple(field.name for field in fields(Row))
Roster = Sequence[Mapping[str, str]]
"""The students of a class as a platform exports them: a mapping a student, column -> text."""
PLATFORMS: Mapping[str, tuple[str, ...]] = {
    "canvas": ("Student", "ID", "SIS User ID", "SIS Login ID", "Section"),
    "moodle": ("Full name", "First name", "Last name", "Surname", "Username", "ID number",
               "Email address"),
}  # fmt: skip
"""Gradebook -> columns that say who a student is."""
_NAMED = ("Student", "Full name", "First name", "Last name", "Surname")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{border-bottom:1px solid;padding:.3rem .6rem;"
    "text-align:left;vertical-align:top}"
)


def write(rows: Sequence[Row], folder: Path, roster: Roster = ()) -> list[Path]:
    """Write the table, both gradebooks and a page for each student, and return the files.

    Args:
        roster: class list of the platform; without it, students have the names of their files.
    """
    made = {TABLE: sheet(COLUMNS, map(asdict, rows))}
    for platform in PLATFORMS:
        made[f"{platform}.csv"] = gradebook(rows, platform, roster)
    for student, name in pages(rows).items():
        made[f"{FEEDBACK}/{name}"] = feedback(student, rows).markup
    for name, content in made.items():
        # Excel takes a file for UTF-8 by its mark; Canvas reads a name from the first letter on.
        mark = "\N{BYTE ORDER MARK}" if name == TABLE else ""
        atomic.write_bytes(folder / name, f"{mark}{content}".encode("utf-8", "replace"))
    return [folder / name for name in made]


def sheet(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    r"""Return rows as CSV; an apostrophe precedes text that a spreadsheet would read as a formula.

    >>> sheet(["student"], [{"student": "=HYPERLINK(1)"}])
    "student\r\n'=HYPERLINK(1)\r\n"
    """
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(map(_harmless, columns))
    writer.writerows([_harmless(row.get(name, "")) for name in columns] for row in rows)
    return written.getvalue()


def _harmless(value: object) -> object:
    if not isinstance(value, str):
        return value
    clean = value.replace("\0", "")
    return f"'{clean}" if clean.lstrip(" ").startswith(_FORMULA) else clean


def points(rows: Iterable[Row]) -> dict[tuple[str, str], tuple[int, int]]:
    """Return (student, chapter) -> right answers and their maximum; of two files, the better."""
    by_file: dict[tuple[str, str, str], tuple[int, int]] = {}
    for row in rows:
        key = (row.student, row.chapter, row.file)
        right, of = by_file.get(key, (0, 0))
        by_file[key] = (right + row.points, of + row.of)
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for (student, chapter, _), sums in by_file.items():
        found[student, chapter] = max(sums, found.get((student, chapter), (0, 0)))
    return found


def gradebook(rows: Sequence[Row], platform: str, roster: Roster = ()) -> str:
    """Return a gradebook to import: one row per student, one column of points per chapter.

    Args:
        roster: list that identifies the students; those who handed in nothing have a row without
            points.
    """
    got = points(rows)
    chapters = sorted({row.chapter for row in rows} - {""})
    handed_in = {(row.student, row.chapter) for row in rows if row.state != NOT_THERE}
    told = [name for name in PLATFORMS[platform] if any(name in one for one in roster)]
    who = told or PLATFORMS[platform][: 5 if platform == "canvas" else 1]
    table: list[dict[str, Any]] = []
    if platform == "canvas":
        most = {name: max(of for (_, at), (_, of) in got.items() if at == name)
                for name in chapters}  # fmt: skip
        table.append({"Student": "    Points Possible", **most})
    for student, about in _people(rows, who, roster).items():
        right = {name: got[student, name][0] for name in chapters if (student, name) in handed_in}
        table.append({**{name: about.get(name, "") for name in who}, **right})
    return sheet([*who, *chapters], table)


def _people(
    rows: Sequence[Row], who: Sequence[str], roster: Roster
) -> dict[str, Mapping[str, str]]:
    """Return student -> the entry of the class list, also for students who are only on the list."""
    by_name: dict[str, list[Mapping[str, str]]] = {}
    for one in roster:
        words = _words(" ".join(one.get(name, "") for name in _NAMED))
        for at in range(len(words)):  # "Lovelace, Ada" and "Ada Lovelace"
            by_name.setdefault("".join(words[at:] + words[:at]), []).append(one)
    people: dict[str, Mapping[str, str]] = {}
    for student in sorted({row.student for row in rows}):
        same = by_name.get("".join(_words(student)), [])
        people[student] = same[0] if len(same) == 1 else {who[0]: student}
    found = [id(one) for one in people.values()]
    others = [one for one in roster if id(one) not in found and "".join(one.values()).strip()]
    return people | {f"\0{at}": one for at, one in enumerate(others)}


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", name.lower().replace("_", " "))


def read_roster(path: Path) -> Roster:
    """Return the class list from a gradebook export of Canvas or Moodle.

    Raises:
        InputError: the file has no column with names.
    """
    try:
        read = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig")), restval=""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"Expected a CSV file at {path}, but it cannot be read: {error}. Export the gradebook "
            "of Canvas or Moodle as CSV, and pass that file."
        ) from None
    if not read or not set(read[0]) & set(_NAMED):
        raise InputError(
            f"Expected a class list with a column {', '.join(_NAMED[:-1])} or {_NAMED[-1]} in "
            f"{path}, but it has no such column. Export the gradebook of Canvas or Moodle as CSV."
        )
    people = [{str(k): str(v or "") for k, v in one.items() if k is not None} for one in read]
    return [one for one in people if one.get("Student", "").strip() != "Points Possible"]


def pages(rows: Sequence[Row]) -> dict[str, str]:
    """Return student -> file name of a page of feedback, valid on every system.

    >>> pages([Row("Ada L.", "", 0, ""), Row("ada/l", "", 0, "")])
    {'Ada L.': 'Ada_L.html', 'ada/l': 'ada_l-2.html'}
    """
    found: dict[str, str] = {}
    taken: dict[str, int] = {}
    for student in sorted({row.student for row in rows}):
        stem = re.sub(r"\W+", "_", student).strip("_")[:60] or "student"
        taken[stem.lower()] = taken.get(stem.lower(), 0) + 1
        again = f"-{taken[stem.lower()]}" if taken[stem.lower()] > 1 else ""
        found[student] = f"{stem}{again}.html"
    return found


def feedback(student: str, rows: Iterable[Row]) -> Html:
    """Return a page for one student: the answers, and the feedback of the checks."""
    own = [row for row in rows if row.student == student]
    sums = [f"{chapter}: {right} of {of}"
            for (_, chapter), (right, of) in points(own).items() if of]  # fmt: skip
    body = [
        f"<tr><th>{text(row.chapter)}{f', exercise {row.exercise}' if row.exercise else ''}</th>"
        f"<td>{text(row.state)}{f' ({row.points} of {row.of})' if row.of else ''}</td>"
        f"<td>{text(row.answer)}</td><td>{text(row.says)}</td></tr>"
        for row in own
    ]
    return lines(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"{policy.meta()}<title>Feedback for {text(student)}</title>"
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>Feedback for {text(student)}</h1>",
        f"<p>Right answers: {text('; '.join(sums) or 'none yet')}. An exercise in words is read by "
        "your teacher.</p>",
        "<table><tr><th>Exercise</th><th>State</th><th>Your answer</th><th>What the check says"
        "</th></tr>",
        *body,
        "</table></body></html>",
    )
