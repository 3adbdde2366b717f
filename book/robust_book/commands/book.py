"""The making of the whole book: the plan, the engine, and a line for each finished job."""

import json
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import typer
from filelock import FileLock, Timeout

from robust_book.commands.command_line import switched
from robust_book.engine import execution as engine
from robust_book.engine import jobs, journal, pace
from robust_book.engine.execution import on_cluster
from robust_book.engine.gpus import names
from robust_book.engine.jobs import Job, Kind
from robust_book.engine.progress import Progress
from robust_lib import paths
from robust_lib.config.profiles import Profile, load_profile
from robust_lib.config.withheld import SHOWN, WITH_PICTURES, WITHHELD, all_shown
from robust_lib.errors import InputError, RobustLibError, RunError, one_of
from robust_lib.run.chapter import Chapter

if TYPE_CHECKING:
    from robust_book.commands.taken import Taken
    from robust_book.engine.supplies import Supplies

SIGNALLED = 128  # an exit status above it: what was stopped by a signal, and by which


class Stopped(BaseException):
    """The process received a signal to end; `args` holds its number."""


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
    with_pictures: bool = False,
    networks: str | None = None,
    retrain: int = 0,
) -> tuple[int, bool]:
    """Make the missing or stale parts of the book; return the status and whether any are left out.

    Args:
        seeds: number of training seeds per network; None: the profile's.
        cores: number of parallel jobs; None: the number in the cluster's profile.
        chapters: names of notebooks; empty: all.
        gpus: GPUs of this machine, one per job; None: jobs take turns on one.
        cluster: folder in workflow/profiles; None: this machine.
        until: kind of the last jobs.
        with_pictures: whether pages show images that may not be redistributed.
        networks: pack of trained networks, as a file, folder or address; those that fit are taken
            from it instead of being trained.
        retrain: number of these that are trained again for comparison.

    Returns:
        The exit status, not 0 if a job failed, and whether chapters were left out because data or
        weights are missing.

    Raises:
        InputError: an unknown chapter, profile or cluster, more GPUs than there are, no seed or no
            parallel job.
        RunError: another process makes the book of this profile, or networks of the pack differ
            from those trained here.
        DataError, FetchError: the pack is incomplete, or could not be fetched.
    """
    # Which all import torch; who runs what is planned, needs none.
    from robust_book.chapters import all_chapters
    from robust_book.commands import taken
    from robust_book.engine import plan
    from robust_book.engine.disk_space import to_come
    from robust_book.engine.supplies import supplies, unique

    chosen = load_profile(profile)
    for what, number in (("seeds", seeds), ("jobs", cores)):
        if number is not None and number < 1:
            raise InputError(f"Expected {what} to be 1 or more, but got {number}.")
    options = (*(on_cluster(cluster) if cluster else ()), *options)
    every = all_chapters()
    for name in chapters:
        if name not in (known := [chapter.notebook for chapter in every]):
            raise InputError(one_of("chapter", name, known))
    asked = [chapter for chapter in every if not chapters or chapter.notebook in chapters]
    found = {chapter.notebook: supplies(chapter, chosen) for chapter in asked}
    ready = [chapter for chapter in every if chapter.notebook in found
             and found[chapter.notebook].can_run]  # fmt: skip
    _require_some(ready, list(found.values()), bool(chapters))
    home = paths.profile(profile)
    whole = [chapter for chapter in every if supplies(chapter, chosen).can_run]
    count = len(chosen.seeds) if seeds is None else seeds
    planned = (
        plan.of_chapters(chosen, ready, whole, count, home)
        if chapters
        else plan.plan(chosen, whole, count)
    )
    last = [job.name for job in planned if job.kind == until]
    shared = names(gpus) if gpus is not None and plan.on_gpu(chosen) else ()
    if to_bring := unique(one for chapter in ready for one in found[chapter.notebook].brought):
        typer.echo(to_come(to_bring))
    wanted = jobs.up_to(planned, last)
    came = _taken(networks, retrain, wanted, chosen)
    with switched({WITH_PICTURES: with_pictures}):
        left = taken.planned(wanted, came, chosen) if came else wanted
        here = None if cluster or cores is None else _pace(left, cores)
        wanted = here.of(wanted) if here else wanted
        wanted = taken.planned(wanted, came, chosen) if came else wanted
        status = run(wanted, home, cores=cores, options=options, shared=shared, here=here)
    lacking = [one for one in found.values() if one.elsewhere is None and not one.can_run]
    for one in lacking:
        typer.echo(f"Left out: {one.notebook} lacks {', '.join(s.name for s in one.lacking)}.")
    return status, bool(lacking)


