"""The command `robust`: data, corrupted copies, training, predictions, notebooks, the site."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from robust_book.commands import (
    annotate,
    candidates,
    course,
    filter,
    frames,
    passport,
    steps,
)
from robust_book.commands.command_line import DataFolder, Device, ProfileName, joined
from robust_lib import paths
from robust_lib.errors import DataError, InputError, RobustLibError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
INTERRUPTED = 130  # what the typer library returns for Ctrl-C


def main() -> None:
    """Run the command; an error of the library is one paragraph and exit status 1."""
    status, complaint = attempt(sys.argv[1:])
    if complaint:
        sys.stderr.write(f"robust: {complaint}\n")
    if status:
        raise SystemExit(status)


def attempt(words: Sequence[str]) -> tuple[int, str]:
    """Run a command, and return its exit status and what it complains of in one paragraph."""
    try:
        status = app(standalone_mode=False, args=joined(list(words)), prog_name="robust")
    except RobustLibError as error:
        return 1, str(error)
    except OSError as error:
        return 1, (
            f"A file could not be read or written: {error}. Free some space, or make the folder "
            "writable, and run it again; what was stored before is intact."
        )
    except Exception as error:
        show = getattr(error, "show", None)  # click's own errors: usage, missing arguments
        if show is None:
            raise
        show()
        return 2, ""
    if status == INTERRUPTED:
        return status, "stopped; run it again and it goes on from what is stored."
    return status or 0, ""


@app.command()
def fetch(
    name: Annotated[str | None, typer.Argument(help="A data set; or name a profile.")] = None,
    folder: Path | None = None,
    profile: Annotated[
        str | None, typer.Option("--profile", "-P", help="All that it needs, weights included.")
    ] = None,
    data: DataFolder = None,
    chapters: Annotated[
        list[str] | None, typer.Option(metavar="NAME,...", help="Of the profile; else all.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="hf:OWNER/NAME@REVISION", help="In shards, from the hub."),
    ] = None,
) -> None:
    """Download a data set, or all of a profile's, and check it; says how to get what is left."""
    from robust_book.commands import plan
    from robust_lib.config.manifests import load_dataset
    from robust_lib.fetch import fetch as bring
    from robust_lib.fetch import inventory

    _require_one(name, profile, chapters, "fetch")
    if profile is not None:
        plan.bring(profile, chapters)
        return
    came = bring(str(name), folder=folder, source=source, progress=True)
    typer.echo(f"{name} lies in {came}.")
    manifest = load_dataset(str(name))
    for file in () if source else manifest.files:
        for line in inventory.came(file, came):
            typer.echo(f"{file.name}, {line}")


@app.command()
def data(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Data sets, told at length; else a table of all."),
    ] = None,
    data: DataFolder = None,
) -> None:
    """Say of every file of the data sets: bytes, checksum, where it may be had, the licence."""
    from robust_lib.config.manifests import dataset_names, load_dataset
    from robust_lib.fetch import inventory

    if names:
        for name in names:
            for line in inventory.lines(load_dataset(name), paths.data() / name):
                typer.echo(line)
        return
    for line in inventory.overview(map(load_dataset, dataset_names())):
        typer.echo(line)


@app.command()
def verify(
    name: Annotated[str | None, typer.Argument(help="A data set; or name a profile.")] = None,
    folder: Path | None = None,
    profile: Annotated[
        str | None, typer.Option("--profile", "-P", help="All data sets that it needs.")
    ] = None,
    chapters: Annotated[
        list[str] | None, typer.Option(metavar="NAME,...", help="Of the profile; else all.")
    ] = None,
    checksums: bool = False,
    pictures: Annotated[
        bool, typer.Option("--pictures", help="Decode every picture, which may take an hour.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Compare data sets' folders with their manifests: counts, sizes, classes, pictures."""
    from robust_book.commands import plan
    from robust_lib.fetch.listing import forget
    from robust_lib.fetch.verification import verify as look

    _require_one(name, profile, chapters, "verify")
    names = [str(name)] if profile is None else plan.data_sets(profile, chapters)
    forget()
    reports = [
        look(one, folder, checksums=checksums, picture_sizes=True, pictures=pictures, progress=True)
        for one in names
    ]
    for report in reports:
        for line in report.notes:
            typer.echo(line if profile is None else f"{report.name}: {line}")
        if report.ok:
            typer.echo(f"{report.name} is complete.")
    problems = [str(report.complaint) for report in reports if not report.ok]
    if problems:
        raise DataError("\n".join(problems))


def _require_one(
    name: str | None, profile: str | None, chapters: list[str] | None, command: str
) -> None:
    """Raise InputError unless a data set or a profile is named, and chapters with a profile."""
    if (name is None) == (profile is None) or (chapters and profile is None):
        raise InputError(
            f"Expected a data set or --profile, one of both, such as `{command} icons`; --chapters "
            "are those of a profile."
        )


@app.command()
def overlap(
    corruptions: Annotated[list[str], typer.Argument(metavar="CORRUPTION...")],
    profile: ProfileName,
    corruption_file: Annotated[
        str | None, typer.Option(metavar="FILE.py:FUNCTION", help="A corruption of yours.")
    ] = None,
    seeds: int | None = None,
    data: DataFolder = None,
    device: Device = None,
) -> None:
    """Say whether a benchmark of some corruptions is balanced, and what it covers."""
    from robust_book.chapters import overlap_1_matrix
    from robust_book.chapters.overlap import by_architecture, counted
    from robust_book.chapters.overlap_2_balance_and_cover.numbers import HEADINGS
    from robust_lib.protocols.overlap import benchmark, judged
    from robust_lib.run.start import start

    run = start(
        overlap_1_matrix.CHAPTER, profile, corruption_file=corruption_file, seeds=seeds,
        device=device,
    )  # fmt: skip
    members = benchmark.members(corruptions, run.corruptions)
    found_by = judged(by_architecture(run.grid()), samples=run.profile.bootstrap)
    overlaps = benchmark.average(found_by)
    for title, found in (
        ("The benchmark", benchmark.balance(overlaps, members)),
        ("What it lacks", benchmark.coverage(overlaps, members)),
    ):
        frame = found.rename(columns=HEADINGS).astype(object).where(found.notna().to_numpy(), "–")
        typer.echo(f"{title}\n{frame.to_string(float_format='{:.2f}'.format)}\n")
    typer.echo(f"{counted(found_by)}. A – has no pair that can be judged in each architecture.")


@app.command()
def corrupt(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Class folders with pictures.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="New, empty, or begun before.")],
    corruptions: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME...", help="Names or families; `common` (the default) or `all`."),
    ] = None,
    severities: Annotated[
        list[int] | None, typer.Option(metavar="LEVEL...", help="Of 1 to 5; else all.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; else one a core.")] = None,
    seed: int = 0,
    limit: Annotated[int | None, typer.Option(help="Take this many pictures.")] = None,
    resize: Annotated[str, typer.Option(help="Pixels of the shorter side, or none.")] = "256",
    crop: Annotated[str, typer.Option(help="Pixels of the central square, or none.")] = "224",
    batch: Annotated[int, typer.Option(help="Pictures that a process holds at once.")] = 8,
) -> None:
    """Write an ImageNet-C from any folder of pictures; call it again to go on after a stop."""
    from robust_lib.datasets.archive_writer import write as write_imagenet_c
    from robust_lib.preprocessing import Preprocessing

    written = write_imagenet_c.write(
        source,
        target,
        corruptions=corruptions or ["common"],
        severities=severities or (1, 2, 3, 4, 5),
        geometry=Preprocessing(_pixels("resize", resize), _pixels("crop", crop)),
        seed=seed,
        limit=limit,
        workers=os.cpu_count() or 1 if workers is None else workers,
        batch=batch,
        progress=True,
    )
    typer.echo(f"{target}: {written.sentence}")


