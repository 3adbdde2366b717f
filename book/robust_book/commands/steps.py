"""The commands that make the book, step by step or all at once, and those that publish it."""

import json
import os
import shlex
from contextlib import suppress
from typing import Annotated, Any

import typer
import yaml

from robust_book.commands.command_line import (
    Batch,
    DataFolder,
    Device,
    Jobs,
    ProfileName,
    open_in_browser,
)
from robust_book.engine.jobs import Kind
from robust_lib import paths
from robust_lib.errors import InputError

Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "-p", help="Parameter and its value, as in papermill; lists are written in YAML: '[1, 3]'."
    ),
]


WithPictures = Annotated[
    bool,
    typer.Option(
        "--with-pictures",
        help="Show images that may not be redistributed, on pages for private use only.",
    ),
]


def draw(
    profile: ProfileName,
    roles: Annotated[
        list[str] | None,
        typer.Argument(help="Roles of data sets (default: all rendered ones of the profile)."),
    ] = None,
    data: DataFolder = None,
) -> None:
    """Render the images and contact sheets of a miniature profile, after downloading the icons."""
    from robust_book.commands.draw import drawn
    from robust_lib.run.chapter import Chapter
    from robust_lib.run.start import start

    for line in drawn(start(Chapter("draw"), profile), roles):
        typer.echo(line)


def train(
    networks: Annotated[
        list[str],
        typer.Argument(
            metavar="NETWORK...",
            help="Networks: NAME, NAME+CORRUPTION (trained on that corruption) or NAME@HOLD-OUT.",
        ),
    ],
    profile: ProfileName,
    chapter: Annotated[
        str, typer.Option(help="Chapter that defines these network names.")
    ] = "inc_2_mce",
    seed: Annotated[int, typer.Option(help="Training seed.")] = 0,
    device: Device = None,
    data: DataFolder = None,
) -> None:
    """Train networks one after the other; networks that are already trained are reused."""
    from robust_book.commands.taken import training_run
    from robust_lib.run.chapter import finds_boxes
    from robust_lib.run.detectors import trained_detectors
    from robust_lib.training import zoo

    run = training_run(networks, profile, chapter, seed, device)
    for network in run.networks:
        zoo.plan(network.model)
    finders = [network for network in run.networks if finds_boxes(network)]
    for found in trained_detectors(run.profile, finders, run.store):
        typer.echo(
            f"{found.model.name}, seed {seed}: loss {found.curves.loss[-1]:.2f} in the last "
            f"training epoch, fingerprint {found.model.fingerprint[:12]}."
        )
    for made in run.trained([network for network in run.networks if network not in finders]):
        typer.echo(
            f"{made.model.name}, seed {seed}: {100 * made.curves.accuracy[-1]:.1f} % of the "
            "images correct in the last training epoch, fingerprint "
            f"{made.model.fingerprint[:12]}."
        )


