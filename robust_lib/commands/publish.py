"""`robust pdf` and `robust release`: what leaves the house."""

import typer

from robust_lib import paths
from robust_lib.commands.options import ProfileName


def pdf(profile: ProfileName) -> None:
    """Print the whole book of a rendered site to one PDF; needs Chromium with chromedriver."""
    from robust_lib.commands.pdf import make

    made = make(paths.profile(profile), told=lambda line: typer.echo(line))
    typer.echo(f"The book is {made}.")
