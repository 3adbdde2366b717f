"""Files that appear whole or not at all: written aside in the same folder, then renamed."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def aside(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; what is written there takes its place at the end.

    An error on the way leaves what was at `path` as it was.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp(), "result.txt")
    >>> with aside(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def together(folder: Path) -> Iterator[Path]:
    """Give a temporary folder; its files take their places below `folder` all at the end.

    An error on the way, such as a full disk, leaves all files below `folder` as they were.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> with together(home) as temporary:
    ...     write_bytes(temporary / "figures" / "one.svg", b"<svg/>")
    >>> (home / "figures" / "one.svg").read_bytes()
    b'<svg/>'
    """
    folder.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".together-", dir=folder))
    try:
        yield temporary
        for path in sorted(path for path in temporary.rglob("*") if path.is_file()):
            target = folder / path.relative_to(temporary)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file of bytes."""
    with aside(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record as JSON; NaN is refused."""
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, (text + "\n").encode())
