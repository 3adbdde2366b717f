"""`robust plan` and `robust fetch --profile`: the book's requirements before a run."""

import os
import shutil
from collections.abc import Iterable, Sequence

import typer
from rich.console import Console
from rich.table import Table

from robust_book.chapters import all_chapters
from robust_book.engine import forecast, pace
from robust_book.engine.disk_space import require_space, size_of, to_come, to_fetch, writes
from robust_book.engine.forecast import machines, rates_in_words
from robust_book.engine.jobs import Job, finished_after, with_networks
from robust_book.engine.plan import plan as jobs_of
from robust_book.engine.progress import LONG, in_words
from robust_book.engine.supplies import Supplies, Supply, supplies, unique
from robust_lib.config.manifests import load_dataset, load_model
from robust_lib.config.profiles import Profile, load_profile, trains_all
from robust_lib.errors import InputError, RobustLibError, one_of
from robust_lib.run.chapter import Chapter
from robust_lib.run.roles import VIDEO_BOXES, with_edition

COUNTED = "Contents of data sets are not counted here; `robust verify` counts them."


def show(profile: str, chapters: Sequence[str] | None = None, gpus: int = 8) -> None:
    """Print the chapters' requirements, which of them are available or missing, and their hours.

    Args:
        chapters: names of chapters, or several joined by commas; None: all.

    Raises:
        InputError: no such chapter or profile. typer.Exit: no chapter can run, or a named one
            cannot.
    """
    chosen, wanted = _asked(profile, chapters)
    found = [supplies(chapter, chosen) for chapter in wanted]
    console = Console(width=max(130, shutil.get_terminal_size().columns))
    small = trains_all(chosen)
    table = _miniature(wanted, found, chosen) if small else _chapters(wanted, found, chosen, gpus)
    console.print(table)
    missing = unique(one for each in found for one in each.supplies if not one.there)
    if missing:
        console.print(_missing(missing))
    rates = [_together(wanted, found, chosen)] if small else _told(wanted, found, chosen)
    if with_edition(chosen) != chosen:
        role, whole, part = VIDEO_BOXES
        typer.echo(f"{part} serves as {role} in place of {whole}: {load_dataset(part).layout}")
    if to_bring := unique(one for each in found for one in each.brought):
        typer.echo(to_come(to_bring))
    space = (to_fetch(missing), *writes(wanted, found, chosen))
    for line in (*_left_out(found), COUNTED * (not small), *space, *rates):
        if line:
            typer.echo(line)
    if not any(each.can_run for each in found) or (chapters and _lacking(found)):
        raise typer.Exit(1)


def bring(profile: str, chapters: Sequence[str] | None = None) -> None:
    """Fetch a profile's data and weights; print those that must be obtained by hand.

    Args:
        chapters: names of chapters, or several joined by commas; None: all.

    Raises:
        InputError: the disk has too little space.
        FetchError: a file could not be fetched; those already fetched are kept.
    """
    from robust_lib.datasets.imagenet_c import FROST, bring_frost
    from robust_lib.fetch import fetch
    from robust_lib.models.weight_files import fetch_weights, weight_file

    chosen, wanted = _asked(profile, chapters)
    missing = unique(
        one for each in (supplies(chapter, chosen) for chapter in wanted)
        for one in each.supplies if not one.there
    )  # fmt: skip
    typer.echo(to_fetch(missing))
    require_space(missing)
    failed = False
    for one in (one for one in missing if one.fetched):
        try:
            if one.kind == "data":
                # In its own folder, frost would be another one for the miniature, too.
                frost = one.name == FROST[0]
                came = bring_frost() if frost else fetch(one.name, progress=True)
                typer.echo(f"{one.name} is in {came}.")
            else:
                file = weight_file(load_model(one.name))
                assert file is not None  # else it were no supply
                typer.echo(f"{one.name} is in {fetch_weights(file, progress=True)}.")
        except RobustLibError as error:
            failed = True
            typer.echo(f"{one.name}: {error}")
    by_hand = [one for one in missing if not one.fetched]
    for one in by_hand:
        optional = " (optional)" * one.optional
        typer.echo(f"By hand: {one.name}{optional}: {one.how}")
    if failed:
        raise typer.Exit(1)


def named(chapters: Iterable[str] | None) -> tuple[str, ...]:
    """Return chapters by their names, which may be joined by commas.

    Raises:
        InputError: no such chapter.

    >>> named(["inc_1_corruptions,inc_2_mce", "00_tour"])
    ('inc_1_corruptions', 'inc_2_mce', '00_tour')
    """
    names = tuple(name for text in chapters or () for name in text.split(","))
    if names:
        every = [chapter.notebook for chapter in all_chapters()]
        for name in names:
            if name not in every:
                raise InputError(one_of("chapter", name, every))
    return names


