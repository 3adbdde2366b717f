"""What a class has handed in: whose checks pass, read from the notebooks as they were saved."""

import json
from pathlib import Path

import pandas as pd

from robust_book.course.folder import said

UNSAID, UNREAD = "not run", "no notebook"
_PASSED = (": right", ": not in this run")


def table(folder: Path | str) -> pd.DataFrame:
    """Return how many answers are right, a line a notebook and a column an exercise.

    Nothing is run. What an exercise asks for in words has no check, and so no column. A file that
    is no notebook says so.

    Args:
        folder: of the notebooks, and of folders of them, such as one a student.
    """
    home = Path(folder)
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


def _said(path: Path) -> dict[int, str] | None:
    """Return what the checks of a file say; None if it is no notebook."""
    try:
        return said(json.loads(path.read_text("utf-8")))
    except (ValueError, KeyError, TypeError):
        return None


def _counted(text: str) -> str:
    answers = text.splitlines()[1:]
    right = sum(any(word in line for word in _PASSED) for line in answers)
    return f"{right} of {len(answers)}" if answers else UNSAID
