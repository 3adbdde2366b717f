"""The command `robust candidates`: it selects images with a detector's confident mistakes."""

from pathlib import Path
from typing import Annotated

import typer

from robust_book.commands.command_line import DataFolder, Device, ProfileName
from robust_lib import paths
from robust_lib.errors import DataError


def candidates(
    images: Annotated[Path, typer.Argument(help="Folder of images.")],
    detector: Annotated[str, typer.Option(help="Name of a detector, or my_detector.py:build.")],
    profile: ProfileName,
    truth: Annotated[
        Path | None,
        typer.Option(help="COCO annotation file with the objects in the images (default: none)."),
    ] = None,
    foreign: Annotated[
        bool,
        typer.Option(
            "--foreign",
            help="Count out-of-distribution objects in --truth as objects, not as background.",
        ),
    ] = False,
    classes: Annotated[
        str | None, typer.Option(help="Class list, such as coco (default: the detector's).")
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="File to write candidates to.")] = Path(
        "candidates.json"
    ),
    score: Annotated[float, typer.Option(help="Score above which a box is confident.")] = 0.8,
    iou: Annotated[
        float, typer.Option(help="Intersection over union above which a box matches an object.")
    ] = 0.5,
    device: Device = None,
    batch: Annotated[int, typer.Option(help="Number of images per forward pass.")] = 8,
    data: DataFolder = None,
) -> None:
    """Find the images on which a detector is confidently wrong; repeat the command to resume.

    Without --truth, every confident box is a candidate; annotators decide which boxes are wrong.
    """
    if not images.is_dir():
        raise DataError(
            f"Expected a folder of images at {images}, but there is none. Pass the path of an "
            "existing folder."
        )
    from robust_book.commands import named_models
    from robust_lib.cache import Store
    from robust_lib.config.profiles import changed, load_profile
    from robust_lib.curation import candidate_set, object_file, pool
    from robust_lib.curation.candidates import EGREGIOUS, HARD
    from robust_lib.curation.object_filtration import pictures_of
    from robust_lib.predict.detect import LEAST_SCORE, detect

    store = Store(paths.cache())
    model, known = named_models.detector_of(
        changed(load_profile(profile), device=device), detector, classes, store
    )
    files = pool.unlabelled(images, known)
    pictures = candidate_set.photographs(images, files.ids)
    objects = None if truth is None else object_file.objects(truth, pictures, known.names)
    boxes = detect(
        model,
        files,
        cache=store,
        least_score=max(LEAST_SCORE, model.least_score),
        batch_size=batch,
        progress=True,
    )
    found = candidate_set.search(
        pictures,
        boxes.detections,
        named_models.categories(known),
        detector=model.name,
        objects=objects,
        truth=None if truth is None else str(truth),
        iou=iou,
        score=score,
        count_foreign=foreign,
    )
    candidate_set.save(found, out)
    typer.echo(f"{len(pictures):>8} images")
    typer.echo(f"{len(found.photographs):>8} with a candidate")
    for kind in (HARD, EGREGIOUS):
        typer.echo(f"{len(pictures_of(found.candidates, kind)):>8} with {kind}s")
    if truth is None:
        typer.echo(
            "Without --truth, every confident box is a candidate: use `robust annotate` to have "
            "annotators decide which boxes are wrong."
        )
    for note in files.notes:
        typer.echo(f"Note: {note}")
    typer.echo(f"Written: {out}")
