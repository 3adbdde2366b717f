"""The command `robust`: data, corrupted copies, training, predictions, notebooks, the site."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from robust_book.commands import (
    annotate,
    candidates,
    corrupt,
    course,
    filter,
    frames,
    passport,
    steps,
)
from robust_book.commands.command_line import DataFolder, Device, ProfileName, joined
from robust_lib import paths
from robust_lib.errors import (
    NO_MEMORY,
    DataError,
    InputError,
    RobustLibError,
    out_of_memory,
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="""Reproduce five robustness papers, and evaluate your own models and data.

    robust book --profile smoke               make a small book in minutes\n
    robust passport resnet18 --profile smoke  write a report on one model\n
    robust corrupt IN OUT                     corrupt your images as in ImageNet-C""",
)
INTERRUPTED = 130  # what the typer library returns for Ctrl-C


def main() -> None:
    """Run the command; an error of the library is one paragraph and exit status 1."""
    status, complaint = attempt(sys.argv[1:])
    if complaint:
        sys.stderr.write(f"robust: {complaint}\n")
    if status:
        raise SystemExit(status)


def attempt(words: Sequence[str]) -> tuple[int, str]:
    """Run a command, and return its exit status and its error message in one paragraph."""
    try:
        status = app(standalone_mode=False, args=joined(list(words)), prog_name="robust")
    except RobustLibError as error:
        return 1, str(error)
    except OSError as error:
        return 1, unwritable(error)
    except Exception as error:
        if out_of_memory(type(error).__name__, str(error)):
            return 1, NO_MEMORY
        show = getattr(error, "show", None)  # click's own errors: usage, missing arguments
        if show is None:
            raise
        show()
        return 2, ""
    if status == INTERRUPTED:
        return status, "stopped; run the same command again to continue from the stored results."
    return status or 0, ""


def unwritable(error: OSError) -> str:
    """Return the remedy for a file that could not be read or written."""
    return (
        f"A file could not be read or written: {error}. Free some space, or make the folder "
        "writable, and run the command again; earlier results are intact."
    )


def fetch(
    name: Annotated[str | None, typer.Argument(help="Data set (omit it with --profile).")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder to write to (default: a subfolder of --data).")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", "-P", help="Profile whose data sets and weights to fetch."),
    ] = None,
    data: DataFolder = None,
    chapters: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Chapters of the profile (default: all)."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="hf:OWNER/NAME@REVISION",
            help="Hugging Face repository that contains shards of the data set (default: none).",
        ),
    ] = None,
) -> None:
    """Download and check one data set, or all data sets and weights of a profile."""
    from robust_book.commands import plan
    from robust_lib.config.manifests import load_dataset
    from robust_lib.fetch import fetch as bring
    from robust_lib.fetch import inventory

    _require_one(name, profile, chapters, "fetch")
    if profile is not None:
        plan.bring(profile, chapters)
        return
    came = bring(str(name), folder=folder, source=source, progress=True)
    typer.echo(f"{name} is in {came}.")
    manifest = load_dataset(str(name))
    for file in () if source else manifest.files:
        for line in inventory.came(file, came):
            typer.echo(f"{file.name}, {line}")


def data(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...", help="Data sets to describe in detail (default: a table of all)."
        ),
    ] = None,
    data: DataFolder = None,
) -> None:
    """List the data sets, or the files, checksums, sources and licences of some of them."""
    from robust_lib.config.manifests import dataset_names, load_dataset
    from robust_lib.fetch import inventory

    if names:
        for name in names:
            for line in inventory.lines(load_dataset(name), paths.data() / name):
                typer.echo(line)
        return
    for line in inventory.overview(map(load_dataset, dataset_names())):
        typer.echo(line)


def verify(
    name: Annotated[str | None, typer.Argument(help="Data set (omit it with --profile).")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder to check (default: a subfolder of --data).")
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", "-P", help="Profile whose data sets to verify.")
    ] = None,
    chapters: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Chapters of the profile (default: all)."),
    ] = None,
    checksums: Annotated[
        bool, typer.Option("--checksums", help="Also compare the checksums of all files.")
    ] = False,
    pictures: Annotated[
        bool, typer.Option("--pictures", help="Decode every image, which may take an hour.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Check the folders of data sets against their manifests."""
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
            "Expected either a data set or --profile, and --chapters only with --profile, but got "
            f"another combination. Type, for example, `robust {command} icons` or `robust "
            f"{command} --profile smoke`."
        )


def overlap(
    corruptions: Annotated[
        list[str], typer.Argument(metavar="CORRUPTION...", help="Corruptions in the benchmark.")
    ],
    profile: ProfileName,
    corruption_file: Annotated[
        str | None,
        typer.Option(metavar="FILE.py:FUNCTION", help="Your own corruption (default: none)."),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="Number of training seeds per network (default: the profile's)."),
    ] = None,
    data: DataFolder = None,
    device: Device = None,
) -> None:
    """Measure how balanced a benchmark of corruptions is, and which other corruptions it covers."""
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
    typer.echo(
        f"{counted(found_by)}. A dash (–) marks a corruption of which no pair can be judged in "
        "every architecture."
    )


