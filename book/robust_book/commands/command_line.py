"""Common parts of commands: the option --profile, and settings for child processes."""

import os
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from robust_book.course import classroom
from robust_lib import paths
from robust_lib.config.profiles import default_profile, load_profile
from robust_lib.errors import InputError


def _known(profile: str) -> str:
    """Return a profile's name after checking that the profile exists."""
    return load_profile(profile).name


def open_in_browser(page: Path) -> None:
    """Open a page in a browser, or report that there is none."""
    if not webbrowser.open(page.as_uri()):
        typer.echo("No browser was found: open the page manually.")


ProfileName = Annotated[
    str,
    typer.Option(
        "--profile",
        "-P",
        help="Name of a profile: one in data_manifests/profiles or one of your own.",
        default_factory=lambda: classroom.profile() or default_profile(),
        callback=_known,
        show_default="in a course folder, the course's; otherwise the one marked as default",
    ),
]


Batch = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Number of images per forward pass (default: the profile's; if the profile has none, "
        "32 on a CPU and 256 on a GPU).",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        min=1, help="Number of single-thread processes that evaluate networks (default: 1)."
    ),
]


def _used(data: Path | None) -> Path | None:
    if data is not None:
        paths.use_data(data)
    return data


# Before the profile is looked for, which may lie there, too.
DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder of the data sets, and of your own manifests and profiles (default: "
        "the variable ROBUST_DATA, or build/data).",
        is_eager=True,
        callback=_used,
    ),
]
Device = Annotated[
    str | None,
    typer.Option("--device", help="Device: cpu, cuda or cuda:1 (default: the profile's)."),
]


SEVERAL = (
    "--corruptions",
    "--severities",
    "--models",
    "--read",
    "--roles",
    "--boxes",
    "--benchmarks",
)  # options that take several words
FILES = ("--read", "--boxes")
"""Those whose words are files, in whose names a comma is one."""


def joined(arguments: list[str]) -> list[str]:
    """Return the arguments in the form that the parser takes.

    `-p NAME VALUE`, papermill's spelling, becomes one argument; `--severities 1 2` becomes one
    option for each word, and so does `--severities 1,2`.
    """
    joined: list[str] = []
    option = None
    rest = iter(arguments)
    for argument in rest:
        if argument == "-p":
            name, value = next(rest, None), next(rest, None)
            if name is None or value is None or "=" in name or value.startswith("--"):
                given = " ".join(word for word in ("-p", name, value) if word is not None)
                raise InputError(
                    f"Expected -p NAME VALUE, with a space between name and value, but got {given}."
                )
            joined += ["-p", f"{name}={value}"]
        elif argument.startswith("-"):
            option, equals, words = argument.partition("=")
            option = option if option in SEVERAL else None
            joined += _each(option, words) if option and equals else [argument]
        elif option:
            if joined[-1] == option:
                joined.pop()
            joined += _each(option, argument)
        else:
            joined.append(argument)
    return joined


def _each(option: str, words: str) -> list[str]:
    """Return one option for each word; commas separate words, except within a file's name."""
    found = [words] if option in FILES or ":" in words else words.split(",")
    return [part for word in found for part in (option, word.strip())]


@contextmanager
def switched(names: Mapping[str, int | None]) -> Iterator[None]:
    """Set environment variables until the block is left; False or None leaves one unchanged.

    >>> with switched({"ROBUST_EXAMPLE": True, "ROBUST_NUMBER": 8, "ROBUST_OTHER": False}):
    ...     [os.environ.get(f"ROBUST_{name}") for name in ("EXAMPLE", "NUMBER", "OTHER")]
    ['1', '8', None]
    >>> "ROBUST_EXAMPLE" in os.environ
    False
    """
    values = {name: str(int(value)) for name, value in names.items() if value}
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
