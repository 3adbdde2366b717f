"""The start of a run: a chapter, a profile and parameters, checked before anything is done."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config import profiles
from robust_lib.config.profiles import Profile
from robust_lib.config.strict_json import first_wrong
from robust_lib.datasets import ImageSet
from robust_lib.datasets.user_folder import PREFIX, is_user_folder
from robust_lib.errors import InputError, one_of
from robust_lib.run import networks
from robust_lib.run.chapter import Chapter
from robust_lib.run.experiments import as_list
from robust_lib.run.image_sets import user_images
from robust_lib.run.network import Network, resolved
from robust_lib.run.run import Run
from robust_lib.vocabulary import NAMES, is_user_function

Names = Annotated[tuple[str, ...], BeforeValidator(as_list)]
Numbers = Annotated[tuple[int, ...] | int, BeforeValidator(as_list)]


class Settings(BaseModel):
    """The parameters of notebooks that change what is computed; None leaves it to the profile.

    Attributes:
        models: networks, by the paper's names or ours.
        corruptions: those evaluated.
        severities: of 1 to 5, evaluated; networks that train with a corruption train at these, too.
        limit: images per cell.
        seeds: of the networks trained here: a list, or how many.
        device: where networks run.
        storage: "jpeg85" or "memory".
        data: folder of the data sets, instead of ROBUST_DATA.
        images: evaluated instead of the chapter's: `folder:PATH`, or a role of the profile.
        epochs: of the networks trained here, instead of their recipes'.
        corruption_file: a corruption of the user's, <file>.py:<function>, evaluated, too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: Names | None = None
    corruptions: Names | None = None
    severities: Numbers | None = None
    limit: int | None = None
    seeds: Numbers | None = None
    device: str | None = None
    storage: str | None = None
    data: str | None = None
    images: str | None = None
    epochs: int | None = None
    corruption_file: str | None = None


def start(chapter: Chapter, profile: str, **parameters: Any) -> Run:
    """Return a run of a chapter on a profile.

    Parameters that are `Settings` change what is computed; all others are the notebook's own and
    are only recorded. None leaves a value to the profile.

    Raises:
        InputError: an unknown name or an impossible value.
        DataError: a folder of pictures that is not there, or not as it should be.
    """
    import cv2
    import torch

    # Several threads on busy cores collapse; parallel processes do not.
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    settings = read_settings(chapter, parameters)
    if settings.data is not None:
        paths.use_data(Path(settings.data))
    chosen, sets = _with_images(_profile(chapter, profile, settings), chapter.role, settings.images)
    added = () if settings.corruption_file is None else (settings.corruption_file,)
    corruptions = settings.corruptions or chapter.evaluated_corruptions(chosen) + added
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
    """Return a run of another chapter with a run's profile and settings.

    Models and corruptions that were named are the first chapter's; the other one has its own. What
    it looks at and which networks it asks stands in the first run's provenance, too.

    Args:
        others: settings that are not the run's; None leaves one to the profile.
    """
    settings = read_settings(run.chapter, run.parameters)
    kept = settings.model_dump(exclude={"models", "corruptions"}, exclude_none=True)
    begun = start(chapter, run.profile.name, **kept | others)
    return replace(begun, _fingerprints=run._fingerprints, _sets=begun._sets or run._sets)


def read_settings(chapter: Chapter, parameters: Mapping[str, Any]) -> Settings:
    """Return the settings among a notebook's parameters.

    Raises:
        InputError: a value that a setting cannot take.
    """
    found = {}
    for name, value in parameters.items():
        setting = chapter.settings.get(name, name)
        if setting in Settings.model_fields:
            # A notebook that takes one model or corruption calls it so.
            found[setting] = value if setting == name else [value]
    try:
        return Settings.model_validate(found)
    except ValidationError as error:
        raise _refused(error, found) from None


def _refused(error: ValidationError, given: Mapping[str, Any]) -> InputError:
    wrong = first_wrong(error)
    name = wrong.where.partition(".")[0]
    value = given[name]
    if name in ("models", "corruptions"):
        return InputError(
            f"Expected {name} as a list of names, such as '[\"{value}\"]', but got {value!r}."
        )
    return InputError(f"Expected a value that {name} can take, but got {value!r}: {wrong.why}.")


def _profile(chapter: Chapter, name: str, settings: Settings) -> Profile:
    """Return the profile with the settings and the chapter's own ways put in."""
    seeds = settings.seeds
    changed = profiles.changed(
        profiles.load_profile(name),
        severities=settings.severities,
        limit=settings.limit,
        seeds=list(range(seeds)) if isinstance(seeds, int) else seeds,
        device=settings.device,
        storage=settings.storage,
        epochs=settings.epochs,
    )
    update: dict[str, Any] = {}
    if settings.severities is None:
        update["severities"] = chapter.severities(changed)
    if settings.limit is None or chapter.every_image:
        update["limit"] = chapter.limit(changed)
    if chapter.description is not None and "{" in chapter.description:
        many = "" if changed.epochs == 1 else "s"
        cut = f", {changed.epochs} epoch{many} each" if changed.epochs else ""
        update["words"] = chapter.description + cut
    return changed.model_copy(update=update)


def _with_images(
    profile: Profile, role: str, images: str | None
) -> tuple[Profile, dict[str, ImageSet]]:
    """Return the profile with other images in a role, and those of a user's folder, read now."""
    if images is None:
        return profile, {}
    if not is_user_folder(images) and images not in profile.data:
        raise InputError(one_of("images", images, [*profile.data, f"{PREFIX}PATH"]))
    sets = {role: user_images(profile, role, images)} if is_user_folder(images) else {}
    update = {
        "data": profile.data | {role: profile.data.get(images, images)},
        # No archive has corrupted versions of them.
        "corrupted": "generated",
        "words": "{title}: {images} images, {classes} classes, {seeds}",
    }
    return profile.model_copy(update=update), sets


def _networks(
    chapter: Chapter, profile: Profile, settings: Settings, corruptions: tuple[str, ...]
) -> tuple[Network, ...]:
    """Return the networks that are asked for, by our names, the normalising one first."""
    names = chapter.evaluated_models(profile) if settings.models is None else settings.models
    wanted = chapter.variants(names, profile, corruptions)
    found = [resolved(profile, chapter.networks, str(one)) for one in wanted]
    if chapter.baseline and found and profile.normaliser == "measured":
        baseline = resolved(profile, chapter.networks, profile.baseline)
        found = found if baseline in found else [baseline, *found]
    return tuple(dict.fromkeys(found))


def _require_corruptions(what: str, names: Iterable[str]) -> None:
    from robust_lib.corruptions import user_function  # imports OpenCV

    for name in names:
        if is_user_function(name):
            user_function.load(name)
        elif name not in NAMES:
            raise InputError(one_of(what, name, NAMES))
