"""What a class has handed in: whose checks pass, read from the notebooks as they were saved."""

import json
from pathlib import Path

import pandas as pd

from robust_lib.course.folder import said

UNSAID = "not run"
_PASSED = (": right", ": not in this run")


def table(folder: Path | str) -> pd.DataFrame:
    """Return how many answers are right, a line a notebook and a column an exercise.

    Nothing is run. What an exercise asks for in words has no check, and so no column.

    Args:
        folder: of the notebooks, and of folders of them, such as one a student.
    """
    home = Path(folder)
    files = [
        path for path in sorted(home.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts
    ]
    lines = {
        path.relative_to(home).as_posix(): {
            key.removesuffix("-check").replace("-", " "): _counted(text)
            for key, text in said(json.loads(path.read_text("utf-8"))).items()
        }
        for path in files
    }
    return pd.DataFrame.from_dict(lines, orient="index").fillna("")


def _counted(text: str) -> str:
    answers = text.splitlines()[1:]
    right = sum(any(word in line for word in _PASSED) for line in answers)
    return f"{right} of {len(answers)}" if answers else UNSAID
