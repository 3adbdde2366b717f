"""The book from nothing to the site: the plan, the engine, and a line for each finished job."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from filelock import FileLock, Timeout

from robust_lib import paths
from robust_lib.commands import engine, journal
from robust_lib.commands.engine import on_cluster
from robust_lib.commands.gpus import names
from robust_lib.commands.progress import Progress
from robust_lib.config.profiles import load_profile
from robust_lib.errors import RunError
from robust_lib.run import jobs, plan
from robust_lib.run.jobs import Job, Kind


class Stopped(BaseException):
    """The process was told to end; `args` hold the number of the signal."""


def make(
    profile: str,
    *,
    seeds: int | None = None,
    cores: int | None = 1,
    chapters: Sequence[str] = (),
    gpus: int | None = None,
    cluster: str | None = None,
    until: Kind = "site",
    options: Sequence[str] = (),
) -> int:
    """Make what is missing or stale of the book, and return the exit status.

    Args:
        profile: a file of data_manifests/profiles.
        seeds: how many networks of each kind are trained; None: as many as the profile says.
        cores: how many jobs run side by side; None: as many as the cluster's profile says.
        chapters: names of notebooks; none: all.
        gpus: of this machine, for a job each; None: one, which jobs take turns on.
        cluster: whose jobs the book's are, a folder of workflow/profiles; None: this machine's.
        until: the kind of the last jobs.
        options: further ones of snakemake.

    Raises:
        InputError: an unknown chapter, profile or cluster, or fewer GPUs.
        RunError: another process makes the book of this profile.
    """
    from robust_lib.chapters import all_chapters  # imports torch

    chosen = load_profile(profile)
    options = (*(on_cluster(cluster) if cluster else ()), *options)
    planned = plan.plan(chosen, all_chapters(), seeds or len(chosen.seeds))
    if chapters:
        planned = plan.needed(planned, chapters)
    last = [job.name for job in planned if job.kind == until]
    shared = names(gpus) if gpus is not None and plan.on_gpu(chosen) else ()
    home = paths.profile(profile)
    return run(jobs.up_to(planned, last), home, cores=cores, options=options, shared=shared)


def run(
    planned: Sequence[Job],
    home: Path,
    *,
    cores: int | None,
    options: Sequence[str] = (),
    shared: Sequence[str] = (),
) -> int:
    """Do those of some jobs that are missing or stale, and return the exit status.

    Whenever it is interrupted, the next call goes on from there.

    Args:
        planned: each after those that it needs.
        home: the profile's folder.
        cores: how many jobs run side by side; None: as many as the cluster's profile says.
        options: further ones of snakemake.
        shared: what CUDA calls the GPUs that jobs share, one each.

    Raises:
        RunError: another process makes the book of this profile.
    """
    progress = Progress(planned, home, cores or len(planned))
    if not planned:  # such as pictures to draw where all are on disk
        return progress.ended(0)
    with _alone(home), _told_of_signals():
        try:
            journal.begin(home)
            _forget_lost(planned, home)
            with engine.started(planned, home, cores, options, shared) as running:
                status = progress.follow(running)
        except Stopped as stop:
            progress.stopped()
            return 128 + int(stop.args[0])
    return progress.ended(status)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Refuse to work in a folder in which another process does; the lock dies with its process."""
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / ".lock", timeout=0):
            yield
    except Timeout:
        raise RunError(
            f"Expected to be alone in {home}, but another `make book` is at work there, process "
            f"{journal.process(home)}. Wait until it is done, or stop it: what it has computed is "
            "kept."
        ) from None


@contextmanager
def _told_of_signals() -> Iterator[None]:
    """Raise Stopped where this process is interrupted or told to end."""

    def stop(number: int, frame: FrameType | None) -> None:
        # A second one must not disturb the ending.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _forget_lost(planned: Sequence[Job], home: Path) -> None:
    """Delete the stamps of notebooks and sites that somebody has deleted."""
    for job in planned:
        made = {
            "notebook": home / "notebooks" / f"{job.words[1]}.ipynb",
            "site": home / "site" / "index.html",
        }
        if job.kind in made and not made[job.kind].exists():
            jobs.stamp(job.name, home).unlink(missing_ok=True)
