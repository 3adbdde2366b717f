"""The start of a run: chapter, profile and parameters are checked before anything is computed."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from robust_lib import devices, paths
from robust_lib.cache import Store
from robust_lib.config.profiles import Profile, load_profile
from robust_lib.datasets import ImageSet
from robust_lib.datasets.user_folder import NAMES as USERS
from robust_lib.datasets.user_folder import is_users
from robust_lib.errors import InputError, one_of
from robust_lib.run import networks
from robust_lib.run.chapter import Chapter
from robust_lib.run.image_sets import user_images
from robust_lib.run.network import Network, resolved
from robust_lib.run.parameters import Settings, changed, read, settings_of
from robust_lib.run.roles import with_edition
from robust_lib.run.run import Run
from robust_lib.vocabulary import NAMES, is_user_function


def start(chapter: Chapter, profile: str, **parameters: Any) -> Run:
    """Return a run of a chapter, with the data, networks and sizes of a profile.

    Parameters that are `Settings` change what is computed; all others are the notebook's own, and
    are checked and recorded. None leaves a value to the profile.

    Raises:
        InputError: an unknown name or an impossible value.
        DataError: a folder of images is missing, or not in the expected form.
    """
    devices.settle()
    # timm asks a notebook for bars that are widgets; a page shows none.
    warnings.filterwarnings("ignore", "IProgress not found")
    parameters = read(chapter, parameters)
    settings = settings_of(chapter, parameters)
    if settings.data is not None:
        paths.use_data(Path(settings.data))
    known = with_edition(_profile(chapter, profile, settings))
    chosen, sets = _with_images(known, chapter.role, settings)
    devices.is_there(chosen.device)  # or no name of one
    added = () if settings.corruption_file is None else (settings.corruption_file,)
    corruptions = settings.corruptions
    if corruptions is None:
        corruptions = chapter.evaluated_corruptions(chosen) + added
    _require_corruptions("corruption", corruptions)
    wanted = _networks(chapter, chosen, settings, corruptions)
    for network in wanted:
        networks.row_of(network)  # or no name of one
    # Where data lies is everybody's own.
    given = {name: value for name, value in parameters.items() if value is not None}
    given.pop("data", None)
    behind = paths.cache_behind()
    store = Store(paths.cache() / "store", None if behind is None else behind / "store")
    return Run(chapter, chosen, given, corruptions, wanted, store, _sets=sets)


def start_like(run: Run, chapter: Chapter, **others: Any) -> Run:
    """Return a run of a different chapter with the profile and settings of a run.

    Models and corruptions that were set apply only to the first chapter; the other chapter has its
    own. The other chapter's images and networks are also recorded in the first run's provenance.

    Args:
        others: settings that replace the run's; None leaves a setting to the profile.
    """
    settings = settings_of(run.chapter, run.parameters)
    kept = settings.model_dump(exclude={"models", "corruptions"}, exclude_none=True)
    begun = start(chapter, run.profile.name, **kept | others)
    sets = begun._sets or run._sets
    return replace(begun, _fingerprints=run._fingerprints, _notes=run._notes, _sets=sets)


def _profile(chapter: Chapter, name: str, settings: Settings) -> Profile:
    """Return the profile with the settings and the chapter's own values inserted."""
    chosen = changed(load_profile(name), settings)
    update: dict[str, Any] = {}
    if settings.severities is None:
        update["severities"] = chapter.severities(chosen)
    if settings.limit is None or chapter.every_image:
        update["limit"] = chapter.limit(chosen)
    if chapter.description is not None and "{" in chapter.description:
        many = "" if chosen.epochs == 1 else "s"
        cut = f", {chosen.epochs} epoch{many} each" if chosen.epochs else ""
        update["words"] = chapter.description + cut
    return chosen.model_copy(update=update)


def _with_images(
    profile: Profile, role: str, settings: Settings
) -> tuple[Profile, dict[str, ImageSet]]:
    """Return the profile with other images in a role, and the user's image sets, read now."""
    images = settings.images
    if images is None:
        return profile, {}
    if not is_users(images) and images not in profile.data:
        raise InputError(one_of("images", images, [*profile.data, *USERS]))
    sets, batch_size = {}, profile.batch_size
    if is_users(images):
        sets = {role: user_images(profile, role, images)}
        batch_size = settings.batch_size  # the profile's is for pictures of its own size
    update = {
        "data": profile.data | {role: profile.data.get(images, images)},
        # No archive has corrupted versions of them.
        "corrupted": "generated",
        "batch_size": batch_size,
        "words": "{title}: {images} images, {classes} classes, {seeds}",
    }
    return profile.model_copy(update=update), sets


def _networks(
    chapter: Chapter, profile: Profile, settings: Settings, corruptions: tuple[str, ...]
) -> tuple[Network, ...]:
    """Return the networks that are requested, by our names, the normalising one first."""
    names = chapter.evaluated_models(profile) if settings.models is None else settings.models
    wanted = chapter.variants(names, profile, corruptions)
    found = [resolved(profile, chapter.networks, str(one)) for one in wanted]
    if chapter.baseline and found and profile.normaliser == "measured":
        baseline = resolved(profile, chapter.networks, profile.baseline)
        found = found if baseline in found else [baseline, *found]
    return tuple(dict.fromkeys(found))


def _require_corruptions(what: str, names: Sequence[str]) -> None:
    from robust_lib.corruptions import user_function  # imports OpenCV

    if not names:
        raise InputError(f"Expected at least one {what}, but got none. Omit corruptions.")
    for name in names:
        if is_user_function(name):
            user_function.load(name)
        elif name not in NAMES:
            raise InputError(one_of(what, name, NAMES))
