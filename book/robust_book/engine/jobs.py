"""Jobs: their work, dependencies, order and duration."""

import heapq
import json
import math
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from robust_lib.atomic import write_bytes

Kind = Literal["draw", "train", "predict", "notebook", "site"]
SO_FAR = "site-with-"  # and the name of the chapter that it adds
FOUND = 3.0  # seconds of a job whose results are all stored
LONGER = 1.03  # times what the jobs take in whatever order: what reading sooner may cost


@dataclass(frozen=True)
class Job:
    """The work of one process of the engine.

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
        """Return the work of the job as text.

        >>> Job("train-a", "train", ("train", "a", "b", "c", "--seed", "1"), (), 60.0).does
        'train a and 2 more'
        """
        if self.kind == "site":
            return "render the site" + " so far" * self.name.startswith(SO_FAR)
        if self.kind == "notebook":
            return f"execute {self.words[1]}"
        options = [at for at, word in enumerate(self.words) if word.startswith("--")]
        # Of a prediction, the chapters come first, and then on what.
        begin = options[0] if self.kind == "predict" else 0
        end = next((at for at in options if at > begin), None)
        first, *more = self.words[begin + 1 : end]
        return f"{self.kind} {first}" + (f" and {len(more)} more" if more else "")


def stamp(name: str, home: Path) -> Path:
    """Return the file in a profile's folder that marks a job as done and states its command."""
    return home / "done" / f"{name}.txt"


def command(job: Job, profile: str) -> str:
    """Return the command line that does a job, without the program's name.

    >>> command(Job("draw-a", "draw", ("draw", "a"), (), 9.0), "mini")
    'draw a --profile mini'
    """
    return shlex.join((*job.words, "--profile", profile))


def remaining(jobs: Iterable[Job], home: Path) -> float:
    """Return the seconds of the jobs that are not done, or were done with a different command."""

    def done(job: Job) -> bool:
        path = stamp(job.name, home)
        told = path.read_text("utf-8") if path.exists() else ""
        return told.partition("\n")[0] == command(job, home.name)

    return sum(job.seconds for job in jobs if not done(job))