def data_sets(profile: str, chapters: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the data sets that a profile's chapters need, and the optional ones that are there.

    Raises:
        InputError: no such chapter or profile.
    """
    chosen, wanted = _asked(profile, chapters)
    every = unique(one for chapter in wanted for one in supplies(chapter, chosen).supplies)
    return tuple(
        one.name for one in every if one.kind == "data" and (one.there or not one.optional)
    )


def _asked(profile: str, chapters: Sequence[str] | None) -> tuple[Profile, list[Chapter]]:
    every = {chapter.notebook: chapter for chapter in all_chapters()}
    return load_profile(profile), [every[name] for name in named(chapters) or every]


def _chapters(
    wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile, gpus: int
) -> Table:
    """Return one row per chapter: whether it can run, its jobs, its work and its hours."""
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
            _said(each),
            str(len(jobs)),
            f"{work.pictures:,}",
            f"{work.passes:,}",
            str(len(forecast.gates_of(chapter, profile))),
            *(f"{hour:.1f}" for hour in hours),
        )
    return table


def _miniature(wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile) -> Table:
    """Return one row per chapter of the miniature, whose jobs have measured times."""
    table = Table("chapter", "can run", "jobs", "alone", box=None, pad_edge=False)
    for chapter, each in zip(wanted, found, strict=True):
        jobs = () if each.elsewhere else _jobs(profile, [chapter])
        table.add_row(chapter.notebook, _said(each), str(len(jobs)), _lasts(jobs))
    return table


def _said(each: Supplies) -> str:
    """Return whether a chapter can run, in words."""
    if not each.can_run:
        return each.elsewhere or f"lacks {', '.join(one.name for one in each.lacking)}"
    without = ", ".join(one.name for one in each.left_out)
    return f"yes, without {without}" if without else "yes"


def _together(wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile) -> str:
    able = [one for one, each in zip(wanted, found, strict=True) if each.can_run]
    jobs = _jobs(profile, able)
    sooner = f", {_lasts(with_networks(jobs))} with a pack of trained networks (NETWORKS=PACK)"
    return (
        f"All chapters together, if nothing has been computed yet: {len(jobs)} jobs, "
        f"{_lasts(jobs)} on {os.cpu_count()} cores{sooner * (_seconds(jobs) > LONG)}. Chapters "
        "share networks and images; `robust book` skips whatever is available."
    )


def _jobs(profile: Profile, wanted: Sequence[Chapter]) -> tuple[Job, ...]:
    return jobs_of(profile, wanted, len(profile.seeds))


def _lasts(jobs: Sequence[Job]) -> str:
    return in_words(_seconds(jobs))


def _seconds(jobs: Sequence[Job]) -> float:
    cores = os.cpu_count() or 1
    here = pace.if_known(cores)
    paced = here.of(jobs) if here else jobs
    return max(finished_after(paced, cores).values(), default=0.0)


def _missing(missing: Sequence[Supply]) -> Table:
    table = Table(box=None, pad_edge=False, title="Missing", title_justify="left")
    for head in ("what", "kind", "size", "how to get it"):
        table.add_column(head, overflow="fold")
    for one in missing:
        kind = f"optional {one.kind}" if one.optional else one.kind
        table.add_row(one.name, kind, size_of(one), one.how)
    return table


def _told(wanted: Sequence[Chapter], found: Sequence[Supplies], profile: Profile) -> list[str]:
    """Return the gates to be judged, the rates behind the hours, and the parts they exclude."""
    works = [
        forecast.work(one, profile)
        for one, each in zip(wanted, found, strict=True)
        if each.elsewhere is None
    ]
    uncounted = dict.fromkeys(name for work in works for name in work.uncounted)
    left = (
        "Not included in the hours, because their image counts are unknown: "
        f"{', '.join(uncounted)}."
    )
    judged = (_gates(one, profile) for one, each in zip(wanted, found, strict=True) if each.can_run)
    return [*filter(None, judged), *rates_in_words(), *([left] if uncounted else [])]


def _gates(chapter: Chapter, profile: Profile) -> str | None:
    """Return the gates of a chapter in one line: their number, data and networks."""
    by_data: dict[str, list[str]] = {}
    for gate in forecast.gates_of(chapter, profile):
        by_data.setdefault(gate.dataset, []).append(gate.model)
    told = (
        f"{name} {len(models)} ({', '.join(dict.fromkeys(models))})"
        for name, models in by_data.items()
    )
    return f"Gates of {chapter.notebook}: {'; '.join(told)}." if by_data else None


def _left_out(found: Sequence[Supplies]) -> list[str]:
    return [f"{each.notebook}: {each.elsewhere}." for each in found if each.elsewhere]


def _lacking(found: Sequence[Supplies]) -> list[Supplies]:
    return [each for each in found if not each.can_run]
