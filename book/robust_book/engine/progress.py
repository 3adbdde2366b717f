"""The output of `robust book`: the plan, one line per finished job, the outcome."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import get_args

import typer
from rich.console import Console
from rich.table import Table

from robust_book.engine import execution as engine
from robust_book.engine import jobs, journal
from robust_book.engine.jobs import SO_FAR, Job, Kind, finished_after, up_to, with_networks

LOOK = 0.2  # seconds between two looks into the journal
LAST = 10  # jobs of a kind whose pace those to come are taken to have
SLOWER = 1.25  # times the planned time, above which it is said
LONG = 3600.0  # seconds, above which a pack of trained networks is offered
FOUND = 0.25  # of the seconds planned, which no job that computes something stays below
COMPUTE: tuple[Kind, ...] = ("draw", "train", "predict")  # in the job's own process
BUSY = 0.8  # of a core: a job that gets less shares it with other programs
TAIL = 2000  # letters of the engine's log that are repeated


@dataclass
class Progress:
    """The progress of a plan's jobs, read from the journal.

    Args:
        planned: all jobs, each after those that it needs.
        cores: number of parallel jobs.
        seen: number of processed events of the journal.
        cpu: name -> CPU-seconds of the job's own process.
    """

    planned: Sequence[Job]
    home: Path
    cores: int
    due: set[str] = field(default_factory=set)
    begun: set[str] = field(default_factory=set)
    done: dict[str, float] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    seen: int = 0
    cpu: dict[str, float] = field(default_factory=dict)

    def follow(self, running: "Popen[bytes]") -> int:
        """Print events until the engine ends, and return its exit status."""
        status = None
        while status is None:
            with suppress(TimeoutExpired):
                status = running.wait(LOOK)
            self.catch_up()
        return status

    def catch_up(self) -> None:
        """Read the journal from the position at which the last call stopped."""
        for event in journal.read(self.home, self.seen):
            self.seen += 1
            self.take(event)

    def take(self, event: journal.Event) -> None:
        """Handle an event, and print its meaning."""
        match event:
            case {"event": "due", "jobs": names}:
                self.due = set(names)
                self._show_plan()
            case {"event": "begun", "job": name}:
                self.begun.add(name)
            case {"event": "done", "job": name, "seconds": seconds}:
                self.done[name] = seconds
                self.cpu[name] = event.get("cpu", seconds)
                self.failed.discard(name)  # at a later attempt
                typer.echo(f"{self._does(name)}: {seconds:.0f} s; {self._left()}.")
            case {"event": "failed", "job": name, "why": why, "log": log}:
                self.failed.add(name)
                typer.echo(f"Could not {self._does(name)}: {why} The full output is in {log}")

    def stopped(self) -> None:
        """Print the finished work at an interruption, and the command to continue."""
        for event in journal.read(self.home, self.seen):
            if event["event"] == "done":  # what failed may have been stopped, such as a kernel
                self.take(event)
        typer.echo("Stopped. Finished results are kept; run the same command again to continue.")

    def ended(self, status: int) -> int:
        """Print the outcome, and return the exit status: 0 or 1."""
        killed = sorted(self.begun - self.done.keys() - self.failed)
        for name in killed:
            typer.echo(
                f"Could not {self._does(name)}: its process was killed, probably because the "
                "machine ran out of memory. Set JOBS=1 to run one job at a time."
            )
        broken = len(killed) + len(self.failed)
        if broken:
            typer.echo(
                f"{_many(broken, 'job')} failed; the results of the other jobs are kept. Correct "
                "the cause, and run the same command again to continue."
            )
        elif status:
            said = engine.log(self.home).read_text("utf-8", "replace")
            typer.echo(
                f"Snakemake failed. Its log {engine.log(self.home)} ends with:\n{said[-TAIL:]}"
            )
        else:
            site = any(job.name == "site" for job in self.planned)
            done = "Done." if self.due else "Nothing has changed."
            typer.echo(f"{done} The site: {self._site}" if site else done)
        return int(status != 0)

    def _show_plan(self) -> None:
        """Print the expected times at which each chapter and the whole book will be ready."""
        ready = self._ready_after()
        table = Table("chapter", "jobs before it", "ready after", box=None, pad_edge=False)
        for job in self.planned:
            if job.kind == "notebook" and job.name in ready:
                before = {each.name for each in up_to(self.planned, [job.name])} & ready.keys()
                table.add_row(job.words[1], str(len(before) - 1), in_words(ready[job.name]))
        if table.rows:
            Console(highlight=False).print(table)
        pages = [ready[name] for name in ready if name.startswith(SO_FAR)]
        others = ", and each further chapter as soon as it is finished" if len(pages) > 1 else ""
        first = (
            f" The first chapter is in {self._site} after {in_words(min(pages))}{others}."
            if pages
            else ""
        )
        typer.echo(f"On {_many(self.cores, 'core')}: {self._left()}.{first}")
        whole = max(ready.values(), default=0.0)
        sooner = max(self._ready_after(with_networks(self.planned)).values(), default=0.0)
        # Trainings on a GPU are not the miniature's, of which there are packs.
        if whole > LONG and sooner < whole / 2 and not any(job.gpu for job in self.planned):
            typer.echo(
                "With a pack of trained networks (networks.zip of a release), it takes "
                f"{in_words(sooner)}: make book NETWORKS=PACK"
            )

    def _left(self) -> str:
        """Return the remaining work as text."""
        ready = self._ready_after()
        if not ready:
            return "nothing left"
        slower, share = _pace(self._worked()), self._share(LAST)
        paced = f" at {slower:.1f} times the planned time" if slower > SLOWER else ""
        if paced and share < BUSY:
            paced += f": this machine is busy, and a job gets {share:.0%} of a core"
        return f"{_many(len(ready), 'job')} left, {in_words(max(ready.values()))}{paced}"

    def _ready_after(self, jobs: Sequence[Job] | None = None) -> dict[str, float]:
        """Return name -> the seconds from now until a job that is due will be done.

        Args:
            jobs: planned jobs with other seconds; None: as planned.
        """
        there = {job.name for job in self.planned} - self.due | self.done.keys()
        return finished_after(jobs or self.planned, self.cores, there, self._paces())

    def _paces(self) -> dict[Kind, float]:
        """Return kind of jobs -> ratio of the time of the last ones to the planned time.

        A kind without a finished job is as slow as the others, but never faster than planned.
        """
        worked = self._worked()
        found = dict.fromkeys(get_args(Kind), max(1.0, _pace(worked)))
        for kind in {job.kind for job, _ in worked}:
            found[kind] = _pace([each for each in worked if each[0].kind == kind])
        return found

    def _worked(self) -> list[tuple[Job, float]]:
        """Return the finished jobs with their seconds, without those that had nothing to do.

        A job that took almost no time found its results in the cache, so it does not measure the
        pace.
        """
        planned = {job.name: job for job in self.planned}
        done = ((planned[name], seconds) for name, seconds in self.done.items())
        there = jobs.FOUND  # planned so, where the results are known to be in the cache
        return [
            (job, seconds)
            for job, seconds in done
            if seconds > FOUND * job.seconds and job.seconds > there
        ]

    def computed(self) -> list[tuple[Job, float]]:
        """Return the jobs that had something to do, with their seconds on a core of their own.

        Work in other processes, such as kernels, is assumed to have had the same share of a core as
        the other jobs.
        """
        share = self._share()
        return [
            (job, self.cpu[job.name] if job.kind in COMPUTE else share * seconds)
            for job, seconds in self._worked()
        ]

    def _share(self, last: int | None = None) -> float:
        """Return the share of a core that jobs had, all of them or the last ones."""
        own = [(job, seconds) for job, seconds in self._worked() if job.kind in COMPUTE]
        own = own[-last:] if last else own
        seconds = sum(each for _, each in own)
        return min(1.0, sum(self.cpu[job.name] for job, _ in own) / seconds) if seconds else 1.0

    def _does(self, name: str) -> str:
        return next(job.does for job in self.planned if job.name == name)

    @property
    def _site(self) -> Path:
        return self.home / "site" / "index.html"


def _pace(worked: Sequence[tuple[Job, float]]) -> float:
    last = worked[-LAST:]
    planned = sum(job.seconds for job, _ in last)
    return sum(seconds for _, seconds in last) / planned if planned else 1.0


def in_words(seconds: float) -> str:
    """Return a remaining time in words.

    >>> in_words(40.0), in_words(100.0), in_words(2000.0)
    ('less than a minute', 'about 2 minutes', 'about 33 minutes')
    """
    return "less than a minute" if seconds < 60 else f"about {_many(round(seconds / 60), 'minute')}"


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
