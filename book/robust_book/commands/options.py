"""Options that several commands take."""

from typing import Annotated

import typer

from robust_lib.config.profiles import default_profile, load_profile


def _known(profile: str) -> str:
    """Return a profile's name, once it is known that there is such a profile."""
    return load_profile(profile).name


ProfileName = Annotated[
    str,
    typer.Option(
        "--profile",
        "-P",
        help="A file of data_manifests/profiles.",
        default_factory=default_profile,
        callback=_known,
        show_default="the one marked as default",
    ),
]
