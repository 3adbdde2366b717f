"""The commands `robust filter` and `robust review`: from candidates to a reviewed list."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from robust_book.commands.command_line import DataFolder, Device, ProfileName
from robust_lib import paths
from robust_lib.errors import DataError, InputError


def filter_candidates(
    candidates: Annotated[
        Path,
        typer.Argument(
            help="Folder of candidates: class folders for imagenet-a, any folder for imagenet-o."
        ),
    ],
    models: Annotated[
        list[str], typer.Option(metavar="NAME...", help="Networks that filter the images.")
    ],
    rule: Annotated[
        Literal["imagenet-a", "imagenet-o"],
        typer.Option(help="Selection rule: that of ImageNet-A or of ImageNet-O."),
    ],
    profile: ProfileName,
    classes: Annotated[
        str | None, typer.Option(help="Class list, such as imagenet_a (default: the rule's).")
    ] = None,
    out: Annotated[Path, typer.Option(help="File to write decisions to.")] = Path("manifest.csv"),
    confidence: Annotated[
        float | None,
        typer.Option(help="Confidence threshold, from 0 to 1 (default: 0.15 for A, 0.8 for O)."),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of images per confusion (A, default: 15) or per class (O, "
            "default: all)."
        ),
    ] = None,
    device: Device = None,
    batch: Annotated[int, typer.Option(help="Number of images per forward pass.")] = 64,
    data: DataFolder = None,
) -> None:
    """Select the images that classifiers misclassify; repeat the command to resume."""
    if rule == "imagenet-o" and len(models) > 1:
        raise InputError(
            f"Expected one model for the rule imagenet-o, but got {len(models)}. Pass only one "
            "name to --models."
        )
    if not candidates.is_dir():
        raise DataError(
            f"Expected a folder of images at {candidates}, but there is none. Pass the path of an "
            "existing folder."
        )
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
    folder: Annotated[Path, typer.Argument(help="Folder of images.")],
    manifest: Annotated[
        Path | None,
        typer.Option(
            help="Manifest of `robust filter`, to show only the shortlisted images (default: none)."
        ),
    ] = None,
    read: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE...",
            help="Files of decisions that reviewers saved (default: none; a sheet is written).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="File to write the sheet or the decisions to (default: a file in FOLDER)."
        ),
    ] = None,
) -> None:
    """Write a sheet on which reviewers keep or reject images, or read their decisions."""
    from robust_lib.curation import decisions, review_sheet, reviews

    if manifest is None:
        sheet = review_sheet.of_folder(folder)
    else:
        sheet = review_sheet.of_filtration(folder, decisions.load(manifest))
    if not read:
        path = out or folder / "review.html"
        sheet.write(path)
        typer.echo(f"{len(sheet.files)} images to review: open {path} in a browser.")
        return
    reviewed = reviews.read(sheet, read)
    path = out or folder / "reviewed.csv"
    reviewed.save(path)
    typer.echo(f"{reviewed.summary()}\nWritten: {path}")
