"""A book whose jobs cost nothing, for tests of how it is made, stopped and made again."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from robust_book.engine.jobs import Job, write

MAKE = """
import sys
from pathlib import Path
from robust_book.commands.book import run
from robust_book.engine import execution
from robust_book.engine.jobs import read
execution.IMPORTS = ["robust_book.commands.cli"]
raise SystemExit(run(read(Path(sys.argv[1])), Path(sys.argv[2]), cores=2))
"""
# Python imports this first: where jobs are done, the command `robust` gets one word more.
WORD = """
import os, sys, time
from pathlib import Path

JOBS = ("robust_book.commands.job", "robust_book.engine.ready")
if any(place in word for word in sys.orig_argv for place in JOBS):
    import typer
    from robust_book.commands import cli
    from robust_lib.errors import RunError

    @cli.app.command()
    def write(name: str, profile: str = typer.Option()):
        mark = Path(os.environ["ROBUST_BUILD"]).parent / name
        mark.with_suffix(".begun").write_text(str(os.getpid()))
        while mark.with_suffix(".held").exists():
            time.sleep(0.02)
        if mark.with_suffix(".broken").exists():
            raise RunError(f"Expected {name} to be whole, but it is broken. Mend it.")
        typer.echo(f"{name} is written.")
"""


def jobs(**needs: str) -> list[Job]:
    """Return a job for each name, which waits for those that are named with blanks between."""
    return [
        Job(
            f"draw-{name}",
            "draw",
            ("write", name),
            tuple(f"draw-{one}" for one in text.split()),
            1.0,
        )
        for name, text in needs.items()
    ]


def home(folder: Path) -> Path:
    """Return where the book of a test's folder is made."""
    return folder / "build" / "toy"


def start(folder: Path, planned: Sequence[Job]) -> "subprocess.Popen[str]":
    """Start making the book of some jobs, in a process group of its own."""
    plan = folder / "planned.json"
    write(planned, plan)
    (folder / "sitecustomize.py").write_text(WORD)
    here = Path(__file__).resolve().parents[1]
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", str(here))])
    return subprocess.Popen(
        [sys.executable, "-c", MAKE, str(plan), str(home(folder))],
        env=os.environ | {"PYTHONPATH": path, "ROBUST_BUILD": str(folder / "build")},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def make(folder: Path, planned: Sequence[Job]) -> tuple[int, str]:
    """Make the book, and return the exit status and all that is printed."""
    with start(folder, planned) as process:
        printed, _ = process.communicate(timeout=120)
    return process.returncode, printed


def made(folder: Path) -> dict[str, str]:
    """Return name -> what the job wrote below its command; of those that are done."""
    stamps = (home(folder) / "done").glob("[!.]*")
    return {path.stem: path.read_text("utf-8").splitlines()[1] for path in sorted(stamps)}


def begun(folder: Path, name: str) -> int:
    """Wait until a job has begun, and return its process."""
    mark = folder / f"{name}.begun"
    until = time.monotonic() + 60
    while not (mark.exists() and mark.read_text()):
        assert time.monotonic() < until, f"{name} has not begun"
        time.sleep(0.02)
    process = int(mark.read_text())
    mark.unlink()
    return process


def ends(process: int, seconds: float = 5.0) -> bool:
    """Return whether a process ends within some seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
