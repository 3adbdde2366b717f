"""The folder for a class: made in a temporary place, tested, and moved as a whole.

From the cache, it contains the images, networks and predictions that its notebooks read in a test
run. So nothing is missing, and nothing is packed that no page shows.
"""

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from robust_book.course import copies, discussion, readme, site_copy, wheel
from robust_book.course.checklists import CHECKLISTS
from robust_book.course.checks import EXERCISES
from robust_book.course.classroom import MARK
from robust_book.course.handed_in import kept
from robust_book.engine import pack
from robust_lib import atomic, paths
from robust_lib.errors import InputError, RunError
from robust_lib.fetch import sums

STUDENT, TEACHER, SITE, WHEELS = "student", "teacher", "site", "wheels"
RESULTS, TRIED = "results", "tried"
_AT_LEAST = 15  # seconds a notebook, for its kernel and what it copies
TITLE = "Robustness, a course"
CONTENTS = {
    STUDENT: "notebooks with exercises, solutions left out",
    SITE: "the book as pages for a browser",
    paths.BUILD: "images, trained networks and their predictions",
    WHEELS: "the library, and other packages if they are packed",
}
Run = Callable[[Path, Path], None]
"""Executes a notebook in place of the second path, in the folder of the first."""


@dataclass(frozen=True)
class Plan:
    """The content of a course.

    Attributes:
        wheelhouse: a folder of wheels to include; None for none.
    """

    profile: str
    words: str
    chapters: tuple[str, ...]
    wheelhouse: Path | None = None

    @cached_property
    def code(self) -> str:
        """Return a digest of profile, code and manifests; if it changes, all is tested again."""
        return pack.code(self.profile)

    def record(self, name: str) -> dict[str, Any]:
        """Return the book's record of a chapter's run; empty if there is no such file."""
        record = paths.profile(self.profile) / "results" / f"{name}.json"
        found: dict[str, Any] = json.loads(record.read_text("utf-8")) if record.exists() else {}
        return found


def made(plan: Plan, target: Path, execute: Run, say: Callable[[str], None]) -> Path:
    """Return the folder of a course, replaced as a whole once it is complete.

    After an interruption, the next call continues with the notebooks that were not tested yet.
    Notebooks of an older course in its place are not tested again if none of their dependencies
    changed.

    Args:
        target: path of the folder; an older course there is replaced, unless its notebooks were
            changed.

    Raises:
        InputError: the target contains something else, or a course in which notebooks were changed.
        RunError: a check of the teacher's copy does not pass.
    """
    require_free(target)
    part = target.with_name(f".{target.name}.part")
    _begin(part, plan, target)
    copied = {name: _copies(plan, name) for name in plan.chapters}
    _announce(plan, part, copied, say)
    atomic.write_bytes(part / TEACHER / wheel.SOLUTIONS.name, wheel.SOLUTIONS.read_bytes())
    told = discussion.written(plan.chapters)
    atomic.write_bytes(part / TEACHER / discussion.NAME, told.encode())
    for name, made_of in copied.items():
        _chapter(plan, name, made_of, part, execute, say)
    shutil.rmtree(part / TEACHER / "__pycache__", ignore_errors=True)
    for name in (plan.profile, "runs"):
        shutil.rmtree(part / paths.BUILD / name, ignore_errors=True)
    shutil.rmtree(part / paths.BUILD / "cache" / "checkpoints", ignore_errors=True)
    for name in (SITE, WHEELS):
        shutil.rmtree(part / name, ignore_errors=True)
    site_copy.copied(paths.profile(plan.profile) / "site", part / SITE, part / STUDENT)
    (part / WHEELS).mkdir()
    packed = sorted(plan.wheelhouse.glob("*.whl")) if plan.wheelhouse else []
    for each in packed:
        shutil.copyfile(each, part / WHEELS / each.name)
    library = wheel.write(part / WHEELS)
    _texts(plan, part, f"{WHEELS}/{library.name}", [each.name for each in packed])
    _sums(part)
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.replace(old)
    part.replace(target)
    shutil.rmtree(old, ignore_errors=True)
    return target


