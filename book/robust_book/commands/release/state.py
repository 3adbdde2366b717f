"""Checks before a release: one version everywhere, a date, nothing uncommitted."""

import datetime
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robust_lib.config.strict_yaml import read_yaml
from robust_lib.config.withheld import SHOWN
from robust_lib.errors import RunError
from robust_lib.run.provenance import UNKNOWN, commit_of, uncommitted

HEADING = re.compile(r"^## \[(?P<number>[^\]]+)\] - (?P<date>.+)$", re.MULTILINE)
DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Version:
    """The released version.

    Attributes:
        number: version number, from pyproject.toml.
        date: day of the release, from the changelog.
    """

    name: str
    number: str
    date: datetime.date
    notes: str
    citation: Mapping[str, Any]

    @property
    def when(self) -> datetime.datetime:
        """Return the time with which all files of the release are dated."""
        return datetime.datetime.combine(self.date, datetime.time(), datetime.UTC)


def version(root: Path) -> Version:
    """Return the version that a project's files agree on.

    Raises:
        RunError: the files do not agree, or the changelog has no date; all faults are listed at
            once.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    number = str(project["version"])
    cited = read_yaml(root / "CITATION.cff")
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    dates = {found["number"]: found["date"].strip() for found in HEADING.finditer(changes)}
    date = dates.get(number, "")
    faults = []
    if not _is_day(date):
        now = f"`## [{number}] - {date}`" if number in dates else f"no section [{number}]"
        faults.append(
            f"CHANGELOG.md has {now}: write `## [{number}] - YYYY-MM-DD`, the day of the release"
        )
    if str(cited.get("version")) != number:
        faults.append(f"CITATION.cff has `version: {cited.get('version')}`: write {number}")
    if _is_day(date) and str(cited.get("date-released")) != date:
        faults.append(
            f"CITATION.cff has `date-released: {cited.get('date-released')}`: write {date}"
        )
    if faults:
        raise RunError(
            f"Expected one version, the {number} of pyproject.toml, and one date everywhere, but "
            f"{'; '.join(faults)}. Commit these changes, and run `robust release` again."
        )
    day = datetime.date.fromisoformat(date)
    return Version(str(project["name"]), number, day, section(changes, number), cited)


def _is_day(date: str) -> bool:
    try:
        return bool(DAY.fullmatch(date) and datetime.date.fromisoformat(date))
    except ValueError:
        return False


def section(changes: str, number: str) -> str:
    r"""Return the changelog's section on a version.

    >>> section("## [2] - today\n\nNew.\n\n## [1] - then\n\nOld.\n", "2")
    'New.'
    """
    parts = HEADING.split(changes)
    # Before the first heading, then number, date and text of each.
    return next(
        text.strip() for found, text in zip(parts[1::3], parts[3::3], strict=True)
        if found == number
    )  # fmt: skip


def commit() -> str:
    """Return the commit of a checkout without changes.

    Raises:
        RunError: the project is no checkout, or files differ from its commit or are not in it.
    """
    found, _ = commit_of()
    if found == UNKNOWN:
        raise RunError(
            "Expected a git checkout to release from, but git finds no commit for this folder. "
            "Clone the repository, and run `robust release` in the clone."
        )
    changed = uncommitted()
    if changed:
        raise RunError(
            f"Expected a clean checkout, but {len(changed)} files differ from the commit: "
            f"{', '.join(changed[:5])}{', ...' if len(changed) > 5 else ''}. Commit them, or "
            "stash them with `git stash --include-untracked`, and run `robust release` again."
        )
    return found


def records(results: Path) -> dict[str, dict[str, Any]]:
    """Return chapter -> record of its run, for runs that may be redistributed.

    Raises:
        RunError: there is no run; a run's files differed from its commit, or it knows no commit; or
            a run shows images that may not be redistributed. All are listed at once.
    """
    found = {
        file.stem: json.loads(file.read_text("utf-8")) for file in sorted(results.glob("*.json"))
    }
    if not found:
        raise RunError(
            f"Expected results in {results}, but there are none. Run `make book` to compute them."
        )
    faults = [f"{name} {fault}" for name, one in found.items() for fault in _faults(one)]
    if faults:
        raise RunError(
            f"Expected runs that can be reproduced, but {'; '.join(faults)}. Delete their files "
            f"in {results} and in the folder notebooks next to it, and run `make book` from the "
            "clean checkout."
        )
    return found


def _faults(record: Mapping[str, Any]) -> list[str]:
    made = record["provenance"]
    found = []
    if made["commit"] == UNKNOWN or made["dirty"]:
        found.append("was run from files that belong to no commit")
    if record.get("pictures") == SHOWN:
        found.append("shows images that may not be redistributed")
    return found
