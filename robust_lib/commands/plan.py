"""`robust plan` and `robust fetch --profile`: what the book needs, before anything runs."""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from robust_lib import paths
from robust_lib.commands.options import ProfileName
from robust_lib.commands.progress import in_words
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import Profile, load_profile
from robust_lib.errors import InputError, RobustLibError, one_of
from robust_lib.run import forecast
from robust_lib.run.chapter import Chapter
from robust_lib.run.jobs import Job, finished_after
from robust_lib.run.machines import machines, rates_in_words
from robust_lib.run.plan import needed
from robust_lib.run.plan import plan as jobs_of
from robust_lib.run.supplies import Supplies, Supply, supplies

UNPACKED = 2  # an archive lies beside what it held until it is deleted
DATA = Annotated[Path | None, typer.Option(help="Folder of the data sets.")]


def plan(
    profile: ProfileName,
    chapters: Annotated[
        list[str] | None, typer.Argument(metavar="CHAPTER...", help="By default all.")
    ] = None,
    data: DATA = None,
    gpus: Annotated[int, typer.Option(help="GPUs to tell the hours of, beside one.")] = 8,
) -> None:
    """Say what chapters need, what is there, what is missing, and how long they take."""
    chosen, wanted = _asked(profile, chapters, data)
    found = [supplies(chapter, chosen) for chapter in wanted]
    console = Console(width=max(130, shutil.get_terminal_size().columns))
    small = chosen.corrupted == "generated"
    table = _miniature(wanted, found, chosen) if small else _chapters(wanted, found, chosen, gpus)
    console.print(table)
    missing = unique(one for each in found for one in each.supplies if not one.there)
    if missing:
        console.print(_missing(missing))
    rates = [_together(wanted, found, chosen)] if small else _told(wanted, found, chosen)
    for line in (*_left_out(found), *_disk(missing), *rates):
        typer.echo(line)
    if not any(each.can_run for each in found) or (chapters and _lacking(found)):
        raise typer.Exit(1)


def bring(profile: str, data: Path | None) -> None:
    """Fetch all that a profile's chapters need and that may be fetched; name what may not.

    Raises:
        InputError: the disk has too little room.
        FetchError: something could not be fetched; what was is kept.
    """
    from robust_lib.fetch import fetch
    from robust_lib.models.weight_files import fetch_weights, weight_file

    chosen, wanted = _asked(profile, None, data)
    missing = unique(
        one for each in (supplies(chapter, chosen) for chapter in wanted)
        for one in each.supplies if not one.there
    )  # fmt: skip
    for line in _disk(missing):
        typer.echo(line)
    require_room(missing)
    failed = False
    for one in (one for one in missing if one.fetched):
        try:
            if one.kind == "data":
                typer.echo(f"{one.name} lies in {fetch(one.name, progress=True)}.")
            else:
                file = weight_file(load_model(one.name))
                assert file is not None  # else it were no supply
                typer.echo(f"{one.name} lies in {fetch_weights(file, progress=True)}.")
        except RobustLibError as error:
            failed = True
            typer.echo(f"{one.name}: {error}")
    by_hand = [one for one in missing if not one.fetched]
    for one in by_hand:
        typer.echo(f"By hand: {one.name}: {one.how}")
    if failed:
        raise typer.Exit(1)


def require_room(missing: Sequence[Supply]) -> None:
    """Raise InputError unless the disk holds what is to be fetched, packed and unpacked."""
    bytes_needed = UNPACKED * sum(one.bytes or 0 for one in missing if one.fetched)
    free = _free()
    if bytes_needed > free:
        raise InputError(
            f"Expected {_size(bytes_needed)} free in {paths.data()}, but there are {_size(free)}. "
            "Name another folder with --data, or make room; archives may be deleted once unpacked."
        )


def unique(found: Iterable[Supply]) -> tuple[Supply, ...]:
    """Return supplies without those that stand twice, data sets first."""
    return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.kind != "data", one.name)))


def _asked(
    profile: str, chapters: Sequence[str] | None, data: Path | None
) -> tuple[Profile, list[Chapter]]:
    from robust_lib.chapters import all_chapters  # imports torch

    if data is not None:
        paths.use_data(data)
    every = {chapter.notebook: chapter for chapter in all_chapters()}
    names = [name for text in chapters or () for name in text.split(",")]
    for name in names:
        if name not in every:
            raise InputError(one_of("chapter", name, every))
    return load_profile(profile), [every[name] for name in names or every]


