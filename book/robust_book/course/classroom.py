"""What a class's notebooks call: a student's opens its course, a teacher's counts right answers."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from robust_book.course.answers import is_passed
from robust_lib import paths
from robust_lib.errors import DataError

MARK = "course.json"
"""The file that says what a course's folder holds."""


def open_folder(start: Path | None = None) -> str:
    """Read and write in the course's folder from now on, and return what the course is.

    Args:
        start: a folder in the course; None: the one that the notebook lies in.

    Raises:
        DataError: neither this folder nor one above it is a course's.
    """
    here = (start or Path.cwd()).resolve()
    home = next((one for one in (here, *here.parents) if (one / MARK).is_file()), None)
    if home is None:
        raise DataError(
            f"Expected this notebook in the folder of a course, one with {MARK}, but neither "
            f"{here} nor a folder above is one. Open it where it was unpacked, the whole folder."
        )
    os.environ["ROBUST_BUILD"] = str(home / paths.BUILD)
    os.environ["ROBUST_DATA"] = str(home / paths.BUILD / "data")
    told = json.loads((home / MARK).read_text("utf-8"))
    return f"The course of profile {told['profile']}: pictures, networks and answers are at hand."


_CHECK = re.compile(r"^checks\.check\(run, (\d+),", re.MULTILINE)
UNSAID, UNREAD = "not run", "no notebook"


def handed_in(folder: Path | str) -> pd.DataFrame:
    """Return how many answers are right: one row per notebook, one column per exercise.

    Nothing is run. What an exercise asks for in words has no check, and so no column. A file that
    is no notebook says so.

    Args:
        folder: holds the notebooks, or folders of them, such as one for each student.

    Raises:
        DataError: there is no such folder.
    """
    home = Path(folder)
    if not home.is_dir():
        raise DataError(
            f"Expected a folder of notebooks at {home.absolute()}, but there is no such folder. "
            "Name the one that holds what students handed in."
        )
    files = [
        path for path in sorted(home.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts
    ]
    found = {path.relative_to(home).as_posix(): _said(path) for path in files}
    numbers = sorted({number for checks in found.values() for number in checks or ()})
    lines = {
        name: [
            UNREAD if checks is None else _counted(checks[number]) if number in checks else ""
            for number in numbers
        ]
        for name, checks in found.items()
    }
    columns = [f"exercise {number}" for number in numbers]
    return pd.DataFrame.from_dict(lines, orient="index", columns=columns)


def said(notebook: Mapping[str, Any]) -> dict[int, str]:
    """Return the output of an executed notebook's checks: number of the exercise -> text.

    The call tells a check: some programs give cells ids of their own. Of several cells of one
    check the last that was run counts.
    """
    found: dict[int, str] = {}
    for cell in notebook["cells"]:
        call = _CHECK.search("".join(cell["source"])) if cell["cell_type"] == "code" else None
        if call:
            data = [out.get("data", {}).get("text/plain", "") for out in cell["outputs"]]
            text = "".join("".join(text) for text in data)
            found[int(call[1])] = text or found.get(int(call[1]), "")
    return found


def _said(path: Path) -> dict[int, str] | None:
    """Return the output of a notebook's checks; None if the file is no notebook."""
    try:
        return said(json.loads(path.read_text("utf-8")))
    except (ValueError, KeyError, TypeError):
        return None


def _counted(text: str) -> str:
    answers = text.splitlines()[1:]
    right = sum(map(is_passed, answers))
    return f"{right} of {len(answers)}" if answers else UNSAID
