"""`robust pdf` and `robust release`: what leaves the house."""

import typer

from robust_book.commands.options import ProfileName
from robust_lib import paths


def pdf(profile: ProfileName) -> None:
    """Print the whole book of a rendered site to one PDF; needs Chromium with chromedriver."""
    from robust_book.commands.pdf import make

    made = make(paths.profile(profile), told=lambda line: typer.echo(line))
    typer.echo(f"The book is {made}.")


def release(profile: ProfileName) -> None:
    """Make a release in one folder: packages, site, PDF, results, RO-Crate, checksums.

    Nothing is uploaded. The checkout must be clean, and the version dated.
    """
    from robust_book.commands import release as releases

    made = releases.make(profile, told=lambda line: typer.echo(line))
    typer.echo(f"The release is {made}. Nothing was uploaded.")
    typer.echo(f"Next: git tag v{made.name.rpartition('-')[2]}, and put the folder where it goes.")