def plan(
    profile: ProfileName,
    chapters: Annotated[
        list[str] | None, typer.Argument(metavar="CHAPTER...", help="Chapters (default: all).")
    ] = None,
    data: DataFolder = None,
    gpus: Annotated[
        int, typer.Option(help="Number of GPUs for which hours are estimated in the last column.")
    ] = 8,
) -> None:
    """List the data and weights that chapters need, which are missing, and the running times."""
    from robust_book.commands import plan as before  # imports torch

    before.show(profile, chapters, gpus)


def report(
    profile: ProfileName,
    arithmetic: Annotated[
        bool, typer.Option("--arithmetic", help="Also print the numbers behind every verdict.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Print the verdict on each claim of the papers, with the published and measured numbers."""
    from robust_book.commands import report as claims

    for line in claims.lines(profile, arithmetic=arithmetic):
        typer.echo(line)


def gates(
    profile: ProfileName,
    ask: Annotated[
        bool,
        typer.Option(
            "--ask",
            help="First evaluate, on clean images, the public networks that no chapter evaluates.",
        ),
    ] = False,
    device: Device = None,
    chapters: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Chapters whose results to check (default: all)."),
    ] = None,
    data: DataFolder = None,
) -> None:
    """Compare results with published numbers for the same weights; exit with 1 if any differs."""
    from robust_book.commands import gates as public
    from robust_book.commands.plan import named

    if ask:
        typer.echo(f"{public.ask(profile, device)} networks evaluated.")
    public.require_results(profile)
    judged = public.found(profile, chapters=named(chapters))
    for line in public.lines(judged):
        typer.echo(line)
    raise typer.Exit(public.status(judged))


def regenerated(
    profile: ProfileName,
    models: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME...", help="Networks (default: those of chapter inc_2_mce)."),
    ] = None,
    corruptions: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME...", help="Corruptions (default: the profile's)."),
    ] = None,
    severities: Annotated[
        list[int] | None,
        typer.Option(metavar="LEVEL...", help="Severities from 1 to 5 (default: all)."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Number of images to use per condition (default: all).")
    ] = None,
    device: Device = None,
    data: DataFolder = None,
) -> None:
    """Compare ImageNet-C generated here with the published archive, image by image."""
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
    typer.echo(f"Results for every network and condition: {written}")


def measured(
    name: Annotated[str, typer.Argument(help="Name of the table's file.")],
    notebook: Annotated[str, typer.Argument(help="Chapter whose results to tabulate.")],
    title: Annotated[str, typer.Option(help="Title of the table.")],
    profile: ProfileName,
    kind: Annotated[
        str, typer.Option(help="Name of one of the tables that the chapter defines.")
    ] = "networks",
    data: DataFolder = None,
) -> None:
    """Write a table of a run to data_manifests/measured, to be committed."""
    from robust_book.commands.commit_table import write

    typer.echo(f"Written: {write(name, profile, notebook, title=title, kind=kind)}")


# What one wants, then the commands for it, each with an example that runs in a copy of the project.
COMMANDS = {
    "Make the book": (
        (steps.book, "robust book 00_tour inc_2_mce --profile smoke"),
        (plan, "robust plan inc_2_mce --profile full"),
        (steps.run, "robust run inc_2_mce --profile smoke -p severities '[1, 3]'"),
        (steps.runs, "robust runs"),
        (steps.site, "robust site --profile smoke"),
        (report, "robust report --profile smoke"),
        (steps.pdf, "robust pdf --profile smoke"),
    ),
    "Evaluate my model": (
        (passport.passport, "robust passport resnet18 --profile smoke"),
        (passport.export, "robust export resnet18 --profile smoke -o resnet18.parquet"),
        (overlap, "robust overlap fog snow pixelate --profile smoke"),
    ),
    "Data": (
        (data, "robust data imagenet_a"),
        (fetch, "robust fetch icons"),
        (verify, "robust verify icons"),
        (
            corrupt.corrupt,
            "robust corrupt my_pictures my_c --corruptions fog --severities 1 3 5",
        ),
    ),
    "Select and review images": (
        (filter.filter_candidates, "robust filter my_pictures --rule imagenet-a --models resnet50"),
        (filter.review, "robust review my_pictures"),
        (candidates.candidates, "robust candidates my_pictures --detector efficientdet_d7"),
        (annotate.annotate, "robust annotate my_pictures --candidates candidates.json"),
        (frames.frames, "robust frames my_videos my_frames"),
        (frames.review_pairs, "robust review-pairs my_frames"),
    ),
    "Maintain": (
        (steps.draw, "robust draw scenes_val --profile smoke"),
        (steps.train, "robust train resnet18 --profile smoke"),
        (steps.predict, "robust predict inc_2_mce --profile smoke --corruptions fog"),
        (gates, "robust gates --profile smoke"),
        (regenerated, "robust regenerated --profile full --corruptions fog"),
        (measured, "robust measured my_table inc_2_mce --title 'Three seeds' --profile mini"),
        (steps.release, "robust release --profile smoke"),
    ),
}

for panel, commands in COMMANDS.items():
    for command, example in commands:
        name = example.split()[1]
        app.command(name, rich_help_panel=panel, epilog=f"Example: {example}")(command)
app.add_typer(course.app, name="course", rich_help_panel="Teach")
