"""Open a course: let a notebook find the pictures, networks and answers of its own folder."""

import json
import os
from pathlib import Path

from robust_lib import paths
from robust_lib.errors import DataError

MARK = "course.json"
"""The file that says what a course's folder holds."""


def open_folder(start: Path | None = None) -> str:
    """Let all that this process reads and writes lie in the course's folder; return what it is.

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
