"""Properties of a role's images that are known before any is read: classes and title."""

from collections.abc import Mapping
from typing import Any

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet, user_folder
from robust_lib.datasets.picture_files import PictureFiles
from robust_lib.datasets.user_folder import COCO, PREFIX, is_users, short_name
from robust_lib.fetch.verification import seems_there
from robust_lib.miniworld.worlds import World, load_world

LABELLED = frozenset(
    {
        "scenes",
        "layouts",
        "clips",
        "still_clips",
        "image_folder",
        "photographs",
        "joined",
        "icon_gallery",
        "icons50",
    }
    | {"imagenet_22k", "vid_robust", "vid_boxes"}
)
"""Kinds of which a class is known for each image."""


def label_space(profile: Profile, role: str) -> ClassList:
    """Return the label space of a role's images; no image is read."""
    manifest = load_dataset(profile.data[role])
    if "candidates" in manifest.options:
        return label_space(profile, manifest.options["candidates"])
    if manifest.classes is not None:
        return load_classes(manifest.classes)
    whole = {} if manifest.of is None else load_dataset(manifest.of).options
    world = world_of(whole | manifest.options)
    return user_folder.class_list(world.name, world.inside)


def is_labelled(profile: Profile, role: str) -> bool:
    """Return whether a role's images have labels."""
    manifest = load_dataset(profile.data[role])
    if "candidates" in manifest.options:
        return is_labelled(profile, manifest.options["candidates"])
    labelled = manifest.kind in LABELLED
    return labelled and not manifest.options.get("strangers", False)


def kind(profile: Profile, role: str) -> str | None:
    """Return the kind of data set that plays a role; None without one, or for a user's folder."""
    name = profile.data.get(role, PREFIX)
    return None if is_users(name) else load_dataset(name).kind


def is_there(profile: Profile, role: str) -> bool:
    """Return whether a profile has a role and the files of its data set exist; none are counted.

    >>> from robust_lib.config.profiles import load_profile
    >>> is_there(load_profile("mini"), "openimages_random"), is_there(load_profile("mini"), "moon")
    (True, False)
    """
    name = profile.data.get(role)
    if name is None or is_users(name):
        return name is not None
    manifest = load_dataset(name)
    whole = load_dataset(manifest.of or name)
    boxes = whole.options.get("boxes")
    with_boxes = boxes is None or (paths.data() / boxes).is_dir()
    return whole.access == "generated" or (with_boxes and seems_there(whole.name))


VIDEO_BOXES = ("imagenet_vid_robust_boxes", "imagenet_vid_robust", "imagenet_vid_robust_2015")
"""A role, the data set that plays it, and the part of it whose boxes the edition of 2015 has."""


def with_edition(profile: Profile) -> Profile:
    """Return the profile with ImageNet-Vid-Robust reduced to the videos that have boxes.

    If only the 2015 edition of ImageNet-VID is available, its part of the data set plays the role
    of the boxes, under its own name and title.

    >>> from robust_lib.config.profiles import load_profile
    >>> with_edition(load_profile("mini")) == load_profile("mini")
    True
    """
    role, whole, part = VIDEO_BOXES
    if profile.data.get(role) != whole:
        return profile
    boxes = load_dataset(load_dataset(whole).options["boxes"])
    root = boxes.below(paths.data() / boxes.name)
    later = [root / one.path for one in boxes.contents if one.lacking is not None]
    if not seems_there(boxes.name) or all(one.exists() for one in later):
        return profile
    return profile.model_copy(update={"data": profile.data | {role: part}})


def title(name: str) -> str:
    """Return the title, for readers, of a data set that a profile names."""
    if name.startswith(COCO):
        return f"the annotations {short_name(name).removeprefix(COCO)}"
    folder = short_name(name).removeprefix(PREFIX)
    return f"the folder {folder}" if is_users(name) else load_dataset(name).title


def described(profile: Profile, role: str, images: ImageSet) -> str:
    """Return a description, for readers, of the images that play a role in a profile."""
    seeds = len(profile.seeds)
    shown = min(profile.limit or len(images), len(images))
    words = profile.words.format(
        title=title(profile.data[role]),
        classes=f"{len(images.class_names):,}",
        images=f"{shown:,}",
        seeds=f"{seeds} seed{'s' if seeds > 1 else ''}",
    )
    # Of a data set all is known; what a user's folder holds besides, nobody has looked at.
    if is_users(profile.data[role]) and isinstance(images, PictureFiles):
        return "; ".join((words, *images.notes))
    return words


def world_of(options: Mapping[str, Any]) -> World:
    """Return the label set of the miniature's images, from the options of their data set."""
    world = load_world(options["world"])
    if "wide" in options:
        return world.widened(options["wide"])
    world = world.every(options.get("every", 1))
    return world.part(options["subset"]) if "subset" in options else world
