"""The command `robust`: data, corrupted copies, training, predictions, notebooks, the site."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from robust_lib import paths
from robust_lib.commands import filter
from robust_lib.commands.arguments import joined
from robust_lib.commands.options import ProfileName
from robust_lib.errors import InputError, RobustLibError, RunError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
INTERRUPTED = 130  # what the typer library returns for Ctrl-C


Parameters = Annotated[
    list[str] | None,
    typer.Option("-p", help="NAME VALUE, as in papermill; VALUE may be YAML: '[1, 3]'."),
]


def main() -> None:
    """Run the command; an error of the library is one paragraph and exit status 1."""
    try:
        status = app(standalone_mode=False, args=joined(sys.argv[1:]), prog_name="robust")
    except RobustLibError as error:
        sys.stderr.write(f"robust: {error}\n")
        raise SystemExit(1) from None
    except OSError as error:
        sys.stderr.write(
            f"robust: A file could not be read or written: {error}. Free some space, or make the "
            "folder writable, and run it again; what was stored before is intact.\n"
        )
        raise SystemExit(1) from None
    except Exception as error:
        show = getattr(error, "show", None)  # click's own errors: usage, missing arguments
        if show is None:
            raise
        show()
        raise SystemExit(2) from None
    if status == INTERRUPTED:
        sys.stderr.write("robust: stopped; run it again and it goes on from what is stored.\n")
    if status:
        raise SystemExit(status)


@app.command()
def fetch(name: str, folder: Path | None = None) -> None:
    """Download a data set and check it; says how to get what may not be downloaded."""
    from robust_lib.fetch import fetch as bring

    typer.echo(f"{name} lies in {bring(name, folder=folder, progress=True)}.")


@app.command()
def verify(name: str, folder: Path | None = None, checksums: bool = False) -> None:
    """Compare a data set's folder with its manifest: counts, sizes, class folders, checksums."""
    from robust_lib.fetch.verification import verify as look

    report = look(name, folder, checksums=checksums)
    for line in report.notes:
        typer.echo(line)
    report.require()
    typer.echo(f"{name} is complete.")


@app.command()
def train(
    networks: Annotated[
        list[str],
        typer.Argument(metavar="NETWORK...", help="NAME, NAME+CORRUPTION, NAME@HOLD-OUT."),
    ],
    profile: ProfileName,
    chapter: Annotated[str, typer.Option(help="Whose networks they are.")] = "inc_2_mce",
    seed: int = 0,
    device: str = "cpu",
) -> None:
    """Train networks of a chapter one after the other; those trained already are found."""
    from dataclasses import replace

    from robust_lib import chapters
    from robust_lib.run.chapter import plain
    from robust_lib.run.start import start
    from robust_lib.training import zoo

    record = replace(chapters.chapter(chapter), variants=plain, baseline=False)
    run = start(record, profile, models=networks, seeds=[seed], device=device)
    for network in run.networks:
        zoo.plan(network.model)
    for made in run.trained():
        typer.echo(
            f"{made.model.name}, seed {seed}: {100 * made.curves.accuracy[-1]:.1f} % right on its "
            f"last training epoch, fingerprint {made.model.fingerprint[:12]}."
        )


@app.command()
def world(
    profile: ProfileName,
    roles: Annotated[
        list[str] | None, typer.Argument(help="Roles of data sets; by default all of the profile.")
    ] = None,
) -> None:
    """Fetch the art of a miniature profile, compose its scenes and draw contact sheets."""
    from robust_lib.commands.draw import compose
    from robust_lib.run.chapter import Chapter
    from robust_lib.run.start import start

    for line in compose(start(Chapter("world"), profile), roles):
        typer.echo(line)


