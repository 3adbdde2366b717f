"""The smoke book, interrupted at random moments: the same command ends with the same results.

Environment variables change how long it takes: MOMENTS interruptions of each kind (5), CHAIN of
them in one book (5; 1 makes a book from nothing for each), SEED of the moments (0).
"""

import csv
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from robust_book.engine import journal
from robust_lib import paths

pytestmark = pytest.mark.soak

ROOT = Path(__file__).resolve().parents[2]
MOMENTS, CHAIN, SEED = (
    int(os.environ.get(name, value)) for name, value in (("MOMENTS", 5), ("CHAIN", 5), ("SEED", 0))
)
# What a reader types; SOAK_COMMAND is for a tree without an environment of its own.
COMMAND = shlex.split(os.environ.get("SOAK_COMMAND", "make book PROFILE=smoke"))
KINDS = [
    pytest.param(number, target, at, id=f"{number.name} to {target}, {at}")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
    for target in ("all", "one job")
    for at in range(0, MOMENTS, CHAIN)
]


def book(build: Path) -> "subprocess.Popen[bytes]":
    """Start the command in a process group of its own."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    with (build / "printed.txt").open("ab") as file:
        return subprocess.Popen(
            COMMAND,
            cwd=ROOT,
            env=outside | {"ROBUST_BUILD": str(build), "ROBUST_DATA": str(paths.data())},
            stdout=file,
            stderr=file,
            start_new_session=True,
        )


def results(build: Path) -> dict[str, object]:
    """Return all rows, verdicts and key numbers of a book, and which networks they are of."""
    found: dict[str, object] = {}
    for path in sorted((build / "smoke" / "results").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            found[path.name] = [{**row, "run": ""} for row in csv.DictReader(file)]
    for path in sorted((build / "smoke" / "results").glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        about = {key: record["provenance"][key] for key in ("parameters", "datasets", "weights")}
        found[path.name] = {key: record[key] for key in ("items", "numbers")} | about
    return found


def busy(build: Path) -> list[int]:
    """Return the processes that work in a build folder."""
    mark = f"ROBUST_BUILD={build}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def commands(build: Path) -> list[str]:
    """Return the command lines of what works in a build folder."""
    found = []
    for pid in busy(build):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        found.append(line.replace(b"\0", b" ").decode()[:200])
    return found


def at_work(build: Path) -> list[int]:
    """Return the processes of the jobs that are at work."""
    begun: dict[str, int] = {}
    for event in journal.read(build / "smoke"):
        if event["event"] == "begun":
            begun[event["job"]] = event["pid"]
        elif event.get("job") in begun:
            del begun[event["job"]]
    # A job that was killed said nothing at its end.
    alive = set(busy(build))
    return [pid for pid in begun.values() if pid in alive]


def done(build: Path) -> int:
    """Return how many jobs of a book are done, by whichever call."""
    return len(list((build / "smoke" / "done").glob("*.txt")))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The results of a book that nobody interrupts, how long it takes, and its number of jobs."""
    build = tmp_path_factory.mktemp("undisturbed")
    began = time.monotonic()
    assert book(build).wait() == 0, (build / "printed.txt").read_text()
    seconds = time.monotonic() - began
    print(f"nobody interrupts: {seconds:.0f} s")
    return results(build), seconds, done(build)


@pytest.mark.parametrize(("number", "target", "first"), KINDS)
def test_the_same_command_ends_with_the_same_results(tmp_path, undisturbed, number, target, first):
    expected, seconds, jobs = undisturbed
    drawn = random.Random(f"{SEED} {number.name} {target} {first}")
    # By jobs, not by the clock: a machine that has less to do is faster than it was.
    left = sorted(drawn.randrange(jobs - 2) for _ in range(first, min(first + CHAIN, MOMENTS)))
    for attempt in range(len(left) + 2):
        process = book(tmp_path)
        while left and process.poll() is None:
            interrupt(process, tmp_path, number, target, drawn, left)
            if target == "all":
                break
        status = process.wait(timeout=4 * seconds)
        # A kernel that was being started looks for its parent only once it is up.
        until = time.monotonic() + 60
        while busy(tmp_path) and time.monotonic() < until:
            time.sleep(0.1)
        assert not busy(tmp_path), f"these go on for a book that is no more: {commands(tmp_path)}"
        print(
            f"{number.name} to {target}: call {attempt + 1} ended with {status}, {len(left)} left"
        )
        if not left and status == 0:
            break
    assert not left
    assert status == 0, (tmp_path / "printed.txt").read_text()
    assert results(tmp_path) == expected
    shutil.rmtree(tmp_path)


def interrupt(process, build, number, target, drawn, left):
    """Wait for the next moment and send the signal, if the book is not at its end before."""
    while done(build) < left[0]:
        if process.poll() is not None:
            return
        time.sleep(0.2)
    time.sleep(drawn.uniform(0, 10))
    if process.poll() is not None:
        return
    if target == "all":
        os.killpg(process.pid, number)
        left.pop(0)
    elif jobs := at_work(build):
        os.kill(drawn.choice(jobs), number)
        left.pop(0)
