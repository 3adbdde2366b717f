"""The folder for a class: made aside, tried out, and moved into place as a whole.

What it holds of the cache is what its notebooks read when they are run to try them out: pictures,
networks, answers. So nothing is missing, and nothing is packed that no page shows.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robust_book import PACKAGE
from robust_book.course import copies, readme, site_copy, wheel
from robust_book.course.answers import is_passed
from robust_book.course.checklists import CHECKLISTS
from robust_book.course.checks import EXERCISES
from robust_book.course.classroom import MARK, said
from robust_lib import atomic, paths
from robust_lib.errors import InputError, RunError

SUMS = "SHA256SUMS"
STUDENT, TEACHER, SITE, WHEELS = "student", "teacher", "site", "wheels"
TITLE = "Robustness, a course"
CONTENTS = {
    STUDENT: "notebooks with exercises, solutions left out",
    SITE: "the book as pages for a browser",
    paths.BUILD: "pictures, trained networks and their answers",
    WHEELS: "the library, and other packages where they are packed",
}
Run = Callable[[Path, Path], None]
"""Executes a notebook in place of the second path, in the folder of the first."""


@dataclass(frozen=True)
class Plan:
    """What a course is made of.

    Attributes:
        wheelhouse: a folder of wheels to be packed along; None for none.
    """

    profile: str
    words: str
    chapters: tuple[str, ...]
    wheelhouse: Path | None = None

    @property
    def digest(self) -> str:
        """Return a digest of all inputs of the course; another digest means another course."""
        home = paths.profile(self.profile)
        about = [self.profile, *self.chapters, str(self.wheelhouse)]
        digest = hashlib.sha256(json.dumps(about).encode())
        sources = [paths.library().rglob("*.py"), PACKAGE.rglob("*.py"),
                   paths.manifests().rglob("*"), paths.notebooks().glob("*.ipynb"),
                   home.glob("results/*.json"), home.glob("site/index.html")]  # fmt: skip
        for path in sorted(path for found in sources for path in found if path.is_file()):
            digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()


def made(plan: Plan, target: Path, execute: Run, say: Callable[[str], None]) -> Path:
    """Return the folder of a course, replaced as a whole once it is complete.

    A call that was interrupted goes on with the notebooks that were not tried out yet.

    Args:
        target: an older course there is replaced, unless somebody worked in it.

    Raises:
        InputError: the place holds something else, or a course in which notebooks were changed.
        RunError: a check of the teacher's copy does not pass.
    """
    require_free(target)
    part = target.with_name(f".{target.name}.part")
    _begin(part, plan)
    for name in plan.chapters:
        _chapter(plan, name, part, execute, say)
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
    shutil.rmtree(part / ".tried", ignore_errors=True)
    _sums(part)
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.replace(old)
    part.replace(target)
    shutil.rmtree(old, ignore_errors=True)
    return target


def require_free(target: Path) -> None:
    """Refuse a place that holds something else than a course that is as it was made.

    Raises:
        InputError: see there.
    """
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / MARK).is_file():
        raise InputError(
            f"Expected {target} to be new, empty or an older course, but it holds something else. "
            "Name another folder: make course OUT=folder."
        )
    if touched := changed(target):
        raise InputError(
            f"Expected the notebooks in {target} to be as they were made, so that nobody's work is "
            f"lost, but {', '.join(touched[:3])}{' and more' * (len(touched) > 3)} "
            "changed or came along. Move the folder away, or name another one."
        )


def changed(course: Path) -> list[str]:
    """Return the files of the notebooks' folders that are not as they were made."""
    sums = _read(course) | _read(course / TEACHER)
    found = [path for name in (STUDENT, TEACHER) for path in _files(course / name)]
    kept = [path for path in found if ".ipynb_checkpoints" not in path.parts and path.name != SUMS]
    others = [path for path in kept if sums.get(path) != _sum(path)]
    return [path.relative_to(course).as_posix() for path in others]


def _begin(part: Path, plan: Plan) -> None:
    """Begin, or continue what an earlier call of the same plan left."""
    record = {"profile": plan.profile, "chapters": list(plan.chapters), "digest": plan.digest}
    mark = part / MARK
    if not mark.is_file() or json.loads(mark.read_text("utf-8")) != record:
        shutil.rmtree(part, ignore_errors=True)
        atomic.write_json(mark, record)


def _chapter(plan: Plan, name: str, part: Path, execute: Run, say: Callable[[str], None]) -> None:
    """Write both copies of a notebook, and try the teacher's out."""
    tried = part / ".tried" / name
    if tried.exists():
        say(f"{name}: tried out before.")
        return
    source = json.loads((paths.notebooks() / f"{name}.ipynb").read_text("utf-8"))
    record = paths.profile(plan.profile) / "results" / f"{name}.json"
    saved = json.loads(record.read_text("utf-8"))["numbers"] if record.exists() else {}
    numbers = {key: str(one["text"]) for key, one in saved.items()}
    for whose in (STUDENT, TEACHER):
        copy = copies.made(
            source, name, "student" if whose == STUDENT else "teacher",
            profile=plan.profile, numbers=numbers, chapters=plan.chapters,
        )  # fmt: skip
        atomic.write_json(part / whose / f"{name}.ipynb", copy)
    written = part / TEACHER / f"{name}.ipynb"
    with _reading_from_the_book():
        execute(written, written)
    content = _without_traces(json.loads(written.read_text("utf-8")))
    _require_passed(content, name)
    atomic.write_json(written, content)
    atomic.write_bytes(tried, b"")
    say(f"{name}: tried out, {len(EXERCISES.get(name, {}))} exercises checked.")


@contextmanager
def _reading_from_the_book() -> Iterator[None]:
    """Copy what a notebook reads from the book's cache into the course's."""
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


def _without_traces(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return an executed notebook without times and paths of its execution."""
    cells = []
    for cell in notebook["cells"]:
        tags = [tag for tag in cell["metadata"].get("tags", ()) if tag != "injected-parameters"]
        cells.append({**cell, "metadata": {"tags": tags} if tags else {}})
    kernel = {"kernelspec": notebook["metadata"]["kernelspec"]}
    return {**notebook, "cells": cells, "metadata": kernel}


def _require_passed(notebook: Mapping[str, Any], name: str) -> None:
    for number, text in said(notebook).items():
        if not text or not all(map(is_passed, text.splitlines()[1:])):
            raise RunError(
                f"Expected all checks of the teacher's copy of {name} to pass, but that of "
                f"exercise {number} says: "
                f"{' '.join(text.split()) or 'nothing'} The solution or the check is wrong; "
                "mend it and make the course again."
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
    """Return the bytes of all files of a folder."""
    return sum(path.stat().st_size for path in _files(folder))


def _sums(part: Path) -> None:
    """Write the checksums; the teacher's folder, which is taken out, has its own."""
    teacher = part / TEACHER
    others = [path for path in _files(part) if not path.is_relative_to(teacher)]
    for home, files in ((teacher, _files(teacher)), (part, others)):
        lines = [f"{_sum(path)}  {path.relative_to(home).as_posix()}\n" for path in files
                 if path.name != SUMS]  # fmt: skip
        atomic.write_bytes(home / SUMS, "".join(lines).encode())


def _read(home: Path) -> dict[Path, str]:
    """Return the checksums that a folder has of its files, path -> digest."""
    file = home / SUMS
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return {home / name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
