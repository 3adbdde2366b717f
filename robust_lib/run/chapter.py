"""The networks that a chapter needs, and the images that they are evaluated on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from robust_lib.config.manifests import is_detector, load_model, model_names
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError, one_of
from robust_lib.run.network import Network
from robust_lib.vocabulary import COMMON, EXTRA, OCCLUSION

Variants = Callable[[Sequence[str], Profile, Sequence[str]], tuple[Network, ...]]
"""(models, profile, evaluated corruptions) -> all networks that a chapter needs of the models."""


@dataclass(frozen=True)
class OnCorruptions:
    """The networks classify a role's images, clean and under each of the chapter's corruptions."""

    role: str
    if_there = False

    @property
    def roles(self) -> tuple[str, ...]:
        """Return a tuple with the role, as the other evaluations do."""
        return (self.role,)


@dataclass(frozen=True)
class OnImages:
    """The networks classify the images of some roles, without corruptions.

    Attributes:
        classes_of: role whose classes the predictions are restricted to.
        if_there: whether the chapter omits images that a profile does not have.
    """

    roles: tuple[str, ...]
    classes_of: str
    if_there: bool = False


@dataclass(frozen=True)
class OnBoxes:
    """The networks are detectors, which find boxes in the images of some roles.

    Attributes:
        if_there: whether the chapter omits images that are not available.
        corrupted: whether the detectors also run under the fifteen corruptions.
    """

    roles: tuple[str, ...]
    if_there: bool = False
    corrupted: bool = False


@dataclass(frozen=True)
class OnEmbeddings:
    """The networks embed the images of some roles; the images may have other classes."""

    roles: tuple[str, ...]
    if_there = False


Evaluation = OnCorruptions | OnImages | OnBoxes | OnEmbeddings


def plain(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str] = ()
) -> tuple[Network, ...]:
    """Return one network per model."""
    return tuple(Network.read(name, models) for name in models)


def per_corruption(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str]
) -> tuple[Network, ...]:
    """Return each model's own network, followed by its networks trained with one corruption each.

    >>> from robust_lib.config.profiles import load_profile
    >>> [str(one) for one in per_corruption(["resnet18"], load_profile("mini"), ["fog"])]
    ['resnet18', 'resnet18+fog']
    """
    return tuple(Network(model, name) for model in models for name in (None, *corruptions))


@dataclass(frozen=True)
class Chapter:
    """A notebook's record, which the engine, `start` and the book read.

    Attributes:
        networks: section of the profile's networks; "" for a chapter without networks.
        role: role of the data set that its networks are evaluated on.
        shows: the evaluations of its networks.
        reads: roles of further images that the notebook itself reads.
        if_there: further such roles, whose images are omitted, with a note, if they are not
            available.
        evaluates: models of the section by the papers' names, or a function that selects them, if
            the notebook does not use all of them by default.
        variants: function that returns the networks of the section's models.
        corruptions: "benchmark": ImageNet-C's, at the profile's severities; "training": those that
            networks are trained with, at the severities of that training; or a list of names, at
            the profile's severities.
        baseline: whether it needs the baseline network that normalises corruption errors.
        every_image: whether the profile's limit on images is ignored.
        description: description of its runs for readers, if the profile's own does not fit;
            {title}, {classes}, {images} and {seeds} are filled in.
        settings: parameter of the notebook -> its setting, if the names differ.
        checks: functions that reject impossible values of the notebook's own parameters; each is
            called with the parameters that have the names of its arguments.
        also: chapters whose networks are evaluated in this one as well.
        beside: further such chapters, if the profile has any.
        on_photographs: corruptions under which its page also evaluates networks on photographs,
            from the profile's `beside`; None: the page has no such part.
    """

    notebook: str
    networks: str = ""
    role: str = "imagenet_val"
    shows: tuple[Evaluation, ...] = ()
    reads: tuple[str, ...] = ()
    if_there: tuple[str, ...] = ()
    evaluates: tuple[str, ...] | Callable[[str], bool] = ()
    variants: Variants = plain
    corruptions: Literal["benchmark", "training"] | tuple[str, ...] = "benchmark"
    baseline: bool = False
    every_image: bool = False
    description: str | None = None
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    checks: tuple[Callable[..., object], ...] = ()
    also: tuple["Chapter", ...] = ()
    beside: tuple["Chapter", ...] = ()
    on_photographs: tuple[str, ...] | None = None

    def models(self, profile: Profile) -> Mapping[str, str]:
        """Return a mapping from the paper's names for the models of the chapter's section to ours.

        Raises:
            InputError: the profile has no such section.
        """
        if not self.networks:
            return {}
        if self.networks not in profile.networks:
            words = one_of("a section of the profile", self.networks, profile.networks)
            if not profile.trains:
                words += (
                    f" {profile.name} trains nothing, so sections on unpublished networks "
                    "are left out: use a profile that trains, such as full_trained."
                )
            raise InputError(words)
        return profile.networks[self.networks]

    def parts(self, profile: Profile) -> tuple["Chapter", ...]:
        """Return this chapter and the chapters whose networks are evaluated in it as well."""
        beside = (one for one in self.beside if one.networks in profile.networks)
        return (self, *self.also, *beside)

    def roles(self, profile: Profile) -> Mapping[str, bool]:
        """Return each role whose images the chapter reads -> whether it can omit them.

        Roles that the profile lacks and that the chapter can omit are left out.

        >>> from robust_lib.config.profiles import load_profile
        >>> record = Chapter("a_tour", reads=("imagenet_val_a",), if_there=("textures", "moon"))
        >>> dict(record.roles(load_profile("mini")))
        {'imagenet_val': False, 'imagenet_val_a': False, 'textures': True}
        """
        shown = [(role, one.if_there) for one in self.shows for role in one.roles]
        needed = [self.role, *(role for role, optional in shown if not optional), *self.reads]
        others = [role for role, optional in shown if optional] + list(self.if_there)
        others = [role for role in others if role in profile.data and role not in needed]
        return dict.fromkeys(needed, False) | dict.fromkeys(others, True)

    def all_networks(self, profile: Profile) -> tuple[Network, ...]:
        """Return the chapter's networks, with our names for the models."""
        ours = self.models(profile)
        corruptions = self.evaluated_corruptions(profile)
        found = self.variants(self.evaluated_models(profile), profile, corruptions)
        return tuple(replace(network, model=ours[network.model]) for network in found)

    def evaluated_models(self, profile: Profile) -> tuple[str, ...]:
        """Return the paper's names of the models that the chapter evaluates.

        Raises:
            InputError: the profile's section lacks one of them.
        """
        ours = self.models(profile)
        if callable(self.evaluates):
            return tuple(filter(self.evaluates, ours))
        for name in self.evaluates:
            if name not in ours:
                raise InputError(one_of(f"a model of {self.notebook}", name, ours))
        return self.evaluates or tuple(ours)

    def evaluated_corruptions(self, profile: Profile) -> tuple[str, ...]:
        """Return the corruptions that the chapter evaluates."""
        if isinstance(self.corruptions, tuple):
            return self.corruptions
        if self.corruptions == "training":
            return profile.training_corruptions or COMMON + OCCLUSION
        return COMMON + EXTRA if profile.extra else COMMON

    def classes_of(self, role: str) -> str:
        """Return the role to whose classes the predictions on a role's images are restricted.

        Raises:
            InputError: the chapter does not evaluate the role's images as they are.
        """
        known = {
            each: one.classes_of
            for one in self.shows
            if isinstance(one, OnImages)
            for each in one.roles
        }
        if role not in known:
            raise InputError(one_of("a role of the chapter", role, known))
        return known[role]

    def severities(self, profile: Profile) -> tuple[int, ...]:
        """Return the severities that the chapter evaluates."""
        training = profile.training_severities if self.corruptions == "training" else None
        return training or profile.severities

    def limit(self, profile: Profile) -> int | None:
        """Return the number of images that the chapter evaluates per condition; None: all."""
        if self.every_image:
            return None
        training = profile.training_limit if self.corruptions == "training" else None
        return training or profile.limit


def finds_boxes(network: Network) -> bool:
    """Return whether a network is a detector: a row of the detectors' manifests.

    >>> finds_boxes(Network("rfcn_resnet101_mini")), finds_boxes(Network("resnet50_mini"))
    (True, False)
    """
    return is_detector(network.model)


def is_trained_here(network: Network) -> bool:
    """Return whether a network's weights are trained here: its model has a recipe.

    >>> is_trained_here(Network("resnet18_mini")), is_trained_here(Network("my_net.py:build"))
    (True, False)
    """
    return network.model in model_names() and load_model(network.model).recipe is not None
