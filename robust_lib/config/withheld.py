"""Restrictions on the images of pages: some data sets may not be redistributed."""

import os
from collections.abc import Iterable

from robust_lib.config.manifests import is_dataset, load_dataset
from robust_lib.config.profiles import Profile

WITH_PICTURES = "ROBUST_WITH_PICTURES"
"""If this environment variable is set, pages show all images, for private use only."""


SHOWN, WITHHELD = "shown", "withheld"
"""Values in a page's record: whether it shows images that may not be redistributed."""


def all_shown() -> bool:
    """Return whether pages also show images that may not be redistributed."""
    return bool(os.environ.get(WITH_PICTURES))


def is_withheld(name: str) -> bool:
    """Return whether a data set's images may not be redistributed; a user's own images may be.

    Derived images have the terms of their originals.

    >>> [is_withheld(name) for name in ("imagenet_val_a", "stylized_and_imagenet_a", "scenes_val")]
    [True, True, False]
    """
    if not is_dataset(name):
        return False
    manifest = load_dataset(name)
    made_of = [manifest.of] if manifest.of is not None else manifest.options.get("parts", ())
    return manifest.withheld or any(map(is_withheld, made_of))


def restricted(profile: Profile, roles: Iterable[str]) -> tuple[str, ...]:
    """Return the data sets in these roles whose images may not be redistributed."""
    names = dict.fromkeys(profile.data[role] for role in roles if role in profile.data)
    return tuple(name for name in names if is_withheld(name))


def may_show(profile: Profile, role: str) -> bool:
    """Return whether a page may show the images in a role."""
    return all_shown() or not restricted(profile, [role])