def predict(
    chapters: Annotated[
        list[str],
        typer.Argument(metavar="CHAPTER...", help="Chapters, which must use the same images."),
    ],
    profile: ProfileName,
    corruptions: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME...",
            help="Corruptions, or `clean` for none (default: those of the chapters).",
        ),
    ] = None,
    roles: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE...",
            help="Roles of data sets to classify uncorrupted (default: those of the chapters).",
        ),
    ] = None,
    boxes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE...",
            help="Roles of data sets to run detectors on (default: those of the chapters).",
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="Number of training seeds per network (default: the profile's)."),
    ] = None,
    data: DataFolder = None,
    device: Device = None,
) -> None:
    """Compute and cache the predictions that chapters need."""
    from dataclasses import replace
    from functools import reduce

    from robust_book.chapters import chapter
    from robust_lib.run.networks import lacking
    from robust_lib.run.run import Run
    from robust_lib.run.start import start

    names = [name for name in corruptions or () if name != "clean"]
    records = [chapter(name) for name in chapters]
    if names:
        start(records[0], profile, corruptions=names, device=device)  # which refuses unknown ones
    runs = [start(record, profile, seeds=seeds, device=device) for record in records]
    if corruptions:
        # All networks see each corruption, those that were trained with another one, too.
        asked = replace(reduce(Run.with_networks_of, runs), corruptions=tuple(names))
        others = [network for network in asked.networks if network not in runs[0].networks]
        without = lacking(asked.profile, others, asked.images, asked.store)
        for network, why in without.items():
            # Its own chapter says so, too; no other one shall wait for it.
            typer.echo(f"{network} is left out: {why}")
        kept = [network for network in asked.networks if network not in without]
        asked = replace(asked, networks=tuple(kept))
        grid = asked.grid(clean="clean" in corruptions)
        images = len(next(iter((*grid.clean.values(), *grid.cells.values())))[0].ids)
        models = {*grid.clean, *(model for model, _, _ in grid.cells)}
        typer.echo(f"{len(models)} models, {images} images: {', '.join(corruptions)}.")
    networks = list(dict.fromkeys(network for run in runs for network in run.networks))
    for role in roles or ():
        found = runs[0].predict(role, records[0].classes_of(role), networks)
        typer.echo(f"{len(found.predictions)} models, {found.n} images: {role}.")
    for role in boxes or ():
        by_name = runs[0].detect(role, networks)
        typer.echo(
            f"{len(by_name)} detectors, {len(next(iter(by_name.values()))[0])} images: {role}."
        )


def run(
    notebook: Annotated[str, typer.Argument(help="Chapter, such as inc_2_mce.")],
    profile: ProfileName,
    p: Parameters = None,
    into_book: Annotated[
        bool,
        typer.Option(help="Replace the book's run even if the parameters are not the profile's."),
    ] = False,
    open_page: Annotated[
        bool,
        typer.Option("--open", help="Render the page of this run and open it in a browser."),
    ] = False,
    batch: Batch = None,
    jobs: Jobs = 1,
    with_pictures: WithPictures = False,
    data: DataFolder = None,
    device: Device = None,
) -> None:
    """Execute a notebook with papermill, after checking its parameters."""
    from robust_book.commands import site
    from robust_book.commands.execute import execute

    given = dict(_parameter(text) for text in p or [])
    if device is not None:
        given["device"] = device
    if open_page:
        site.require_renderer()
    made = execute(
        notebook, profile, given, into_book=into_book, with_pictures=with_pictures, batch=batch,
        jobs=jobs,
    )  # fmt: skip
    typer.echo(f"Executed: {made}")
    record = made.parents[1] / "results" / f"{made.stem}.json"
    for line in json.loads(record.read_bytes()).get("notes", ()) if record.exists() else ():
        typer.echo(line)
    if made.parents[2] == paths.runs() and not open_page:
        offer = "--open renders a page, " if site.can_render() else ""
        typer.echo(
            f"The book keeps its own run of this chapter: {offer}--into-book replaces the book's "
            "run."
        )
    if open_page:
        page = site.build(made.parents[1], [made.stem]) / f"{made.stem}.html"
        typer.echo(f"The page is {page}.")
        open_in_browser(page)


def runs() -> None:
    """List all runs except those of the book, the most recent first."""
    from robust_lib.run import experiments

    for one in experiments.found():
        asked = experiments.changed(one.notebook, one.profile, one.parameters)
        given = " ".join(f"{name}={value}" for name, value in asked.items())
        typer.echo(f"{one.name}  {one.date or 'failed'}  {one.profile}  {given}")


def _parameter(text: str) -> tuple[str, Any]:
    """Return a parameter as papermill's -p reads it, with lists and switches in YAML."""
    name, _, value = text.partition("=")
    if value == "None":
        return name, None
    with suppress(ValueError):
        return name, float(value) if {*".eE"} & {*value} else int(value)
    try:
        return name, yaml.safe_load(value)
    except yaml.YAMLError:
        raise InputError(
            f"Expected a value for {name} that is YAML, such as 3, fog or '[1, 3]', but got "
            f"{value}. Put quotes around a list."
        ) from None


