"""The conditions of ImageNet-C, made on the fly or read, and the predictions on them."""

from collections.abc import Sequence
from dataclasses import dataclass

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import digest, load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.datasets.decoded import decode
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.imagenet_c import (
    BENCHMARK,
    SIDE,
    Archive,
    Corrupted,
    as_stored,
    frost_to_draw,
    noted,
)
from robust_lib.errors import InputError, one_of
from robust_lib.fetch import listing
from robust_lib.fetch.verification import verify
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.models.contract import (
    Classifier,
    Images,
    ModelLogits,
    fingerprint_of,
    probe_images,
)
from robust_lib.predict.answers_file import FiledAnswers
from robust_lib.predict.classify import choose
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.grid import CorruptedSet, Grid, Models, evaluate, joined
from robust_lib.run.networks import BySeed
from robust_lib.vocabulary import COMMON, EXTRA

OWN_SIZE = "at the network's own size"
"""Ending of `storage_words` if images are corrupted at the size of a network's input."""


def corrupted(
    profile: Profile, images: ImageSet, models: Models, corruptions: Sequence[str]
) -> CorruptedSet:
    """Return the corrupted versions of an image set: made on the fly, or the archive's.

    Images of the archive are kept only if the image set has their class.

    Raises:
        DataError: the archive's images of these corruptions are missing or incomplete.
    """
    if profile.corrupted == "archive":
        name = profile.data["imagenet_c"]
        if corruptions:
            verify(name, only=[f"{corruption}/" for corruption in corruptions]).require()
        manifest = load_dataset(name)
        root = manifest.below(paths.data() / name)
        provenance = digest(manifest)
        classes, folders = load_classes(images.classes), load_classes(str(manifest.classes))
        return CorruptedSet(
            name,
            lambda corruption, severity: Archive(
                root,
                corruption,
                severity,
                classes=classes,
                folders=folders,
                manifest=manifest,
                name=name,
                provenance=provenance,
            ),
            "archive",
            models=(stored := _all_stored(models)),
            resized=_resized(models, stored),
        )
    geometry = BENCHMARK if profile.as_archive else None
    frost = frost_to_draw() if profile.with_authors_frost and "frost" in corruptions else None
    base = decoded_once(profile, images, models, geometry)
    shown = None if geometry is None else _all_stored(models)
    return CorruptedSet(
        name_of(images.name),
        lambda corruption, severity: Corrupted(
            base,
            corruption,
            severity,
            storage=profile.storage,
            device=profile.device,
            geometry=geometry,
            frost=frost,
        ),
        storage_words(profile, geometry),
        {name: note for name in corruptions if (note := noted(name, frost)) is not None},
        models=shown,
        resized={} if shown is None else _resized(models, shown),
    )


def storage_words(profile: Profile, geometry: Preprocessing | None) -> str:
    """Return, as text, how images corrupted here are resized and stored.

    >>> from robust_lib.config.profiles import load_profile
    >>> storage_words(load_profile("mini"), None)
    "jpeg85 at the network's own size"
    """
    if geometry is None:
        return f"{profile.storage} {OWN_SIZE}"
    return f"{profile.storage} of {SIDE} pixels, made as the archive"


def _resized(models: Models, stored: Models) -> dict[str, str]:
    """Return model -> note on the resizing of stored images, for models of another input size."""
    found = {}
    for name, runs in models.items():
        own, seen = (one[0].preprocessing for one in (runs, stored[name]))
        side = own.crop or own.frame or SIDE
        if seen.resize is not None:
            found[name] = f"then resized to {side} pixels"
        elif side > SIDE:
            found[name] = f"shown as stored and not at {side} pixels"
    return found


def decoded_once(
    profile: Profile, images: ImageSet, models: Models, geometry: Preprocessing | None = None
) -> ImageSet:
    """Return the clean images to corrupt, decoded once in advance if that saves time.

    Args:
        geometry: preprocessing of all images; None: the models' own, if they share one.
    """
    wanted = {model.preprocessing for runs in models.values() for model in runs}
    geometries = wanted if geometry is None else {geometry}
    if not isinstance(images, Scenes) and len(geometries) == 1:
        chosen = tuple(choose(images.ids, profile.limit))
        shown = images if len(chosen) == len(images) else Subset(images, chosen)
        only, folder = next(iter(geometries)), paths.cache() / "decoded"
        return decode(shown, only, folder, workers=profile.workers)
    return images


