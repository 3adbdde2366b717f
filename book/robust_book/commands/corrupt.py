"""The command `robust corrupt`: a folder of images, corrupted as in ImageNet-C."""

import os
from pathlib import Path
from typing import Annotated

import typer

from robust_lib.errors import InputError


def corrupt(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="Folder of images, in class folders.")
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="Output folder: a new or empty one, or that of an interrupted run."
        ),
    ],
    corruptions: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME...",
            help="Corruptions, families of corruptions, `common` or `all` (default: common).",
        ),
    ] = None,
    severities: Annotated[
        list[int] | None,
        typer.Option(metavar="LEVEL...", help="Severities from 1 to 5 (default: all)."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of parallel processes (default: one per core).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers in corruptions.")] = 0,
    limit: Annotated[
        int | None, typer.Option(help="Number of images to use (default: all).")
    ] = None,
    resize: Annotated[
        str, typer.Option(help="Length of the shorter side after resizing, in pixels, or none.")
    ] = "256",
    crop: Annotated[
        str, typer.Option(help="Side of the central square crop, in pixels, or none.")
    ] = "224",
    batch: Annotated[int, typer.Option(help="Number of images to corrupt at once.")] = 8,
) -> None:
    """Corrupt a folder of images as in ImageNet-C; repeat the command to resume."""
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
        raise InputError(
            f"Expected --{what} to be a number of pixels, or the word none, but got {text}."
        )
    return int(text)