def require_free(target: Path) -> None:
    """Raise InputError unless a path is free or contains an unchanged course.

    Raises:
        InputError: it contains something else, or a course in which notebooks were changed.
    """
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / MARK).is_file():
        raise InputError(
            f"Expected {target} to be new, empty or an older course, but it contains other files. "
            "Use another folder: make course OUT=folder."
        )
    if touched := changed(target):
        raise InputError(
            f"Expected the notebooks in {target} to be unchanged, so that no work is lost, but "
            f"{', '.join(touched[:3])}{' and more' * (len(touched) > 3)} were changed or added. "
            "Move the folder elsewhere, or use another output folder."
        )


def changed(course: Path) -> list[str]:
    """Return the files in the notebooks' folders that were changed since they were made."""
    stated = _read(course) | _read(course / TEACHER)
    found = [path for name in (STUDENT, TEACHER) for path in sums.files(course / name)]
    leavings = {".ipynb_checkpoints", "__pycache__"}
    kept = [path for path in found if not leavings & {*path.parts} and path.name != sums.NAME]
    others = [path for path in kept if stated.get(path) != sums.sha256(path)]
    return [path.relative_to(course).as_posix() for path in others]


def _begin(part: Path, plan: Plan, target: Path) -> None:
    """Begin with the remains of an earlier call, or with the usable parts of an older course."""
    for old in (part, target):
        mark = json.loads((old / MARK).read_text("utf-8")) if (old / MARK).is_file() else {}
        # What other chapters read would be packed, too, though no page shows it.
        if mark.get("code") == plan.code and {*mark["chapters"]} <= {*plan.chapters}:
            break
    else:
        mark = {}
    if not mark or old == target:
        shutil.rmtree(part, ignore_errors=True)
    if mark and old == target:
        mark = mark if _taken_over(target, part) else {}
    record = {"profile": plan.profile, "chapters": list(plan.chapters), "code": plan.code}
    atomic.write_json(part / MARK, {**record, TRIED: mark.get(TRIED, {})})


def _taken_over(course: Path, part: Path) -> bool:
    """Copy the stored and tested parts of a course, if all of them are unchanged."""
    stated = _read(course) | _read(course / TEACHER)
    wanted = [
        path for path in stated
        if path.is_relative_to(course / TEACHER) or path.is_relative_to(course / paths.BUILD)
    ]  # fmt: skip
    if not all(path.is_file() and sums.sha256(path) == stated[path] for path in wanted):
        return False
    for path in wanted:
        copy = part / path.relative_to(course)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return True


def _copies(plan: Plan, name: str) -> tuple[copies.Notebook, copies.Notebook]:
    """Return the student's and the teacher's copy of a notebook."""
    source = json.loads((paths.notebooks() / f"{name}.ipynb").read_text("utf-8"))
    numbers = {key: str(one["text"]) for key, one in plan.record(name).get("numbers", {}).items()}
    student, teacher = (
        copies.made(source, name, whose, profile=plan.profile, numbers=numbers,
                    chapters=plan.chapters)
        for whose in get_args(copies.Whose)
    )  # fmt: skip
    return student, teacher


def _tried(part: Path) -> dict[str, str]:
    """Return chapter -> digest of the tested teacher's copy."""
    found: dict[str, str] = json.loads((part / MARK).read_text("utf-8"))[TRIED]
    return found


def _digest(notebook: copies.Notebook) -> str:
    return hashlib.sha256(json.dumps(notebook, sort_keys=True).encode()).hexdigest()


def _announce(
    plan: Plan,
    part: Path,
    copied: Mapping[str, tuple[copies.Notebook, copies.Notebook]],
    say: Callable[[str], None],
) -> None:
    """Print the estimated time and disk space before the work begins."""
    tried = _tried(part)
    names = [name for name, (_, teacher) in copied.items() if tried.get(name) != _digest(teacher)]
    seconds = sum(
        _AT_LEAST + plan.record(name).get("provenance", {}).get("seconds", 0) for name in names
    )
    folders = [paths.profile(plan.profile) / "site", paths.cache(), plan.wheelhouse]
    room = sum(size(folder) for folder in folders if folder is not None)
    say(
        f"{len(names)} of {len(copied)} chapters will be executed, in about "
        f"{math.ceil(seconds / 60)} "
        f"min; the folder takes up to {readme.readable(room)}."
    )


