"""Jobs: what a process does, what it needs and waits for, which comes first, how long all take."""

import heapq
import json
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from robust_lib.atomic import write_bytes

Kind = Literal["draw", "train", "predict", "notebook", "site"]
FIRST_LOOK = "site-first-look"
SOON = 1_000_000  # above any seconds
URGENT = 2_000_000


@dataclass(frozen=True)
class Job:
    """What one process of the engine does.

    Attributes:
        name: name of its stamp; it begins with the kind.
        needs: names of the jobs that come before it.
        seconds: time on one core.
        memory: MB.
    """

    name: str
    kind: Kind
    words: tuple[str, ...]
    needs: tuple[str, ...]
    seconds: float
    gpu: bool = False
    memory: int = 2500
    cores: int = 1

    @property
    def does(self) -> str:
        """Return what the job does, in words.

        >>> Job("train-a", "train", ("train", "a", "b", "c", "--seed", "1"), (), 60.0).does
        'train a and 2 more'
        """
        if self.kind == "site":
            return "render a first look" if self.name == FIRST_LOOK else "render the site"
        if self.kind == "notebook":
            return f"execute {self.words[1]}"
        options = [at for at, word in enumerate(self.words) if word.startswith("--")]
        # Of a prediction, the chapters come first, and then on what.
        begin = options[0] if self.kind == "predict" else 0
        end = next((at for at in options if at > begin), None)
        first, *more = self.words[begin + 1 : end]
        return f"{self.kind} {first}" + (f" and {len(more)} more" if more else "")


def stamp(name: str, home: Path) -> Path:
    """Return the file in a profile's folder that marks a job as done."""
    return home / "done" / f"{name}.txt"


def up_to(jobs: Sequence[Job], names: Iterable[str]) -> tuple[Job, ...]:
    """Return the jobs of some names and all that come before them.

    >>> needs = {"a": (), "b": ("a",), "c": ()}
    >>> jobs = [Job(name, "train", (), before, 1.0) for name, before in needs.items()]
    >>> [job.name for job in up_to(jobs, ["b"])]
    ['a', 'b']
    """
    wanted = set(names)
    for job in reversed(jobs):
        if job.name in wanted:
            wanted.update(job.needs)
    return tuple(job for job in jobs if job.name in wanted)


def ready_after(jobs: Sequence[Job]) -> dict[str, float]:
    """Return name -> seconds until a job is done if no job waits for a core."""
    done: dict[str, float] = {}
    for job in jobs:
        done[job.name] = job.seconds + max((done[name] for name in job.needs), default=0.0)
    return done


def priorities(jobs: Sequence[Job]) -> dict[str, float]:
    """Return name -> priority of a job: the seconds of the longest way from it to the end.

    What the first look at the site waits for comes before all others, and then predictions and
    notebooks that wait for no training: what they show should not come after days of it.
    """
    found = {job.name: 0.0 for job in jobs}
    for job in reversed(jobs):
        found[job.name] += job.seconds
        for name in job.needs:
            found[name] = max(found[name], found[job.name])
    waits: dict[str, bool] = {}
    for job in jobs:
        waits[job.name] = job.kind == "train" or any(waits[name] for name in job.needs)
        if not waits[job.name] and job.kind in ("predict", "notebook"):
            found[job.name] += SOON
    for job in up_to(jobs, [FIRST_LOOK]):
        found[job.name] += URGENT
    return found


def finished_after(jobs: Sequence[Job], cores: int, done: Collection[str] = ()) -> dict[str, float]:
    """Return name -> seconds until a job is done on some cores, the most urgent first.

    >>> jobs = [Job(name, "train", (), (), 10.0) for name in "abc"]
    >>> finished_after(jobs, 2, done="a")
    {'b': 10.0, 'c': 10.0}
    """
    urgency = priorities(jobs)
    ready = set(done)
    left = sorted((job for job in jobs if job.name not in ready), key=lambda j: -urgency[j.name])
    running: list[tuple[float, str]] = []
    finished: dict[str, float] = {}
    while left or running:
        now = max(finished.values(), default=0.0)
        for job in [job for job in left if ready.issuperset(job.needs)][: cores - len(running)]:
            heapq.heappush(running, (now + job.seconds, job.name))
            left.remove(job)
        seconds, name = heapq.heappop(running)
        finished[name] = seconds
        ready.add(name)
    return finished


def write(jobs: Sequence[Job], path: Path) -> None:
    """Write jobs to a file, for `read`."""
    write_bytes(path, json.dumps([asdict(job) for job in jobs], indent=1).encode())


def read(path: Path) -> tuple[Job, ...]:
    """Return the jobs of a file."""
    rows = json.loads(path.read_text("utf-8"))
    return tuple(Job(**row | {key: tuple(row[key]) for key in ("words", "needs")}) for row in rows)


SHORTEST = 60  # minutes: a busy file system, and imports from it
LONGEST = 24 * 60  # minutes: many clusters allow no more, and what was computed is kept
SLOWER = 4  # times what is expected, on a machine that nobody measured


@dataclass(frozen=True)
class Resources:
    """What a job requests of a cluster.

    Attributes:
        runtime: minutes after which it may be ended.
    """

    mem_mb: int
    runtime: int
    cpus: int


def resources(job: Job, attempt: int = 1) -> Resources:
    """Return what a job requests; each further attempt requests as much again.

    Args:
        attempt: 1, or more after it was lost.

    >>> resources(Job("draw-a", "draw", ("draw", "a"), (), 9.0, memory=900), attempt=2)
    Resources(mem_mb=1800, runtime=120, cpus=1)
    """
    minutes = max(SHORTEST, math.ceil(SLOWER * job.seconds / 60))
    return Resources(attempt * job.memory, min(LONGEST, attempt * minutes), job.cores)
