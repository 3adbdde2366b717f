"""The command `robust annotate`: sheets for annotators in two stages, and their results."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robust_lib.errors import DataError, InputError

if TYPE_CHECKING:
    from robust_lib.curation.annotation_sheet import Sheet
    from robust_lib.curation.candidate_set import CandidateSet


def annotate(
    folder: Annotated[Path, typer.Argument(help="Folder of images.")],
    candidates: Annotated[
        Path | None, typer.Option(help="File written by `robust candidates`, or confirmed.json.")
    ] = None,
    stage: Annotated[
        int,
        typer.Option(help="Stage of annotation: 1 asks questions about boxes, 2 collects boxes."),
    ] = 1,
    annotators: Annotated[int, typer.Option(help="Number of annotators, which must be odd.")] = 5,
    classes: Annotated[
        str, typer.Option(help="Class list to use if --candidates is omitted.")
    ] = "coco",
    read: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE...",
            help="Files that annotators saved (default: none; a sheet is written).",
        ),
    ] = None,
) -> None:
    """Write the sheet for one stage of annotation, or read the annotators' files.

    Stage 1 asks five questions about each candidate. With --read, the majority decides which
    images are kept in FOLDER/confirmed.json, the candidates of stage 2.

    Stage 2 collects boxes around all objects. With --read, the boxes of several annotators are
    combined in a reviewer's sheet, FOLDER/review.html; with the reviewer's file as well, the final
    objects are written to FOLDER/objects.json.
    """
    if stage not in (1, 2):
        raise InputError(f"Expected stage 1 or 2, but got {stage}. Set --stage to 1 or 2.")
    if annotators < 1 or annotators % 2 == 0:
        raise InputError(
            "Expected an odd number of annotators, so that there is a majority, but got "
            f"{annotators}. Set --annotators to an odd number; the paper uses 5."
        )
    if not folder.is_dir():
        raise DataError(
            f"Expected a folder of images at {folder}, but there is none. Pass the path of an "
            "existing folder."
        )
    found = _found(folder, candidates, classes, stage)
    from robust_lib.curation import annotation_sheet

    if stage == 1:
        sheet = annotation_sheet.of_questions(found, folder.absolute().name)
        if read:
            _confirm(found, sheet, folder, read, annotators)
            return
        said = f"{len(sheet.tasks)} boxes for {annotators} annotators to judge"
    else:
        sheet = annotation_sheet.of_boxes(found, folder.absolute().name)
        if read:
            _settle(found, sheet, folder, read)
            return
        said = f"{len(sheet.photographs)} images in which to draw boxes"
    path = folder / f"stage-{stage}.html"
    sheet.write(path, folder)
    typer.echo(f"{said}: open {path} in a browser.")


def _found(folder: Path, candidates: Path | None, classes: str, stage: int) -> "CandidateSet":
    from robust_book.commands.named_models import categories
    from robust_lib.config.class_lists import load_classes
    from robust_lib.curation import candidate_set
    from robust_lib.curation.review_sheet import pictures

    if candidates is not None:
        return candidate_set.load(candidates)
    if stage == 1:
        raise InputError(
            "Expected --candidates for stage 1, which asks about a detector's boxes, but got "
            "none. Run `robust candidates` to write the file; --stage 2 does not need a file."
        )
    known = categories(load_classes(classes))
    shown = candidate_set.photographs(folder, pictures(folder))
    return candidate_set.without_candidates(shown, known)


def _confirm(
    found: "CandidateSet", sheet: "Sheet", folder: Path, read: Sequence[Path], annotators: int
) -> None:
    """Print the majority's answers, and write the candidates of stage 2."""
    from robust_lib.curation import annotation_files, candidate_set, object_filtration
    from robust_lib.curation.object_filtration import ObjectFiltration

    answered = annotation_files.read_answers(sheet, read, annotators)
    made = ObjectFiltration(
        pictures=found.searched,
        candidates=found.candidates,
        answers=answered.answers,
        settings=found.settings,
    )
    for step, count in made.funnel().items():
        typer.echo(f"{count:>8} {step}")
    typer.echo(object_filtration.summary(made))
    object_filtration.save(made, sheet, folder / "answers.csv")
    candidate_set.save(found.only(made.places), folder / "confirmed.json")
    typer.echo(f"Written: {folder / 'answers.csv'}, {folder / 'confirmed.json'}")


def _settle(found: "CandidateSet", sheet: "Sheet", folder: Path, read: Sequence[Path]) -> None:
    """Print the annotators' agreement on boxes, and write the reviewer's sheet or the decisions."""
    from dataclasses import replace

    from robust_lib.curation import annotation, annotation_files, annotation_sheet, object_file

    first = [path for path in read if annotation_files.sheet_of(path) == sheet.digest]
    drawn = [annotation_files.read_boxes(sheet, path) for path in first]
    names = [one.annotator for one in drawn]
    if len(set(names)) < len(names):
        raise DataError(
            f"Expected one file per annotator, but got {', '.join(names)}. Read only the newer "
            "file."
        )
    by_annotator = [one.boxes for one in drawn]
    if len(drawn) > 1:
        typer.echo(annotation.box_agreement(by_annotator).sentence)
    others = [path for path in read if path not in first]
    if not drawn or len(others) > 1:
        raise DataError(
            "Expected files saved from the sheet of stage 2, and at most one from the reviewer's "
            f"sheet, but {len(first)} are from the former and {len(others)} from other sheets "
            f"({', '.join(map(str, others))}). Pass to --candidates the file with which the sheet "
            "was written."
        )
    review = annotation_sheet.of_boxes(
        replace(found, proposals=annotation.together(by_annotator)), sheet.title
    )
    if not others:
        review.write(folder / "review.html", folder)
        typer.echo(
            f"{len(review.photographs)} images to review: ask one person to open "
            f"{folder / 'review.html'}, then pass the saved file to --read as well."
        )
        return
    decided = annotation_files.read_boxes(review, others[0])
    object_file.write(folder / "objects.json", found.photographs, found.categories, decided.boxes)
    count = sum(map(len, decided.boxes))
    typer.echo(
        f"{count} objects in {len(found.photographs)} images, as decided by {decided.annotator}"
    )
    typer.echo(f"Written: {folder / 'objects.json'}")