def _chapter(
    plan: Plan,
    name: str,
    copied: tuple[copies.Notebook, copies.Notebook],
    part: Path,
    execute: Run,
    say: Callable[[str], None],
) -> None:
    """Write both copies of a notebook, and test the teacher's copy."""
    student, teacher = copied
    atomic.write_json(part / STUDENT / f"{name}.ipynb", student)
    if _tried(part).get(name) == _digest(teacher):
        say(f"{name}: executed before.")
        return
    written = part / TEACHER / f"{name}.ipynb"
    atomic.write_json(written, teacher)
    with _reading_from_the_book():
        execute(written, written)
    content = json.loads(written.read_text("utf-8"))
    _require_passed(content, name)
    atomic.write_json(written, _without_traces(content, teacher["metadata"]))
    saved = part / paths.BUILD / plan.profile / "results" / f"{name}.parquet"
    if saved.exists():  # what answers are checked against again, once they are handed in
        atomic.write_bytes(part / TEACHER / RESULTS / saved.name, saved.read_bytes())
    mark = json.loads((part / MARK).read_text("utf-8"))
    atomic.write_json(part / MARK, {**mark, TRIED: {**mark[TRIED], name: _digest(teacher)}})
    say(f"{name}: executed, {len(EXERCISES.get(name, {}))} exercises checked.")


@contextmanager
def _reading_from_the_book() -> Iterator[None]:
    """Copy the entries that a notebook reads from the book's cache into the course's."""
    names = {"ROBUST_CACHE_BEHIND": str(paths.cache())}
    before = {name: os.environ.get(name) for name in (*names, "ROBUST_BUILD", "ROBUST_DATA")}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _without_traces(notebook: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return an executed notebook without times and paths of its execution."""
    cells = []
    for cell in notebook["cells"]:
        tags = [tag for tag in cell["metadata"].get("tags", ()) if tag != "injected-parameters"]
        bare = {**cell, "metadata": {"tags": tags} if tags else {}}
        if cell["cell_type"] == "code":
            bare["outputs"] = [
                {**out, "metadata": {}} if "metadata" in out else out for out in cell["outputs"]
            ]
        cells.append(bare)
    return {**notebook, "cells": cells, "metadata": dict(metadata)}


def _require_passed(notebook: Mapping[str, Any], name: str) -> None:
    found = kept(notebook)
    for number in EXERCISES.get(name, {}):
        told = found[number]["answers"] if number in found else ()
        wrong = [one for one in told if one["state"] not in ("right", "not in this run")]
        if wrong or not told:
            says = "; ".join(f"{one['name']}: {one['state']}: {one['says']}" for one in wrong)
            raise RunError(
                f"Expected all checks of the teacher's copy of {name} to pass, but that of "
                f"exercise {number} prints: {says or 'nothing.'} Correct the solution or the "
                "check, and make the course again."
            )


def _texts(plan: Plan, part: Path, library: str, packed: Sequence[str]) -> None:
    answers = [one for name in plan.chapters for one in EXERCISES.get(name, {}).values()]
    text = readme.TEACHER.format(
        checked=sum(len(one.answers) for one in answers),
        exercises=len(answers),
        listed=sum(len(CHECKLISTS.get(name, {})) for name in plan.chapters),
    )
    atomic.write_bytes(part / TEACHER / "README.md", text.encode())
    sizes = {name: (what, size(part / name)) for name, what in CONTENTS.items()}
    text = readme.course(
        title=TITLE,
        profile=plan.profile,
        words=plan.words,
        chapters=plan.chapters,
        sizes=sizes,
        wheel=library,
        wheels=packed,
    )
    atomic.write_bytes(part / "README.md", text.encode())


def size(folder: Path) -> int:
    """Return the total size of the files in a folder, bytes."""
    return sum(path.stat().st_size for path in sums.files(folder))


def _sums(part: Path) -> None:
    """Write the checksums; the teacher's folder, which can be removed, has its own."""
    teacher = part / TEACHER
    sums.write(teacher)
    sums.write(part, (one for one in sums.files(part) if not one.is_relative_to(teacher)))


def _read(home: Path) -> dict[Path, str]:
    """Return the checksums that a folder lists for its files, path -> digest."""
    return {home / name: digest for name, digest in sums.read(home).items()}