def _taken(
    networks: str | None, retrain: int, wanted: Sequence[Job], profile: Profile
) -> "Taken | None":
    """Return the networks that were taken from a pack, and print them; None without a pack.

    Raises:
        InputError, DataError, FetchError, RunError: see `make`.
    """
    if networks is None:
        if retrain:
            raise InputError("Expected a pack for --retrain, but got none. Add --networks PACK.")
        return None
    from robust_book.commands import taken
    from robust_book.engine import pack

    came = taken.take(pack.opened(pack.brought(networks)), wanted, profile.name)
    for line in came.lines():
        typer.echo(line)
    if retrain:
        try:
            taken.retrain(came, retrain, profile, typer.echo)
        except RunError:  # what was made of them has to be made again
            for job in wanted:
                if job.kind == "train":
                    jobs.stamp(job.name, paths.profile(profile.name)).unlink(missing_ok=True)
            raise
    return came


def _pace(planned: Sequence[Job], cores: int) -> pace.Pace | None:
    """Return the pace of this machine, and print it; None if the plan is too short for one."""
    if sum(job.seconds for job in planned) < pace.LONG:
        return None
    try:
        found = pace.of_this_machine(cores)
    except RunError as error:
        typer.echo(f"{error} The times shown are those of the reference machine.")
        return None
    typer.echo(
        f"Running times are estimated for {found.machine}. Compared with the reference machine, "
        f"work takes this many times as long: {found.words}."
    )
    return found


def _require_some(ready: Sequence[Chapter], found: Sequence["Supplies"], named: bool) -> None:
    """Print the chapters that cannot be made and why; refuse if they were named, or none can.

    Raises:
        InputError: no chapter can be made, or not all that were named.
    """
    reasons = [
        f"{one.notebook}: {one.elsewhere or 'lacks ' + ', '.join(s.name for s in one.lacking)}"
        for one in found
        if not one.can_run
    ]
    if reasons and (named or not ready):
        raise InputError(
            f"Expected all data and weights of {len(reasons)} chapters, but some are missing: "
            f"{'; '.join(reasons)}. Run `robust plan` to list the missing parts and how to get "
            "them."
        )
    for reason in reasons:
        typer.echo(f"Left out: {reason}.")


def run(
    planned: Sequence[Job],
    home: Path,
    *,
    cores: int | None,
    options: Sequence[str] = (),
    shared: Sequence[str] = (),
    here: pace.Pace | None = None,
) -> int:
    """Run the jobs that are missing or stale, and return the exit status.

    After an interruption, the next call continues from there.

    Args:
        planned: jobs, each after those that it requires.
        cores: number of parallel jobs; None: the number in the cluster's profile.
        shared: CUDA's names of the GPUs that are used, one per job.
        here: pace that the jobs were planned with; their times are added to it.

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
            return SIGNALLED + int(stop.args[0])
        finally:
            if here is not None and (worked := progress.computed()):
                pace.keep(here.after(worked))
    return progress.ended(status)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Refuse to work in a folder that another process works in; the lock ends with its process."""
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / ".lock", timeout=0):
            yield
    except Timeout:
        raise RunError(
            f"Expected no other run in {home}, but another `make book` is running there, process "
            f"{journal.process(home)}. Wait until that run is finished, or stop it: finished work "
            "is kept."
        ) from None


@contextmanager
def _told_of_signals() -> Iterator[None]:
    """Raise Stopped if this process is interrupted or receives a signal to end."""

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


def _record(home: Path, notebook: str) -> dict[str, Any]:
    """Return the record that a chapter's run saved; empty if there is none."""
    try:
        found: dict[str, Any] = json.loads((home / "results" / f"{notebook}.json").read_bytes())
    except (OSError, ValueError):  # it is not there, or will be made anew
        return {}
    return found


def _shows_others(record: Mapping[str, Any]) -> bool:
    """Return whether a run shows images that this book withholds, or withholds those it shows."""
    return bool(record.get("pictures") == (WITHHELD if all_shown() else SHOWN))


def _can_be_had(record: Mapping[str, Any], came: dict[str, bool]) -> bool:
    """Return whether a page was made without data that pip can download now.

    Args:
        came: profile of photographs -> whether all of its data was downloaded; it is updated.
    """
    wanted = record.get("without", ())
    for profile in wanted:
        if profile not in came:
            from robust_book.chapters import inc_2_mce, photographs  # they import torch
            from robust_lib.run.start import start

            try:
                photographs.bring(start(inc_2_mce.CHAPTER, profile))
                came[profile] = True
            except RobustLibError:
                came[profile] = False
    return bool(wanted) and all(came[profile] for profile in wanted)


def _forget_lost(planned: Sequence[Job], home: Path) -> None:
    """Delete the stamps of jobs that must run again.

    These are notebooks and sites that are gone, pages that show other images than requested, and
    pages made without data that pip can download by now.
    """
    came: dict[str, bool] = {}
    for job in planned:
        made = {
            "notebook": home / "notebooks" / f"{job.words[1]}.ipynb",
            "site": home / "site" / "index.html",
        }
        lost = job.kind in made and not made[job.kind].exists()
        if not lost and job.kind == "notebook":
            record = _record(home, job.words[1])
            lost = _shows_others(record) or _can_be_had(record, came)
        if lost:
            jobs.stamp(job.name, home).unlink(missing_ok=True)
