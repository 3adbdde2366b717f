"""A file layer that fails once: the n-th call of a run that reaches below a folder goes wrong.

What Python itself does to files is counted: opening, writing, syncing, renaming, linking, making
and deleting. Libraries that write by themselves count as one write each.
"""

import builtins
import errno
import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FULL, BROKEN, KILLED, TORN, LOST = KINDS = ("full", "broken", "killed", "torn", "lost")
"""A full disk; a broken one; a kill; a kill in the middle of a write, or just after a call; a
rename that seems done and never was, and a kill at the next call."""
# Names in `os` -> whether the second argument is a path, too.
CALLS = {"mkdir": False, "unlink": False, "remove": False, "rmdir": False, "rename": True}
CALLS |= {"replace": True, "link": True, "symlink": True, "scandir": False, "fsync": False}
CALLS |= {"posix_fallocate": False, "ftruncate": False, "open": False, "write": False}
RENAMES = ("rename", "replace", "link")
READS = ("scandir", "read")


class Layer:
    """What counts the calls of one process, and lets one of them fail.

    Args:
        below: folder whose files count.
        at: which call fails, from 1; 0: none.
        kind: one of KINDS.
        log: what each call was, a line each; it lies elsewhere.
    """

    def __init__(self, below: Path, at: int, kind: str, log: Path) -> None:
        self.below, self.at, self.kind = f"{below}{os.sep}", at, kind
        self.calls, self.ends, self.opened = 0, False, io.open
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.say = os.write

    def counts(self, place: Any) -> bool:
        """Return whether a path, or what a handle is of, lies below the folder."""
        try:
            if isinstance(place, int):
                place = Path(f"/proc/self/fd/{place}").readlink()
            return os.path.abspath(os.fsdecode(place)).startswith(self.below)  # noqa: PTH100
        except (OSError, TypeError, ValueError):
            return False

    def call(self, name: str, place: Any, do: Callable[[], Any], half: Callable[[], Any]) -> Any:
        """Do a call, or let it fail if it is the one.

        Args:
            half: what a call does that is stopped halfway.
        """
        self.calls += 1
        self.say(self.log, f"{self.calls} {name} {place}\n".encode())
        if self.ends:
            kill()
        if self.calls != self.at:
            return do()
        if self.kind in (FULL, BROKEN):
            if name == "write":
                half()
            full = self.kind == FULL and name not in (*READS, "unlink", "remove", "rmdir")
            number = errno.ENOSPC if full else errno.EIO
            raise OSError(number, os.strerror(number), str(place))
        if self.kind == LOST and name in RENAMES:
            self.ends = True
            return None
        if self.kind == TORN:
            half()
        kill()
        return None

    def install(self) -> None:
        """Be the file layer of this process from now on."""
        for name, second in CALLS.items():
            setattr(os, name, self._wrapped(name, getattr(os, name), second))
        builtins.open = io.open = self._open
        self._libraries()

    def _wrapped(self, name: str, real: Callable[..., Any], second: bool) -> Callable[..., Any]:
        def wrapped(*given: Any, **named: Any) -> Any:
            place = given[second and not self.counts(given[0])]
            if not self.counts(place) and named.get("dir_fd") is None:
                return real(*given, **named)
            if name == "open" and not given[1] & (os.O_WRONLY | os.O_RDWR):
                return real(*given, **named)

            def do() -> Any:
                return real(*given, **named)

            def half() -> Any:
                content = given[1]
                return real(given[0], content[: len(content) // 2])

            return self.call(name, place, do, half if name == "write" else do)

        return wrapped

    def _open(self, file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any):
        if isinstance(file, int) or not self.counts(file):
            return self.opened(file, mode, buffering, *more, **named)
        if not set(mode) & set("wax+"):

            def do() -> Any:
                return self.opened(file, mode, buffering, *more, **named)

            return self.call("read", file, do, do)
        layer = self

        class Raw(io.FileIO):
            def write(self, content: Any) -> int:
                def do() -> int:
                    return io.FileIO.write(self, content)

                def half() -> int:
                    return io.FileIO.write(self, memoryview(content).cast("B")[: len(content) // 2])

                return int(layer.call("write", file, do, half))

        def raw() -> io.FileIO:
            return Raw(os.fspath(file), mode.replace("b", "").replace("t", ""))

        made = self.call("create", file, raw, raw)
        if buffering == 0:
            return made
        buffer = io.BufferedRandom(made) if "+" in mode else io.BufferedWriter(made)
        if "b" in mode:
            return buffer
        words = dict(zip(("encoding", "errors", "newline"), more, strict=False)) | named
        kept = {name: words.get(name) for name in ("encoding", "errors", "newline")}
        return io.TextIOWrapper(buffer, **kept)

    def _libraries(self) -> None:
        import pandas as pd
        import torch

        def wrap(owner: Any, name: str, at: int, wrong: type[Exception]) -> None:
            real = getattr(owner, name)

            def wrapped(*given: Any, **named: Any) -> Any:
                if not self.counts(given[at]):
                    return real(*given, **named)

                def half() -> None:
                    real(*given, **named)
                    os.truncate(given[at], Path(given[at]).stat().st_size // 2)

                def do() -> Any:
                    return real(*given, **named)

                try:
                    return self.call("write", given[at], do, half)
                except OSError as error:
                    raise wrong(*error.args) from None

            setattr(owner, name, wrapped)

        wrap(torch, "save", 1, RuntimeError)  # as which torch reports it
        wrap(pd.DataFrame, "to_parquet", 1, OSError)


def kill() -> None:
    """End this process as the system does that has no memory left."""
    os.kill(os.getpid(), signal.SIGKILL)


def begin(home: str, at: str, kind: str) -> int:
    """Begin the journal of a book, with a file layer of which one call fails; "0": none."""
    from robust_book.commands.cli import unwritable
    from robust_book.engine import journal

    folder = Path(home)
    log = folder.parents[1] / f"{folder.parent.name}.calls"
    log.unlink(missing_ok=True)
    Layer(folder.parent, int(at), kind, log).install()
    try:
        journal.begin(folder)
    except OSError as error:  # as `robust book` does
        sys.stderr.write(f"robust: {unwritable(error)}\n")
        return 1
    return 0


def job(stamp: str, *words: str) -> int:
    """Do a job of the book, unless its stamp says that it is done; return its exit status."""
    from robust_book.commands.job import perform

    return 0 if Path(stamp).exists() else perform(Path(stamp), words)