def site(
    profile: ProfileName,
    chapters: Annotated[
        list[str] | None,
        typer.Argument(metavar="CHAPTER...", help="Chapters (default: all that were executed)."),
    ] = None,
    so_far: Annotated[
        bool,
        typer.Option(help="Render the chapters that are finished so far, if any of them is new."),
    ] = False,
    data: DataFolder = None,
) -> None:
    """Render the site from the executed notebooks of a profile."""
    from robust_book.commands import site

    home = paths.profile(profile)
    made = site.so_far(home) if so_far else site.build(home, chapters or ())
    typer.echo(f"The site is {made / 'index.html'}." if made else "Nothing new to show.")


def book(
    profile: ProfileName,
    chapters: Annotated[
        list[str] | None, typer.Argument(metavar="CHAPTER...", help="Chapters (default: all).")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="Number of training seeds per network (default: the profile's)."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of parallel jobs (default: one per core; with --cluster, the number in "
            "the cluster's profile)."
        ),
    ] = None,
    gpus: Annotated[
        int | None,
        typer.Option(help="Number of GPUs to use, one job on each (default: jobs share one)."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Type of cluster to submit jobs to: slurm (default: none; see run.md)."),
    ] = None,
    until: Annotated[
        Kind, typer.Option(help="Last type of job to run: draw, train, predict, notebook or site.")
    ] = "site",
    engine: Annotated[
        str, typer.Option(help="Further options for snakemake, as one string (default: none).")
    ] = "",
    with_pictures: WithPictures = False,
    networks: Annotated[
        str | None,
        typer.Option(
            metavar="PACK",
            help="Pack of trained networks to use instead of training: file, folder or address.",
        ),
    ] = None,
    retrain: Annotated[
        int,
        typer.Option(
            min=0,
            help="Number of networks from the pack to train again and compare with those in it.",
        ),
    ] = 0,
    data: DataFolder = None,
) -> None:
    """Make the book: compute every result that is missing or out of date, and render the site.

    At the end, compare the results with published numbers for the same public weights.
    """
    from robust_book.commands import gates
    from robust_book.commands.book import SIGNALLED, make

    failed, left_out = make(
        profile,
        seeds=seeds,
        cores=(None if cluster else os.cpu_count() or 1) if jobs is None else jobs,
        gpus=gpus,
        cluster=cluster,
        chapters=[name for text in chapters or () for name in text.split(",")],
        until=until,
        options=shlex.split(engine),
        with_pictures=with_pictures,
        networks=networks,
        retrain=retrain,
    )
    if failed > SIGNALLED:
        raise SystemExit(failed)  # it has said already how to go on
    judged = 0
    if not failed and until == "site":
        judged, told = gates.ending(profile)
        for line in told:
            typer.echo(line)
    raise typer.Exit(failed or judged or int(left_out))


def pdf(
    profile: ProfileName,
    data: DataFolder = None,
) -> None:
    """Print a rendered site to one PDF file; requires Chromium and chromedriver."""
    from robust_book.commands.pdf import make

    made = make(paths.profile(profile), told=lambda line: typer.echo(line))
    typer.echo(f"The book is {made}.")


def release(
    profile: ProfileName,
    data: DataFolder = None,
) -> None:
    """Write a release to one folder: packages, site, PDF, results, RO-Crate, checksums.

    Nothing is uploaded. The checkout must be clean, and the changelog must date the version.
    """
    from robust_book.commands import release as releases

    made = releases.make(profile, told=lambda line: typer.echo(line))
    typer.echo(f"The release is {made}. Nothing was uploaded.")
    typer.echo(f"Next: run git tag v{made.name.rpartition('-')[2]}, and upload the folder.")