@app.command()
def predict(
    chapters: Annotated[
        list[str], typer.Argument(metavar="CHAPTER...", help="Several, if they see one image set.")
    ],
    profile: ProfileName,
    corruptions: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help="`clean` is no corruption.")
    ] = None,
    roles: Annotated[
        list[str] | None, typer.Option(metavar="ROLE...", help="Of data sets, shown as they are.")
    ] = None,
    seeds: int | None = None,
) -> None:
    """Predict what chapters show their networks: some corruptions, or images of some roles."""
    from functools import reduce

    from robust_lib.chapters import chapter
    from robust_lib.run.run import Run
    from robust_lib.run.start import start

    records = [chapter(name) for name in chapters]
    if corruptions:
        names = [name for name in corruptions if name != "clean"]
        runs = [start(record, profile, corruptions=names, seeds=seeds) for record in records]
        grid = reduce(Run.with_networks_of, runs).grid()
        typer.echo(f"{len(grid.models)} models, {grid.images} images: {', '.join(corruptions)}.")
    run = start(records[0], profile, seeds=seeds)
    for role in roles or ():
        found = run.predict(role, run.chapter.classes_of(role))
        typer.echo(f"{len(found.predictions)} models, {found.n} images: {role}.")


@app.command()
def overlap(
    corruptions: Annotated[list[str], typer.Argument(metavar="CORRUPTION...")],
    profile: ProfileName,
    own: Annotated[
        str | None, typer.Option(metavar="FILE.py:FUNCTION", help="A corruption of yours.")
    ] = None,
    seeds: int | None = None,
) -> None:
    """Say whether a benchmark of some corruptions is balanced, and what it covers."""
    from robust_lib.chapters import overlap_1_matrix
    from robust_lib.chapters.overlap import by_architecture
    from robust_lib.chapters.overlap_2_balance_and_cover.tables import HEADINGS
    from robust_lib.protocols.overlap import benchmark
    from robust_lib.run.start import start

    run = start(overlap_1_matrix.CHAPTER, profile, corruption_file=own, seeds=seeds)
    members = benchmark.members(corruptions, run.corruptions)
    overlaps = benchmark.average(by_architecture(run.grid()))
    for title, found in (
        ("The benchmark", benchmark.balance(overlaps, members)),
        ("What it lacks", benchmark.coverage(overlaps, members)),
    ):
        frame = found.rename(columns=HEADINGS)
        typer.echo(f"{title}\n{frame.to_string(float_format='{:.2f}'.format)}\n")


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


app.command("filter")(filter.filter_candidates)
app.command()(filter.review)


@app.command()
def run(
    notebook: str,
    profile: ProfileName,
    p: Parameters = None,
) -> None:
    """Execute a notebook with papermill; unknown parameters are refused before it starts."""
    from robust_lib.commands.execute import execute

    given = dict(_parameter(text) for text in p or [])
    typer.echo(f"Executed: {execute(notebook, profile, given)}")


def _parameter(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, yaml.safe_load(value)
    except yaml.YAMLError:
        raise InputError(
            f"Expected a value for {name} that is YAML, such as 3, fog or '[1, 3]', but got "
            f"{value}. Put a list between quotes."
        ) from None


@app.command()
def site(profile: ProfileName) -> None:
    """Render the site from the executed notebooks of a profile."""
    from robust_lib.commands.site import build

    typer.echo(f"The site is {build(profile) / 'index.html'}.")


@app.command()
def report(profile: ProfileName) -> None:
    """Print the verdicts of a profile: the paper's number, ours, and how they compare."""
    folder = paths.profile(profile) / "results"
    files = sorted(folder.glob("*.json"))
    if not files:
        raise RunError(
            f"Expected results of the profile {profile} in {folder}, but there are none. `make "
            f"book PROFILE={profile}` computes them."
        )
    for file in files:
        for item in json.loads(file.read_text("utf-8"))["items"]:
            typer.echo(f"{item['item']:<18} {item['verdict']:<16} {item['title']}")
            for verdict in item["verdicts"]:
                typer.echo(f"    {verdict['arithmetic']}")


@app.command()
def measured(
    name: str,
    notebook: str,
    title: Annotated[str, typer.Option()],
    profile: ProfileName,
    kind: str = "networks",
) -> None:
    """Write a table of a run to data_manifests/measured, to be committed."""
    from robust_lib.commands.commit_table import write

    typer.echo(f"Written: {write(name, profile, notebook, title=title, kind=kind)}")
