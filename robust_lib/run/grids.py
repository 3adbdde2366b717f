"""Grids: predictions of a run's networks on its images, clean and under every corruption."""

from collections.abc import Sequence

from robust_lib.cache import Store
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.fetch import listing
from robust_lib.protocols.grid import Grid, evaluate, joined
from robust_lib.run import corrupted_sets
from robust_lib.run.networks import BySeed
from robust_lib.vocabulary import COMMON, EXTRA


def grid(
    profile: Profile,
    images: ImageSet,
    models: BySeed,
    corruptions: Sequence[str],
    store: Store,
    clean: bool = True,
) -> Grid:
    """Return the predictions of networks on clean images and on every corruption of them.

    Border and obstruction, and a corruption of the user's, are in no archive; they are made here
    whatever the profile says.
    """
    common = tuple(name for name in corruptions if name in COMMON + EXTRA)
    added = tuple(name for name in corruptions if name not in common)
    if profile.corrupted != "archive" or not added:
        return _grid(profile, images, models, corruptions, store, clean)
    made_here = profile.model_copy(update={"corrupted": "generated"})
    found = _grid(made_here, images, models, added, store, clean)
    if not common:
        return found
    return joined(_grid(profile, images, models, common, store, clean), found)


def require_same(
    one: tuple[object, ...], other: tuple[object, ...], notebooks: tuple[str, str]
) -> None:
    """Raise InputError unless two chapters show their networks the same images alike.

    Args:
        one: what the first one shows: the images' digest and the severities.
        other: what the second one shows.
    """
    if one != other:
        raise InputError(
            f"Expected chapters that show their networks the same images, but those of "
            f"{notebooks[0]} are others than those of {notebooks[1]}. Name one chapter at a time."
        )


def _grid(
    profile: Profile,
    images: ImageSet,
    models: BySeed,
    corruptions: Sequence[str],
    store: Store,
    clean: bool = True,
) -> Grid:
    with listing.once():  # an archive of millions of files is counted, and then read
        source = corrupted_sets.corrupted(profile, images, models, corruptions)
        return evaluate(
            models,
            images,
            source,
            corruptions=corruptions,
            severities=profile.severities,
            store=store,
            clean_too=clean,
            limit=profile.limit,
            batch_size=profile.batch_size,
            workers=profile.workers,
        )
