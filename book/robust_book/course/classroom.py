"""The first call in a course's notebooks, which opens the course's folder."""

import json
import os
from pathlib import Path

from robust_lib import paths
from robust_lib.errors import DataError

MARK = "course.json"
"""The file that says what a course's folder holds."""


def open_folder(start: Path | None = None) -> str:
    """Read and write in the course's folder from now on, and return a description of the course.

    Args:
        start: a folder in the course; None: the notebook's folder.

    Raises:
        DataError: neither this folder nor one above it is a course folder.
    """
    here = (start or Path.cwd()).resolve()
    home = _home(here)
    if home is None:
        raise DataError(
            f"Expected this notebook in the folder of a course, which contains {MARK}, but "
            f"neither {here} nor a folder above it has that file. Unpack the whole course folder, "
            "and open the notebook there."
        )
    os.environ["ROBUST_BUILD"] = str(home / paths.BUILD)
    os.environ["ROBUST_DATA"] = str(home / paths.BUILD / "data")
    told = json.loads((home / MARK).read_text("utf-8"))
    return (
        f"The course of profile {told['profile']}: images, networks and predictions are available."
    )


def profile() -> str | None:
    """Return the profile of the current course; None outside of a course folder."""
    home = _home(Path.cwd())
    if home is None:
        return None
    found: str = json.loads((home / MARK).read_text("utf-8"))["profile"]
    return found


def _home(here: Path) -> Path | None:
    return next((one for one in (here, *here.parents) if (one / MARK).is_file()), None)
