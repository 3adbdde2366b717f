"""The commands `robust frames` and `robust review-pairs`: from videos to sets of similar frames."""

from pathlib import Path
from typing import Annotated

import typer

from robust_lib.errors import InputError


def frames(
    videos: Annotated[
        Path, typer.Argument(help="Folder of ImageNet-VID, or of videos in class folders.")
    ],
    out: Annotated[
        Path,
        typer.Argument(help="Output folder: a new or empty one, or that of an interrupted run."),
    ],
    classes: Annotated[
        str, typer.Option(help="Class list with the names of the class folders.")
    ] = "imagenet_vid",
    k: Annotated[
        int,
        typer.Option(
            "-k", "--k", help="Number of frames on each side of the anchor, from 1 to 10."
        ),
    ] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the random choice of anchors.")] = 0,
) -> None:
    """Choose an anchor frame and its neighbours in each video; repeat the command to resume."""
    from robust_lib.config.class_lists import load_classes
    from robust_lib.curation import video_frames

    written = video_frames.write(videos, out, load_classes(classes), k=k, seed=seed, progress=True)
    typer.echo(f"{out}: {written.sentence}")


def review_pairs(
    folder: Annotated[Path, typer.Argument(help="Output folder of `robust frames`.")],
    read: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE...",
            help="Files of decisions that reviewers saved in the first or the second round.",
        ),
    ] = None,
    shares: Annotated[
        int, typer.Option(help="Number of sheets into which the first round is split.")
    ] = 1,
    votes: Annotated[
        int, typer.Option(help="Number of first-round sheets that contain each pair.")
    ] = 1,
) -> None:
    """Write the sheets on which reviewers compare pairs of frames, or read their decisions.

    Without --read, write the sheets of the first round, in which each reviewer decides alone.

    With the files of that round, write the sheet of the second, on which all reviewers decide on
    the pairs that at least one did not mark as similar.

    With the files of both rounds, write labels and frame sets in ImageNet-Vid-Robust's format.
    """
    from robust_lib.config.class_lists import load_classes
    from robust_lib.curation import frame_release, pair_rounds, video_frames

    if read and (shares, votes) != (1, 1):
        raise InputError(
            "Expected --shares and --votes only without --read, but got --read as well. Omit "
            "--shares and --votes: they matter only for writing sheets."
        )
    record = video_frames.read(folder)
    video_frames.require_complete(folder, record)
    known = load_classes(record.classes)
    if not read:
        whole = pair_rounds.first_round(folder, record, known)
        sheets = pair_rounds.shares(whole, shares, votes, record.seed)
        for number, sheet in enumerate(sheets, start=1):
            path = folder / (f"round-1-share-{number}.html" if shares > 1 else "round-1.html")
            sheet.write(path)
            typer.echo(f"{len(sheet.files)} pairs to review: open {path} in a browser.")
        return
    rounds = pair_rounds.read(folder, record, known, read)
    typer.echo(rounds.summary())
    if not rounds.is_complete:
        path = folder / "round-2.html"
        pair_rounds.second_round(folder, record, known, rounds.doubted).write(path)
        typer.echo(
            f"{len(rounds.doubted)} pairs were not marked as similar by every reviewer: ask all "
            f"reviewers to open {path}, then pass the files of both rounds to --read."
        )
        return
    release = frame_release.of_rounds(record, rounds)
    for step, count in release.funnel.items():
        typer.echo(f"{count:>8} {step}")
    rounds.save(folder / "reviewed.csv")
    frame_release.write(folder, release, known)
    typer.echo(f"Written: {folder / 'metadata'}, {folder / 'misc'}, {folder / 'reviewed.csv'}")
