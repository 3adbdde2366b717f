"""Files that appear whole or not at all: written under a temporary name, then renamed."""

import json
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

WINDOWS = sys.platform == "win32"
PATIENCE, PAUSE = 5.0, 0.05  # seconds
NEW = ".new-"
LEFT = re.compile(r"\..+\.[0-9a-f]{8}")  # the name of what a killed process was writing
ABANDONED = 7 * 24 * 3600  # seconds; a notebook of full may take a day
UNTOUCHED = 3600  # seconds, after which nobody is writing a file any more


@contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to `path` for one writer; it is deleted at the end.

    This is for files whose names are only known once they are written; use `file` for others.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # No process id: two machines that share a disk may have the same.
    made = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        yield made
    finally:
        made.unlink(missing_ok=True)


@contextmanager
def file(path: Path, *, synced: bool = False) -> Iterator[Path]:
    """Yield a temporary path next to `path`; at the end, its content replaces `path`.

    An error inside the block leaves the old content of `path` unchanged.

    Args:
        synced: whether to wait until the content is on the disk, so that even a power failure
            leaves no empty file.

    >>> target = Path(tempfile.mkdtemp(), "result.txt")
    >>> with file(target) as made:
    ...     _ = made.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    with temporary(path) as made:
        yield made
        if synced:
            sync(made)
        move(made, path)


@contextmanager
def folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder; at the end, all of its files are moved below `path`.

    An error inside the block, such as a full disk, leaves all files below `path` unchanged.
    """
    path.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    made = Path(tempfile.mkdtemp(prefix=NEW, dir=path))
    try:
        yield made
        for source in sorted(one for one in made.rglob("*") if one.is_file()):
            target = path / source.relative_to(made)
            target.parent.mkdir(parents=True, exist_ok=True)
            move(source, target)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def move(made: Path, target: Path) -> None:
    """Replace a file by a new one.

    Windows refuses that while another process, such as a virus scanner, has the target open; most
    soon close it, so there it is tried again for a while.
    """
    end = time.monotonic() + (PATIENCE if WINDOWS else 0)
    while True:
        try:
            made.replace(target)
            return
        except PermissionError:
            if time.monotonic() >= end:
                raise
            time.sleep(PAUSE)


def _sweep(path: Path) -> None:
    """Remove the remains of killed processes; a live writer has touched its files recently."""
    for left in path.glob(f"{NEW}*"):
        with suppress(OSError):  # another process sweeps, too
            touched = max(one.stat().st_mtime for one in (left, *left.rglob("*")))
            if time.time() - touched > ABANDONED:
                shutil.rmtree(left)


def remove(path: Path) -> None:
    """Remove a file, if it exists, and the remains of killed processes that were writing it."""
    path.unlink(missing_ok=True)
    for left in path.parent.glob(f".{path.name}.*"):
        with suppress(OSError):  # another process sweeps, too
            if LEFT.fullmatch(left.name) and time.time() - left.stat().st_mtime > UNTOUCHED:
                left.unlink()


def cleared(folder: Path, record: str) -> bool:
    """Return whether a folder holds nothing but its record and leftovers; if so, it is tidied.

    A record is written before the files that it lists. If no such file was completed, empty folders
    and the remains of killed processes are removed, and a new record may replace the old one.

    >>> home = Path(tempfile.mkdtemp())
    >>> (home / "fog" / "1").mkdir(parents=True)
    >>> (home / "about.json").touch()
    >>> cleared(home, "about.json"), [path.name for path in home.iterdir()]
    (True, ['about.json'])
    """
    for inside, _, names in os.walk(folder):
        for name in names:
            if Path(inside, name) != folder / record and not LEFT.fullmatch(name):
                return False
    for path in sorted(folder.rglob("*"), reverse=True):  # what is inside comes first
        if path.is_dir():
            path.rmdir()
        elif path != folder / record:
            path.unlink()
    return True


def sync(path: Path) -> None:
    """Wait until a file's content is on the disk."""
    with path.open("rb+") as opened:
        os.fsync(opened.fileno())


def write_bytes(path: Path, content: bytes, *, synced: bool = False) -> None:
    """Write a file of bytes."""
    with file(path, synced=synced) as made:
        made.write_bytes(content)


def write_json(path: Path, record: Mapping[str, Any], *, synced: bool = False) -> None:
    r"""Write a record as JSON; NaN is rejected."""
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, (text + "\n").encode(), synced=synced)
