"""Files that appear whole or not at all: written aside in the same folder, then renamed."""

import json
import os
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


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file of bytes."""
    with aside(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record as JSON; NaN is refused."""
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, (text + "\n").encode())
