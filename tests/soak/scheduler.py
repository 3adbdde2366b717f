"""A scheduler for tests: it starts jobs side by side, and lets none have more than it asked for.

Its sbatch is `submit`; its squeue and its scancel are scripts. A job that takes more memory or time
than it asked for is killed; it sees as many GPUs as it asked for, which no other job sees; and some
jobs, whose numbers stand in the settings, are lost in the middle of their work.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

LOOK = 0.05  # seconds between two looks at a job
GPUS = "CUDA_VISIBLE_DEVICES"
SCRIPTS = {
    "status": "if test -e job-$1/ended; then cut -d' ' -f1 job-$1/ended; else echo running; fi",
    "cancel": "for job; do touch job-$job/cancelled; done",
}


def prepare(home: Path, **settings: object) -> tuple[str, ...]:
    """Make a scheduler's folder, and return the options of the engine that use it.

    Args:
        home: the folder.
        settings: `side_by_side` jobs, `gpus`, seconds of a `minute`, numbers of the jobs that are
            `lost`, and the seconds of work that they are `lost_after`.
    """
    home.mkdir(parents=True)
    (home / "settings.json").write_text(json.dumps(settings))
    call = f"{sys.executable} -m tests.soak.scheduler"
    # Without Python, which may take longer than the engine waits.
    for name, does in SCRIPTS.items():
        (home / name).write_text(f'#!/bin/sh\ncd "{home}"\n{does}\n')
        (home / name).chmod(0o755)
    asked = " ".join(
        f"{{resources.{one}}}" for one in ("mem_mb", "runtime", "gpu", "cpus_per_task")
    )
    return (
        *("--executor", "cluster-generic", "--latency-wait", "5"),
        *("--cluster-generic-submit-cmd", f"{call} submit {home} {asked}"),
        *("--cluster-generic-status-cmd", str(home / "status")),
        *("--cluster-generic-cancel-cmd", str(home / "cancel")),
        *("--seconds-between-status-checks", "1"),
    )


def submit(home: Path, mem_mb: int, minutes: int, gpus: int, cpus: int, script: str) -> None:
    """Take a job, start who watches over it, and print its number."""
    with FileLock(home / "numbers.lock"):
        number = len(list(home.glob("job-*")))
        (home / f"job-{number}").mkdir()
    asked = {"mem_mb": mem_mb, "minutes": minutes, "gpus": gpus, "cpus": cpus, "script": script}
    about(home, number).write_text(json.dumps(asked))
    words = [sys.executable, "-m", "tests.soak.scheduler", "watch", str(home), str(number)]
    log = (home / f"job-{number}" / "log").open("wb")
    subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
    print(number)


def watch(home: Path, number: int) -> None:
    """Wait for a place and GPUs, run a job, and see that it has what it asked for and no more."""
    asked = json.loads(about(home, number).read_text())
    settings = json.loads((home / "settings.json").read_text())
    lost = number in settings["lost"]
    room = Share(home, "room", settings["side_by_side"], 1)
    with room, Share(home, "gpu", settings["gpus"], asked["gpus"]) as given:
        env = os.environ | {GPUS: ",".join(map(str, given))}
        began, most = time.monotonic(), 0
        job = subprocess.Popen(["bash", asked["script"]], env=env, start_new_session=True)
        why = ""
        while job.poll() is None and not why:
            time.sleep(LOOK)
            most = max(most, resident(job.pid))
            seconds = time.monotonic() - began
            if most > asked["mem_mb"] * 1_000_000:
                why = "memory"
            elif seconds > asked["minutes"] * settings["minute"]:
                why = "time"
            elif cancelled(home, number):
                why = "cancelled"
            elif lost and at_work(job.pid) and seconds > settings["lost_after"]:
                why = "lost"
        if why:
            os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        used = {"gpus": given, "most_mb": most / 1e6, "seconds": time.monotonic() - began}
        (home / f"job-{number}" / "used.json").write_text(json.dumps(used))
        end(home, number, "success" if job.returncode == 0 else "failed", why)


class Share:
    """So many of the things of a kind that jobs share; they are given back at the end."""

    def __init__(self, home: Path, kind: str, there: int, wanted: int) -> None:
        self.locks = [FileLock(home / f"{kind}-{number}.lock") for number in range(there)]
        self.wanted = wanted
        self.taken: dict[int, FileLock] = {}

    def __enter__(self) -> list[int]:
        while len(self.taken) < self.wanted:
            for number, lock in enumerate(self.locks):
                if len(self.taken) < self.wanted and number not in self.taken:
                    try:
                        lock.acquire(timeout=0)
                        self.taken[number] = lock
                    except Timeout:
                        continue
            time.sleep(LOOK)
        return sorted(self.taken)

    def __exit__(self, *_: object) -> None:
        for lock in self.taken.values():
            lock.release()


def cancelled(home: Path, number: int) -> bool:
    """Return whether a job was taken back."""
    return (home / f"job-{number}" / "cancelled").exists()


def end(home: Path, number: int, how: str, why: str) -> None:
    """Say what became of a job."""
    ended = home / f"job-{number}" / "ended"
    ended.with_suffix(".new").write_text(f"{how} {why}")
    ended.with_suffix(".new").rename(ended)


def about(home: Path, number: int) -> Path:
    """Return the file that says what a job asked for."""
    return home / f"job-{number}" / "asked.json"


def family(pid: int) -> list[psutil.Process]:
    """Return a process and all that it started."""
    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def resident(pid: int) -> int:
    """Return the memory of a process and all that it started, bytes."""
    total = 0
    for process in family(pid):
        try:
            total += process.memory_info().rss
        except psutil.Error:
            continue
    return total


def at_work(pid: int) -> bool:
    """Return whether the job itself has begun, beyond the engine that starts it."""
    for process in family(pid):
        try:
            if any("robust_book.commands.job" in word for word in process.cmdline()[:3]):
                return True
        except psutil.Error:
            continue
    return False


if __name__ == "__main__":
    what, where, *words = sys.argv[1:]
    home = Path(where)
    numbers = [int(word) for word in words if word.isdigit()]
    if what == "submit":
        submit(home, *numbers[:4], words[-1])
    else:
        watch(home, *numbers)
