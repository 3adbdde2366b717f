"""Notebooks to launch without an installation: one more cell installs library and art."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from robust_lib import paths
from robust_lib.run.provenance import UNKNOWN

FOLDER = "launch"
"""Below the site's `_static`, and the branch of the repository on which the site's copy stands."""

ID = "install"
CELL = """\
# The library as it was at the commit of this page, what its chapters need, and the icon art.
# A few minutes, once; if the host then asks to restart the session, do so and go on from here.
# A name in the text, such as `00_tour.clean_error`, stands for a number: the last cell lists them.
%pip install --quiet "{requirement}"
from robust_lib.fetch import fetch

fetch("icons");
"""
EXTRAS = "detect,explain"


def requirement(repository: str, commit: str) -> str:
    """Return the requirement for pip: the library at a commit, with the chapters' extras.

    >>> requirement("https://example.org/me/book", "0123abc")
    'robust-lib[detect,explain] @ git+https://example.org/me/book@0123abc'
    """
    return f"robust-lib[{EXTRAS}] @ git+{repository.rstrip('/')}@{commit}"


def launchable(notebook: Mapping[str, Any], wanted: str) -> dict[str, Any]:
    """Return a committed notebook with a first cell that installs its requirements.

    >>> made = launchable({"cells": []}, "robust-lib")
    >>> made["cells"][0]["source"].splitlines()[3]
    '%pip install --quiet "robust-lib"'
    """
    cell: dict[str, Any] = {
        "cell_type": "code",
        "id": ID,
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": CELL.format(requirement=wanted).strip(),
    }
    return {**notebook, "cells": [cell, *notebook["cells"]]}


def place(record: Mapping[str, Any]) -> str | None:
    """Return the path of a chapter's notebook to launch, below the folder of all such notebooks.

    It is None if the run does not know its commit, or files differed from it: an installation might
    then differ from the page.

    >>> made = {"commit": "0123456789abcdef", "dirty": False}
    >>> place({"notebook": "00_tour", "provenance": made})
    '0123456789ab/00_tour.ipynb'
    >>> place({"notebook": "00_tour", "provenance": made | {"dirty": True}}) is None
    True
    """
    made = record["provenance"]
    if made["commit"] == UNKNOWN or made["dirty"]:
        return None
    return f"{made['commit'][:12]}/{record['notebook']}.ipynb"


def write(records: Iterable[Mapping[str, Any]], folder: Path, repository: str) -> list[Path]:
    """Write the notebook to launch of each chapter that has one, and return their paths."""
    made = []
    for record in records:
        where = place(record)
        if where is None:
            continue
        source = paths.notebooks() / f"{record['notebook']}.ipynb"
        wanted = requirement(repository, record["provenance"]["commit"])
        content = launchable(json.loads(source.read_text("utf-8")), wanted)
        target = folder / where
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        target.write_text(text, "utf-8", newline="\n")
        made.append(target)
    return made
