"""Image sets by role: a plain table maps each kind of data to its reader."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.datasets import (
    ImageSet,
    cifar100,
    clips,
    coco_boxes,
    derived,
    hold_outs,
    icons50,
    image_folder,
    imagenet_22k,
    imagenet_vid,
    openimages,
    user_folder,
    vid_robust,
)
from robust_lib.datasets.clips import Clips
from robust_lib.datasets.derived import Joined, Subset
from robust_lib.datasets.hold_outs import HoldOut
from robust_lib.datasets.layouts import Layouts
from robust_lib.datasets.still_clips import StillClips
from robust_lib.datasets.synthetic import Synthetic
from robust_lib.datasets.user_folder import COCO, is_users
from robust_lib.datasets.user_objects import annotated_images
from robust_lib.errors import InputError, one_of
from robust_lib.fetch.verification import verify
from robust_lib.miniworld.backdrops import Backdrops
from robust_lib.miniworld.drawn_scenes import DrawnScenes
from robust_lib.miniworld.familiar import FamiliarScenes
from robust_lib.miniworld.ground_set import Grounds
from robust_lib.miniworld.icons50 import Gallery, load_atlas
from robust_lib.miniworld.layouts import Mixture
from robust_lib.predict.classify import choose
from robust_lib.run import image_kinds
from robust_lib.run.roles import is_labelled, label_space, world_of


def image_set(profile: Profile, role: str, store: Store) -> ImageSet:
    """Return the image set that plays a role in a profile.

    Raises:
        InputError: the profile has no such role.
        DataError: the data is missing, or not in the expected form.
    """
    if role not in profile.data:
        raise InputError(one_of("a role", role, profile.data))
    if is_users(name := profile.data[role]):
        read = annotated_images if name.startswith(COCO) else user_folder.image_folder
        return read(name)
    manifest = load_dataset(profile.data[role])
    if manifest.kind not in KINDS:
        raise InputError(one_of("a data set of kind", manifest.kind, KINDS))
    return KINDS[manifest.kind](manifest, profile, store)


def user_images(profile: Profile, role: str, folder: str) -> ImageSet:
    """Return a user's images to play a role in place of a profile's own.

    They are labelled with the role's classes if their folders have those names. If the role's
    images have no labels, neither do the user's.

    Args:
        folder: `folder:PATH`, or `coco:ANNOTATIONS,PICTURES` for images with boxes.

    Raises:
        DataError: see `datasets.user_folder.image_folder` and `datasets.user_objects`.
    """
    known = not is_users(profile.data[role])
    if folder.startswith(COCO):
        return annotated_images(folder, spaces=[label_space(profile, role)] if known else ())
    if not known:
        return user_folder.image_folder(folder)
    return user_folder.image_folder(
        folder, spaces=[label_space(profile, role)], labelled=is_labelled(profile, role)
    )


def _scenes(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    if manifest.of is not None:
        return _part_of_scenes(manifest, load_dataset(manifest.of), profile, store)
    options = manifest.options
    world = world_of(options)
    strange = options.get("strangers", False)
    least, largest = options.get("difficulty", (0, 0))
    scenes = (FamiliarScenes if options.get("familiar", False) else DrawnScenes)(
        manifest.name,
        world.strangers() if strange else world,
        options["split"],
        _drawn(options, profile),
        store,
        size=options.get("size", 64),
        pool=options.get("pool"),
        difficulty=(float(least), float(largest)),
    )
    return derived.unlabelled(scenes, world.name, tuple(world.inside)) if strange else scenes


def _part_of_scenes(
    manifest: DatasetManifest, whole: DatasetManifest, profile: Profile, store: Store
) -> ImageSet:
    part = world_of(whole.options | manifest.options)
    # The same pictures as in the whole: networks that saw those know these.
    drawn = _scenes(whole, profile, store)
    return derived.of_classes(drawn, manifest.name, part.name, tuple(part.inside))


def _drawn(options: Mapping[str, Any], profile: Profile) -> int:
    """Return the number of images to draw: for a training set or pool, the profile may lower it.

    A smaller training set is another set of images; a limit on test images selects some of them.
    """
    limit = profile.train_limit if options["split"] == "train" else None
    if "pool" in options:
        limit = profile.candidates
    return int(options["images"] if limit is None else min(options["images"], limit))


def _layouts(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    options = manifest.options
    return Layouts(
        manifest.name,
        world_of(options),
        options["split"],
        Mixture(
            {kind: float(weight) for kind, weight in options["grounds"].items()},
            options["foreign"],
            tuple(options.get("foreign_kinds", ())),
            options["blurred"],
            options["depictions"],
        ),
        _drawn(options, profile),
        store,
        size=options["size"],
        pool=options.get("pool"),
    )


def _random_part(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    whole = load_dataset(str(manifest.of))
    pictures = KINDS[whole.kind](whole, profile, store)
    wanted = manifest.images or len(pictures)
    if whole.images is not None:  # a smaller pool has a smaller part
        wanted = len(pictures) * wanted // whole.images
    return Subset(pictures, tuple(choose(pictures.ids, max(1, wanted))), called=manifest.name)


def _clips(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    training = manifest.options["split"] == "train"
    limit = profile.train_limit if training else profile.clips
    return clips.load(manifest.name, store, limit=limit)


def _still_clips(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    clips_shown = _clips(load_dataset(str(manifest.of)), profile, store)
    assert isinstance(clips_shown, Clips)
    return StillClips(manifest.name, clips_shown)


def _backdrops(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    options = manifest.options
    return Backdrops(
        manifest.name,
        options["backdrop"],
        world_of(options),
        options["images"],
        store,
        size=options.get("size", 64),
    )


def _grounds(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    return Grounds(manifest.name, manifest.options["each"], manifest.options["size"])


def _synthetic(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    options = manifest.options
    if manifest.classes is not None:
        listed = load_classes(manifest.classes)
        classes, names = listed.name, listed.names
    else:
        world = world_of(options)
        classes, names = world.name, tuple(world.inside)
    return Synthetic(
        manifest.name, options["pattern"], options["images"], options["size"], classes, names
    )


def _unlabelled(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    verify(manifest.name).require()
    return image_folder.load_unlabelled(manifest.name)


def _photographs(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    verify(manifest.name).require()
    return image_folder.load_photographs(manifest.name)


def _image_folder(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    verify(manifest.name).require()
    return image_folder.load(manifest.name)


def _joined(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    parts = [load_dataset(name) for name in manifest.options["parts"]]
    return Joined(manifest.name, [KINDS[part.kind](part, profile, store) for part in parts])


def _imagenet_22k(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    verify(manifest.name).require()
    limit = profile.train_limit if manifest.options["part"] == "train" else None
    return imagenet_22k.load(manifest.name, limit=limit)


def _vid_robust(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    verify(manifest.name).require()
    return vid_robust.load(manifest.name)


def _vid_boxes(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    # Not verified: the edition of 2015 lacks videos for ImageNet-Vid-Robust, not for training.
    limit = profile.train_limit if manifest.options.get("split") == "train" else None
    return imagenet_vid.load(manifest.name, limit=limit)


def _coco_boxes(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    verify(manifest.name).require()
    limit = profile.train_limit if manifest.options.get("split") == "train" else None
    return coco_boxes.load(manifest.name, limit=limit)


def _openimages(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    verify(manifest.name).require()
    verify(manifest.options["boxes"]).require()
    return openimages.load(manifest.name, limit=profile.candidates)


def _icon_gallery(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    options = manifest.options
    atlas = load_atlas(options["atlas"])
    every = icons50.Icons50(
        Gallery(manifest.name, atlas, store, classes=str(manifest.classes), size=options["size"])
    )
    if "split" not in options:
        return every
    split = hold_outs.of_each_subtype(every.icons, options["test_share"])
    places = split.test if options["split"] == "test" else split.train
    return icons50.Icons50(Subset(every, tuple(places.tolist()), called=manifest.name))


def _cifar100(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    verify(manifest.of or manifest.name).require()
    return cifar100.load(manifest.name, manifest.options["split"])


def _icons50(manifest: DatasetManifest, profile: Profile, store: Store) -> ImageSet:
    array = paths.data() / manifest.name / "Icons-50.npy"
    if array.is_file() and not (paths.data() / manifest.name / manifest.root).exists():
        return icons50.load_array(array, manifest.name)
    verify(manifest.name).require()
    return icons50.load(manifest.name)


KINDS: Mapping[str, Callable[[DatasetManifest, Profile, Store], ImageSet]] = MappingProxyType(
    {
        "scenes": _scenes,
        "layouts": _layouts,
        "random_part": _random_part,
        "clips": _clips,
        "still_clips": _still_clips,
        "backdrops": _backdrops,
        "grounds": _grounds,
        "synthetic": _synthetic,
        "unlabelled": _unlabelled,
        "image_folder": _image_folder,
        "photographs": _photographs,
        "joined": _joined,
        "imagenet_22k": _imagenet_22k,
        "vid_robust": _vid_robust,
        "vid_boxes": _vid_boxes,
        "coco_boxes": _coco_boxes,
        "openimages": _openimages,
        "icon_gallery": _icon_gallery,
        "icons50": _icons50,
        "cifar100": _cifar100,
    }
)


def held_out(icons: ImageSet, name: str) -> HoldOut:
    """Return a hold-out of ICONS-50 by its name, such as "style:microsoft".

    Raises:
        InputError: an unknown hold-out, or images that are not icons.
    """
    subtypes = load_dataset(icons.name).options.get("held_out_subtypes", ())
    return hold_outs.named(image_kinds.as_icons(icons).icons, name, subtypes)
