"""The commands `robust filter` and `robust review`: candidates in, a reviewed list out."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from robust_book.commands.command_line import DataFolder, Device, ProfileName
from robust_lib import paths
from robust_lib.errors import DataError, InputError


def filter_candidates(
    candidates: Annotated[Path, typer.Argument(help="Class folders for imagenet-a, else any.")],
    models: Annotated[list[str], typer.Option(metavar="NAME...", help="The filters.")],
    rule: Annotated[Literal["imagenet-a", "imagenet-o"], typer.Option(help="Whose steps.")],
    profile: ProfileName,
    classes: Annotated[str | None, typer.Option(help="A class list, such as imagenet_a.")] = None,
    out: Annotated[Path, typer.Option(help="Where decisions go.")] = Path("manifest.csv"),
    confidence: Annotated[
        float | None, typer.Option(help="Fraction; else 0.15 (A) or 0.8 (O).")
    ] = None,
    most: Annotated[
        int | None, typer.Option(help="Kept a confusion, else 15 (A); a class, else all (O).")
    ] = None,
    device: Device = None,
    batch: Annotated[int, typer.Option(help="Pictures a forward pass.")] = 64,
    data: DataFolder = None,
) -> None:
    """Choose the pictures that fool classifiers; call it again to go on after a stop."""
    if rule == "imagenet-o" and len(models) > 1:
        raise InputError(
            f"Expected one model for the rule imagenet-o, but got {len(models)}. Name one of them."
        )
    if not candidates.is_dir():
        raise DataError(f"Expected a folder of pictures at {candidates}, but there is none.")
    from robust_book.commands import named_models
    from robust_lib.cache import Store
    from robust_lib.config.profiles import changed, load_profile
    from robust_lib.curation import decisions, filtration, pool

    store = Store(paths.cache())
    chosen = changed(load_profile(profile), device=device)
    known = named_models.classes_of_filters(chosen, classes, models, store)
    read = pool.labelled if rule == "imagenet-a" else pool.unlabelled
    pictures = read(candidates, known)
    filters = named_models.filters(chosen, models, known, store)
    given = {"confidence": confidence, "most": most}
    found = filtration.by_rule(
        rule,
        pictures,
        filters,
        store=store,
        batch_size=batch,
        progress=True,
        **{name: value for name, value in given.items() if value is not None},
    )
    decisions.save(found, out)
    for step, count in found.funnel().loc["total"].items():
        typer.echo(f"{count:>8} {step}")
    for note in pictures.notes:
        typer.echo(f"Note: {note}")
    typer.echo(f"Written: {out}")


def review(
    folder: Annotated[Path, typer.Argument(help="Folder of pictures.")],
    manifest: Annotated[
        Path | None, typer.Option(help="Of `robust filter`: its shortlisted pictures alone.")
    ] = None,
    read: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="Decisions saved by reviewers.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The sheet, or the table of decisions; else in FOLDER.")
    ] = None,
) -> None:
    """Write a sheet on which people keep or drop pictures, or read their decisions back."""
    from robust_lib.curation import decisions, review_sheet, reviews

    if manifest is None:
        sheet = review_sheet.of_folder(folder)
    else:
        sheet = review_sheet.of_filtration(folder, decisions.load(manifest))
    if not read:
        path = out or folder / "review.html"
        sheet.write(path)
        typer.echo(f"{len(sheet.files)} pictures to review: open {path} in a browser.")
        return
    reviewed = reviews.read(sheet, read)
    path = out or folder / "reviewed.csv"
    reviewed.save(path)
    typer.echo(f"{reviewed.summary()}\nWritten: {path}")
