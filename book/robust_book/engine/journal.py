"""The journal of a book in progress: one line per event (due, begun, done, failed)."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Event = Mapping[str, Any]
BEGIN = '{"event": '


def file(home: Path) -> Path:
    """Return the path of the journal of a profile's folder."""
    return home / "logs" / "journal.jsonl"


def begin(home: Path) -> None:
    """Begin a new journal."""
    file(home).parent.mkdir(parents=True, exist_ok=True)
    file(home).write_text("", "utf-8")
    write(home, "book", pid=os.getpid())


def process(home: Path) -> int | None:
    """Return the id of the process that makes, or made, the book; None if there was none."""
    return next((event["pid"] for event in read(home) if event["event"] == "book"), None)


def write(home: Path, event: str, **about: Any) -> None:
    """Add an event; any number of processes may do so at once.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> begin(home)
    >>> write(home, "done", job="site", seconds=20.0)
    >>> list(read(home))[-1]
    {'event': 'done', 'job': 'site', 'seconds': 20.0}
    """
    line = json.dumps({"event": event, **about}) + "\n"
    # Windows would write two letters for the end of a line.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    handle = os.open(file(home), flags)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


def read(home: Path, after: int = 0) -> Iterator[Event]:
    """Yield the events of a journal, except the first ones."""
    text = file(home).read_text("utf-8") if file(home).exists() else ""
    for line in text.splitlines(keepends=True)[after:]:
        # A full disk takes half a line, and the next event goes on in it.
        event = line[max(line.rfind(BEGIN), 0) :]
        if event.endswith("\n"):
            try:
                found = json.loads(event)
            except ValueError:
                found = {"event": "torn"}
            yield found


def left(home: Path) -> dict[str, bool]:
    """Return name -> whether it is running, for the jobs that were due and are not done.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> begin(home)
    >>> write(home, "due", jobs=["draw-a", "train-b", "site"])
    >>> write(home, "done", job="draw-a", seconds=2.0)
    >>> write(home, "begun", job="train-b", pid=1)
    >>> left(home)
    {'train-b': True, 'site': False}
    """
    found: dict[str, bool] = {}
    for event in read(home):
        match event:
            case {"event": "due", "jobs": names}:
                found |= dict.fromkeys(names, False)
            case {"event": "begun" | "failed" as what, "job": name}:
                found[name] = what == "begun"
            case {"event": "done", "job": name}:
                found.pop(name, None)
    return found