def _chapters(
    wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile, gpus: int
) -> Table:
    """Return a line a chapter: whether it can run, its jobs, its work, and its hours."""
    rates = machines()
    cores = os.cpu_count() or 1
    heads = ("chapter", "can run", "jobs", "pictures", "forward passes", "gates",
             f"hours, {cores} cores", "1 GPU", f"{gpus} GPUs")  # fmt: skip
    table = Table(box=None, pad_edge=False)
    for head in heads:
        left = head in heads[:2]
        table.add_column(head, justify="left" if left else "right", no_wrap=head != heads[1])
    for chapter, each in zip(wanted, found, strict=True):
        if each.elsewhere is not None:
            table.add_row(chapter.notebook, "not in this profile: see below")
            continue
        jobs = _jobs(profile, [chapter])
        work = forecast.work(chapter, profile)
        hours = (
            rates["core"].hours(work, cores), rates["gpu"].hours(work),
            rates["gpu"].hours(work, gpus),
        )  # fmt: skip
        table.add_row(
            chapter.notebook,
            "yes" if each.can_run else f"lacks {', '.join(one.name for one in each.lacking)}",
            str(len(jobs)),
            f"{work.pictures:,}",
            f"{work.passes:,}",
            str(forecast.gates_of(chapter, profile)),
            *(f"{hour:.1f}" for hour in hours),
        )
    return table


def _miniature(wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile) -> Table:
    """Return a line a chapter of the miniature, whose jobs have times that were measured."""
    table = Table("chapter", "can run", "jobs", "alone", box=None, pad_edge=False)
    for chapter, each in zip(wanted, found, strict=True):
        lacks = ", ".join(one.name for one in each.lacking)
        jobs = _jobs(profile, [chapter])
        told = "yes" if each.can_run else each.elsewhere or f"lacks {lacks}"
        table.add_row(chapter.notebook, told, str(len(jobs)), _lasts(jobs))
    return table


def _together(wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile) -> str:
    able = [one for one, each in zip(wanted, found, strict=True) if each.can_run]
    jobs = _jobs(profile, able)
    return (
        f"All together, where nothing is there yet: {len(jobs)} jobs, {_lasts(jobs)} on "
        f"{os.cpu_count()} cores. Chapters share networks and pictures; `robust book` knows what "
        "is there."
    )


def _jobs(profile: Profile, wanted: Sequence[Chapter]) -> tuple[Job, ...]:
    names = [chapter.notebook for chapter in wanted]
    return needed(jobs_of(profile, wanted, len(profile.seeds)), names)


def _lasts(jobs: Sequence[Job]) -> str:
    return in_words(max(finished_after(jobs, os.cpu_count() or 1).values(), default=0.0))


def _missing(missing: Sequence[Supply]) -> Table:
    table = Table(box=None, pad_edge=False, title="Missing", title_justify="left")
    for head in ("what", "kind", "size", "how to get it"):
        table.add_column(head, overflow="fold")
    for one in missing:
        table.add_row(one.name, one.kind, _size(one.bytes), one.how)
    return table


def _told(wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile) -> list[str]:
    """Return what hours are made of, and what is in none of them."""
    works = [
        forecast.work(one, profile)
        for one, each in zip(wanted, found, strict=True)
        if each.elsewhere is None
    ]
    uncounted = dict.fromkeys(name for work in works for name in work.uncounted)
    left = f"In no hours, for nobody counted their pictures: {', '.join(uncounted)}."
    return [*rates_in_words(), *([left] if uncounted else [])]


def _left_out(found: Sequence[Supplies]) -> list[str]:
    return [f"{each.notebook}: {each.elsewhere}." for each in found if each.elsewhere]


def _lacking(found: Sequence[Supplies]) -> list[Supplies]:
    return [each for each in found if not each.can_run]


def _disk(missing: Sequence[Supply]) -> list[str]:
    fetched = [one for one in missing if one.fetched]
    if not fetched:
        return []
    known = UNPACKED * sum(one.bytes or 0 for one in fetched)
    unknown = sum(one.bytes is None for one in fetched)
    more = f", and {unknown} files whose size nobody publishes" if unknown else ""
    return [f"To fetch: {_size(known)} packed and unpacked{more}; {_size(_free())} are free."]


def _free() -> int:
    folder = paths.data()
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _size(size: int | None) -> str:
    return "not published" if size is None else f"{size / 1e9:,.2f} GB"