def up_to(jobs: Sequence[Job], names: Iterable[str]) -> tuple[Job, ...]:
    """Return the jobs with some names and all jobs that come before them.

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


def ways(jobs: Sequence[Job]) -> dict[str, float]:
    """Return name -> the seconds of the longest path from a job's start to the end of all.

    >>> jobs = [Job("a", "train", (), (), 3.0), Job("b", "notebook", (), ("a",), 2.0)]
    >>> ways(jobs)
    {'a': 5.0, 'b': 2.0}
    """
    found = {job.name: 0.0 for job in jobs}
    for job in reversed(jobs):
        found[job.name] += job.seconds
        for name in job.needs:
            found[name] = max(found[name], found[job.name])
    return found


def turns(jobs: Sequence[Job]) -> dict[str, int]:
    """Return name -> the turn in which a job is needed, counted from 0.

    The first turn belongs to the first chapter. Each next turn belongs to the chapter with the
    least remaining work; of two equal ones, to the earlier in the book. Jobs that no chapter needs
    come last.
    """
    left = [job.name for job in jobs if job.kind == "notebook"]
    before = {name: {job.name: job.seconds for job in up_to(jobs, [name])} for name in left}
    found: dict[str, int] = {}
    while left:
        left_to_do = {
            name: sum(seconds for job, seconds in before[name].items() if job not in found)
            for name in left
        }
        chapter = min(left, key=lambda name: left_to_do[name]) if found else left[0]
        left.remove(chapter)
        turn = len(before) - len(left) - 1
        found |= {name: turn for name in before[chapter] if name not in found}
    found |= {job.name: found[job.needs[0]] for job in jobs if job.name.startswith(SO_FAR)}
    return {job.name: found.get(job.name, len(before)) for job in jobs}


def in_order(jobs: Sequence[Job], cores: int) -> tuple[str, ...]:
    """Return the names of jobs, the most urgent first, so that chapters finish one by one.

    Pages of the site come first. Then come the jobs of the chapter whose turn it is, those with the
    longest path to the end first. If long paths of other chapters would delay the end by more than
    3 %, as many of their jobs as necessary come earlier.
    """
    way, turn = ways(jobs), turns(jobs)
    pages = [job.name for job in jobs if job.name.startswith(SO_FAR)]
    others = [job for job in jobs if job.name not in pages]
    by_way = sorted((job.name for job in others), key=lambda name: -way[name])
    by_turn = sorted(by_way, key=lambda name: turn[name])
    soonest = _end(_finished(others, cores, by_way))
    for longest in sorted({math.inf, *way.values()}, reverse=True):
        order = [name for name in by_way if way[name] > longest]
        order += [name for name in by_turn if way[name] <= longest]
        if _end(_finished(others, cores, order)) <= LONGER * soonest:
            break
    return (*pages, *order)


def with_networks(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """Return the jobs with their durations if all networks are already trained.

    >>> [job.seconds for job in with_networks([Job("a", "train", (), (), 60.0)])]
    [3.0]
    """
    return tuple(
        replace(job, seconds=min(job.seconds, FOUND)) if job.kind == "train" else job
        for job in jobs
    )


def finished_after(
    jobs: Sequence[Job],
    cores: int,
    done: Collection[str] = (),
    paces: Mapping[Kind, float] | None = None,
) -> dict[str, float]:
    """Return name -> seconds until a job is done on a number of cores, the most urgent first.

    Args:
        paces: kind of jobs -> ratio of their time to the planned time; none: as planned.

    >>> jobs = [Job(name, "train", (), (), 10.0) for name in "abc"]
    >>> finished_after(jobs, 2, done="a", paces={"train": 1.5})
    {'b': 15.0, 'c': 15.0}
    """
    order, paces = in_order(jobs, cores), paces or {}
    paced = [replace(job, seconds=job.seconds * paces.get(job.kind, 1.0)) for job in jobs]
    return _finished(paced, cores, order, done)


def _finished(
    jobs: Sequence[Job], cores: int, order: Sequence[str], done: Collection[str] = ()
) -> dict[str, float]:
    by_name = {job.name: job for job in jobs}
    ready = set(done)
    left = [by_name[name] for name in order if name not in ready]
    running: list[tuple[float, str]] = []
    finished: dict[str, float] = {}
    while left or running:
        now = max(finished.values(), default=0.0)
        rendering = any(by_name[name].kind == "site" for _, name in running)
        for job in [job for job in left if ready.issuperset(job.needs)]:
            if len(running) == cores:
                break
            if job.kind == "site" and rendering:
                continue
            rendering |= job.kind == "site"
            heapq.heappush(running, (now + job.seconds, job.name))
            left.remove(job)
        seconds, name = heapq.heappop(running)
        finished[name] = seconds
        ready.add(name)
    return finished


def _end(finished: Mapping[str, float]) -> float:
    return max(finished.values(), default=0.0)


def write(jobs: Sequence[Job], path: Path) -> None:
    """Write jobs to a file, for `read`."""
    write_bytes(path, json.dumps([asdict(job) for job in jobs], indent=1).encode())


def read(path: Path) -> tuple[Job, ...]:
    """Return the jobs in a file."""
    rows = json.loads(path.read_text("utf-8"))
    return tuple(Job(**row | {key: tuple(row[key]) for key in ("words", "needs")}) for row in rows)


SHORTEST = 60  # minutes: a busy file system, and imports from it
LONGEST = 24 * 60  # minutes: many clusters allow no more, and what was computed is kept
SLOWER = 4  # times what is expected, on a machine that nobody measured


@dataclass(frozen=True)
class Resources:
    """The resources that a job requests from a cluster.

    Attributes:
        runtime: minutes after which the job may be ended.
    """

    mem_mb: int
    runtime: int
    cpus: int


def resources(job: Job, attempt: int = 1) -> Resources:
    """Return the resources that a job requests; each further attempt adds the same amount.

    Args:
        attempt: number of the attempt; above 1 after the job was lost.

    >>> resources(Job("draw-a", "draw", ("draw", "a"), (), 9.0, memory=900), attempt=2)
    Resources(mem_mb=1800, runtime=120, cpus=1)
    """
    minutes = max(SHORTEST, math.ceil(SLOWER * job.seconds / 60))
    return Resources(attempt * job.memory, min(LONGEST, attempt * minutes), job.cores)
