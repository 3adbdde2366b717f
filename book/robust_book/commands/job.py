"""One job of the engine: a command of `robust` with a stamp, a log and a line in the journal."""

import io
import os
import shlex
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path

from robust_book.engine import gpus, journal
from robust_book.engine.lifetime import end_with_parent
from robust_lib.atomic import write_bytes


def main() -> None:
    """Run the job of this process's arguments: a stamp, a number of GPUs, a command."""
    end_with_parent()
    stamp, wanted, *words = sys.argv[1:]
    shared = os.environ.get(gpus.SHARED, "")
    if not int(wanted) or not shared:
        raise SystemExit(perform(Path(stamp), words))
    with gpus.one(shared.split(","), Path(stamp).parents[1] / "gpus"):
        raise SystemExit(perform(Path(stamp), words))


def perform(stamp: Path, words: Sequence[str]) -> int:
    """Do a job and return its exit status.

    Its output goes to a log, build/<profile>/logs/<job>.log, and after success, below the command,
    to its stamp, which is written in one step.

    Args:
        stamp: build/<profile>/done/<job>.txt.
    """
    from robust_book.commands.cli import attempt, unwritable

    name, home = stamp.stem, stamp.parent.parent
    began, computed = time.monotonic(), time.process_time()
    log = home / "logs" / f"{name}.log"
    printed = io.StringIO()
    try:
        journal.write(home, "begun", job=name, pid=os.getpid())
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w", encoding="utf-8") as file:
            sys.stderr.flush()
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        with redirect_stdout(printed):
            status, complaint = attempt(words)
        seconds = time.monotonic() - began
        if not status:
            told = f"{shlex.join(words)}\n{printed.getvalue()}{seconds:.1f} s\n"
            write_bytes(stamp, told.encode())
            cpu = time.process_time() - computed
            journal.write(home, "done", job=name, seconds=seconds, cpu=cpu)
            return 0
    except OSError as error:
        status, complaint = 1, unwritable(error)
    except Exception as error:
        traceback.print_exc()
        status, complaint = 1, f"{type(error).__name__}: {error}"
    why = complaint or f"The command ended with status {status}."
    with suppress(OSError):
        seconds = time.monotonic() - began
        journal.write(home, "failed", job=name, seconds=seconds, why=why, log=str(log))
        return status
    sys.stderr.write(f"robust: {why}\n")  # to the log, or the engine's
    return status