def _pixels(what: str, text: str) -> int | None:
    if text == "none":
        return None
    if not text.isdecimal():
        raise InputError(f"Expected --{what} to be a number of pixels, or none, but got {text}.")
    return int(text)


for each in (steps.draw, steps.train, steps.predict, steps.run, steps.runs, steps.site, steps.book):
    app.command()(each)
app.command("filter")(filter.filter_candidates)
app.command()(filter.review)
app.command()(candidates.candidates)
app.command()(annotate.annotate)
app.command()(frames.frames)
app.command()(course.course)
app.command()(steps.pdf)
app.command()(steps.release)
app.command()(passport.passport)
app.command()(passport.export)
app.command()(frames.review_pairs)


@app.command()
def plan(
    profile: ProfileName,
    chapters: Annotated[
        list[str] | None, typer.Argument(metavar="CHAPTER...", help="By default all.")
    ] = None,
    data: DataFolder = None,
    gpus: Annotated[int, typer.Option(help="GPUs to tell the hours of, beside one.")] = 8,
) -> None:
    """Say what chapters need, what is there, what is missing, and how long they take."""
    from robust_book.commands import plan as before  # imports torch

    before.show(profile, chapters, gpus)


@app.command()
def report(
    profile: ProfileName,
    arithmetic: Annotated[
        bool, typer.Option("--arithmetic", help="The numbers behind every verdict, too.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Print what became of the papers' claims: a line each, the paper's numbers and ours."""
    from robust_book.commands import report as claims

    for line in claims.lines(profile, arithmetic=arithmetic):
        typer.echo(line)


@app.command()
def gates(
    profile: ProfileName,
    ask: Annotated[
        bool,
        typer.Option("--ask", help="Show clean images to public networks that no chapter did."),
    ] = False,
    device: Device = None,
    chapters: Annotated[
        list[str] | None, typer.Option(metavar="NAME,...", help="Whose results; else all.")
    ] = None,
    data: DataFolder = None,
) -> None:
    """Hold the results against every number that others published; exit 1 if one fails."""
    from robust_book.commands import gates as public
    from robust_book.commands.plan import named

    if ask:
        typer.echo(f"{public.ask(profile, device)} networks asked.")
    public.require_results(profile)
    judged = public.found(profile, chapters=named(chapters))
    for line in public.lines(judged):
        typer.echo(line)
    raise typer.Exit(public.status(judged))


@app.command()
def regenerated(
    profile: ProfileName,
    models: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help="Networks; else the chapter's.")
    ] = None,
    corruptions: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help="Else the profile's.")
    ] = None,
    severities: Annotated[
        list[int] | None, typer.Option(metavar="LEVEL...", help="Of 1 to 5; else all.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Take this many pictures.")] = None,
    device: Device = None,
    data: DataFolder = None,
) -> None:
    """Compare ImageNet-C made here with the archive: each network, each cell, paired by picture."""
    from robust_book.commands import regenerated as both

    table, written = both.compare(
        profile,
        models=models,
        corruptions=corruptions,
        severities=severities,
        limit=limit,
        device=device,
    )
    for line in both.lines(table):
        typer.echo(line)
    typer.echo(f"Every network and cell: {written}")


@app.command()
def measured(
    name: str,
    notebook: str,
    title: Annotated[str, typer.Option()],
    profile: ProfileName,
    kind: str = "networks",
    data: DataFolder = None,
) -> None:
    """Write a table of a run to data_manifests/measured, to be committed."""
    from robust_book.commands.commit_table import write

    typer.echo(f"Written: {write(name, profile, notebook, title=title, kind=kind)}")