def name_of(clean: str) -> str:
    """Return the name of the corrupted set that is made from a clean one here.

    >>> name_of("scenes_val")
    'scenes_val_c'
    """
    return f"{clean}_c"


def _all_stored(models: Models) -> dict[str, tuple[Classifier, ...]]:
    return {name: tuple(_stored(one) for one in runs) for name, runs in models.items() if runs}


def _stored(model: Classifier) -> Classifier:
    if isinstance(model, FiledAnswers):
        return model
    own = model.preprocessing
    # To be enlarged coarsens noise: a network that takes any size sees what the benchmark holds.
    if (own.crop or own.frame or SIDE) > SIDE and _takes(model, SIDE):
        return _Stored(model, Preprocessing(None, SIDE, own.interpolation))
    return _Stored(model, as_stored(own))


def _takes(model: Classifier, side: int) -> bool:
    """Return whether a model accepts images of another size than its own."""
    try:
        answer = model(probe_images(1, Preprocessing(None, side)))
    except Exception:  # whatever a module raises at a size that it was not made for
        return False
    return tuple(getattr(answer, "shape", ())) == (1, model.outputs)


@dataclass(frozen=True, eq=False)
class _Stored:
    """A classifier that takes images that are resized and cropped already."""

    model: Classifier
    preprocessing: Preprocessing

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def classes(self) -> str:
        return self.model.classes

    @property
    def outputs(self) -> int:
        return self.model.outputs

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.model)

    def __call__(self, images: Images) -> ModelLogits:
        return self.model(images)


def grid(
    profile: Profile,
    images: ImageSet,
    models: BySeed,
    corruptions: Sequence[str],
    store: Store,
    clean: bool = True,
) -> Grid:
    """Return the predictions of networks on clean images and under every corruption.

    Border, obstruction and the user's own corruptions are in no archive; they are made here
    whatever the profile states.
    """
    common = tuple(name for name in corruptions if name in COMMON + EXTRA)
    added = tuple(name for name in corruptions if name not in common)
    if profile.corrupted != "archive" or not added:
        return _grid(profile, images, models, corruptions, store, clean)
    update = {"corrupted": "generated", "geometry": profile.geometry or "archive"}
    made_here = profile.model_copy(update=update)
    found = _grid(made_here, images, models, added, store, clean)
    if not common:
        return found
    return joined(_grid(profile, images, models, common, store, clean), found)


def of_archive(profile: Profile, role: str, images: ImageSet, models: BySeed, store: Store) -> Grid:
    """Return networks' predictions on an archive of corruptions that are not ImageNet-C's.

    Args:
        role: role of the archive, such as "imagenet_c_bar"; its manifest names its corruptions.

    Raises:
        InputError: the profile has no such role.
        DataError: the archive is missing or incomplete.
    """
    if role not in profile.data:
        raise InputError(one_of("a role", role, profile.data))
    data = {**profile.data, "imagenet_c": profile.data[role]}
    other = profile.model_copy(update={"corrupted": "archive", "data": data})
    contents = load_dataset(profile.data[role]).contents
    corruptions = dict.fromkeys(one.path.partition("/")[0] for one in contents)
    return _grid(other, images, models, tuple(corruptions), store)


def of_objects(profile: Profile, images: ImageSet) -> dict[tuple[str, int], Corrupted]:
    """Return (corruption, severity) -> images for detectors, at their own size, not stored."""
    frost = frost_to_draw()
    return {
        (name, severity): Corrupted(
            images, name, severity, storage="memory", device=profile.device, frost=frost
        )
        for name in COMMON
        for severity in profile.severities
    }


def require_same(
    one: tuple[object, ...], other: tuple[object, ...], notebooks: tuple[str, str]
) -> None:
    """Raise InputError unless two chapters evaluate their networks on the same images.

    Args:
        one: the first chapter's images (their digest) and severities.
        other: the second chapter's.
    """
    if one != other:
        raise InputError(
            "Expected chapters whose networks use the same images, but the images of "
            f"{notebooks[0]} differ from those of {notebooks[1]}. Pass one chapter at a time."
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
        source = corrupted(profile, images, models, corruptions)
        return evaluate(
            models,
            images,
            source,
            corruptions=corruptions,
            severities=profile.severities,
            store=store,
            clean_too=clean,
            limit=profile.limit,
            batch_size=profile.batch,
            workers=profile.workers,
        )
