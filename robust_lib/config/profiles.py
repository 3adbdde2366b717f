"""Profiles: flat files that define which data and networks a run uses, and how much.

A profile may be `like: OTHER`, where OTHER is a profile without a `like`: it takes all values that
it lacks from that profile, except `name` and `default`. In `data` and `networks`, it takes the
roles and groups that it lacks; a given role or group replaces the other's as a whole, and null
removes it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, ValidationError

from robust_lib import paths
from robust_lib.config import strict_yaml
from robust_lib.config.manifests import (
    all_described,
    described,
    load_model,
    model_names,
    of_ones_own,
)
from robust_lib.config.strict_json import first_wrong
from robust_lib.config.strict_yaml import Record
from robust_lib.errors import InputError, ManifestError, one_of

T = TypeVar("T")


def _each_once(values: tuple[T, ...]) -> tuple[T, ...]:
    if len(set(values)) != len(values):
        raise ValueError("a value occurs in it twice")
    return values


Severity = Annotated[int, Field(ge=1, le=5)]
Severities = Annotated[tuple[Severity, ...], Field(min_length=1), AfterValidator(_each_once)]
Seeds = Annotated[tuple[int, ...], Field(min_length=1), AfterValidator(_each_once)]


class Profile(Record):
    """The data and networks that a run uses, and their amounts; a notebook runs on any profile.

    Attributes:
        default: whether it is the default of the commands; exactly one is.
        words: a description of the run for readers; {classes}, {images} and {seeds} are filled in.
        data: role -> data set manifest, e.g. imagenet_val: scenes_val.
        networks: group -> the paper's name of a network -> our network or stand-in; imagenet_c is
            the group of the corruption benchmark, the others are named after their chapters.
        training_corruptions: corruptions used for training and evaluation in chapters on training
            with corruptions; None takes the fifteen common ones and the two occlusions.
        training_severities: severities in those chapters; None takes `severities`.
        training_limit: images per condition in those chapters; None takes `limit`.
        baseline: the paper's name of the model whose errors normalise corruption errors.
        normaliser: measured (the baseline on this data) or published (the paper's numbers).
        corrupted: generated (corrupted here, on the fly) or archive (the published files).
        style_transfer: network (a trained encoder and decoder, from files) or bands (the same
            arithmetic on colours at several scales).
        beside: profile with real networks on photographs, shown next to this one.
        trains: whether networks without published weights are trained; if not, they are left out,
            as are groups with no other networks.
        limit: images per condition; None takes all.
        candidates: number of images in the pool from which natural adversarial examples are
            selected; None takes all.
        clips: number of the miniature's test videos; None takes all.
        studied: photographs of each set whose objects are changed many times; None takes all.
        seeds: seeds of the networks trained here; each gives a different network.
        storage: jpeg85 or memory, for images corrupted on the fly.
        geometry: size at which images are corrupted on the fly: archive (shorter side 256, central
            224, whatever the network's input size) or network (its own); None takes the archive's
            if errors are divided by published ones.
        precision: arithmetic of classifiers: float32, tf32 for a GPU's convolutions, or bfloat16
            for convolutions and products. Detectors always use float32, since rounding decides
            which boxes they suppress.
        batch_size: images per forward pass of classifiers; it is halved, repeatedly if needed, if a
            GPU's memory is too small. None takes 256 on a GPU and 32 on a processor, where more
            cost memory and save no time.
        workers: threads that read images ahead; 0 reads between forward passes, which is best if
            images are small and several processes share the cores.
        epochs: number of epochs for all recipes; None keeps each recipe's own.
        train_limit: number of training images; None takes all.
    """

    name: str
    default: bool = False
    words: str
    data: dict[str, str]
    networks: dict[str, dict[str, str]]
    training_corruptions: tuple[str, ...] | None = None
    training_severities: Severities | None = None
    training_limit: Annotated[int, Field(gt=0)] | None = None
    baseline: str
    normaliser: Literal["measured", "published"]
    corrupted: Literal["generated", "archive"]
    style_transfer: Literal["network", "bands"] = "bands"
    beside: str | None = None
    trains: bool = True
    extra: bool
    limit: Annotated[int, Field(gt=0)] | None
    candidates: Annotated[int, Field(gt=0)] | None = None
    clips: Annotated[int, Field(gt=0)] | None = None
    studied: Annotated[int, Field(gt=0)] | None = None
    severities: Severities
    seeds: Seeds
    storage: Literal["jpeg85", "memory"]
    geometry: Literal["archive", "network"] | None = None
    device: str
    precision: Literal["float32", "tf32", "bfloat16"] = "float32"
    batch_size: Annotated[int, Field(gt=0)] | None = None
    workers: Annotated[int, Field(ge=0)] = 0
    epochs: Annotated[int, Field(gt=0)] | None
    train_limit: Annotated[int, Field(gt=0)] | None
    bootstrap: Annotated[int, Field(ge=100)]

    @property
    def models(self) -> dict[str, str]:
        """Return the networks of the corruption benchmark."""
        return self.networks.get("imagenet_c", {})

    @property
    def batch(self) -> int:
        """Return the number of images per forward pass of classifiers."""
        return self.batch_size or (32 if self.device == "cpu" else 256)

    @property
    def as_archive(self) -> bool:
        """Return whether images corrupted on the fly have the archive's geometry."""
        published = "archive" if self.normaliser == "published" else "network"
        return (self.geometry or published) == "archive"

    @property
    def with_authors_frost(self) -> bool:
        """Return whether frost uses the authors' textures, if they are available.

        The miniature keeps its own frost, with which its networks were trained.
        """
        return self.as_archive or self.normaliser == "published"

    @property
    def studies(self) -> dict[str, dict[str, str]]:
        """Return all groups of networks except that of ImageNet-C."""
        return {name: group for name, group in self.networks.items() if name != "imagenet_c"}


def default_profile() -> str:
    """Return the profile that commands use by default, which is marked as such.

    Raises:
        ManifestError: no profile is marked so.
    """
    found = [name for name in profile_names() if load_profile(name).default]
    if not found:
        raise ManifestError(
            f"Expected a profile with default: true in {paths.manifests() / 'profiles'}, but there "
            "is none. Set ROBUST_ROOT to the project's folder, or pass a profile."
        )
    return found[0]


def profile_names() -> tuple[str, ...]:
    """Return the names of all profiles, sorted."""
    return all_described("profiles")


def load_profile(name: str) -> Profile:
    """Return the profile profiles/<name>.yaml, of data_manifests or of your own.

    Raises:
        InputError: no profile with that name.
        ManifestError: the file is invalid; the message names file, line and key.
    """
    path = described("profiles", name)
    if path is None:
        raise InputError(f"{one_of('profile', name, profile_names())} {of_ones_own('profiles')}")
    profile = strict_yaml.read_like(
        name,
        _entry,
        profile_names(),
        Profile,
        excluding=("name", "default"),
        joining=("data", "networks"),
    )
    strict_yaml.require_stem(path, profile.name)
    return (
        profile
        if profile.trains
        else profile.model_copy(update={"networks": _published(profile.networks)})
    )


def _published(groups: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Return the networks of some groups that need no training, of groups that have any."""
    left = {
        group: {paper: ours for paper, ours in names.items() if not is_trained(ours)}
        for group, names in groups.items()
    }
    return {group: names for group, names in left.items() if names}


def trains_all(profile: Profile) -> bool:
    """Return whether all networks of a profile are trained here, so that their times are known.

    >>> trains_all(load_profile("smoke")), trains_all(load_profile("full_trained"))
    (True, False)
    """
    every = {ours for names in profile.networks.values() for ours in names.values()}
    return all(map(is_trained, every & set(model_names())))


def is_trained(name: str) -> bool:
    """Return whether a model's weights are trained here, by its own recipe or its starting model's.

    >>> is_trained("resnet18_mini"), is_trained("resnet18"), is_trained("my_net.py:build")
    (True, False, False)
    """
    if name not in model_names():
        return False
    row = load_model(name)
    start = row.starts_from if row.weights is None else None
    return row.recipe is not None or (start is not None and is_trained(start))


def _entry(name: str) -> strict_yaml.Entry:
    path = described("profiles", name)
    assert path is not None  # else it is no name of a profile
    return strict_yaml.Entry(strict_yaml.read_yaml(path), path)


def changed(profile: Profile, **values: Any) -> Profile:
    """Return a profile with some values replaced; None keeps the profile's own.

    Raises:
        InputError: a key that profiles do not have, or a value that a key cannot take.
    """
    given = {key: value for key, value in values.items() if value is not None}
    for key in given:
        if key not in Profile.model_fields:
            raise InputError(one_of("a key of a profile", key, Profile.model_fields))
    try:
        return Profile.model_validate(profile.model_dump() | given)
    except ValidationError as error:
        wrong = first_wrong(error)
        raise InputError(
            f"Expected a value that {wrong.where} can take, but got {wrong.given!r}: {wrong.why}. "
            "Use another value, or omit it to use the profile's."
        ) from None
