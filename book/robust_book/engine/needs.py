"""Requirements of a chapter's notebook: networks, drawn images and predictions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from robust_book.engine import costs
from robust_lib.config.manifests import (
    begins_as,
    is_dataset,
    load_dataset,
    load_model,
    model_names,
)
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError, one_of
from robust_lib.run.chapter import (
    Chapter,
    OnBoxes,
    OnCorruptions,
    OnEmbeddings,
    is_trained_here,
)
from robust_lib.run.network import Network, resolved
from robust_lib.run.roles import is_there, with_edition


class Evaluated(NamedTuple):
    """One evaluation of networks; chapters with the same one share it.

    Attributes:
        classes_of: data set whose classes the networks predict.
        boxes: whether the networks are detectors, which return boxes.
        embeddings: whether embeddings are needed; the notebook computes them itself.
    """

    datasets: tuple[str, ...]
    classes_of: str
    corruptions: tuple[str, ...] = ()
    severities: tuple[int, ...] = ()
    limit: int | None = None
    boxes: bool = False
    embeddings: bool = False


@dataclass(frozen=True)
class Needs:
    """The networks, images and predictions that must exist before a chapter's notebook runs.

    Attributes:
        networks: networks of seed 0, each after the network that it starts from.
        datasets: data sets whose images are used and drawn here.
        evaluated: evaluation of the networks -> the roles of its data sets.
        filters: filtered data set -> the networks that choose its images.
    """

    notebook: str
    networks: tuple[Network, ...]
    datasets: tuple[str, ...]
    evaluated: Mapping[Evaluated, tuple[str, ...]]
    filters: Mapping[str, tuple[Network, ...]]

    @property
    def trained(self) -> tuple[Network, ...]:
        """Return the networks that are trained here."""
        return tuple(network for network in self.networks if is_trained_here(network))


def needs(chapter: Chapter, profile: Profile) -> Needs:
    """Return the networks, images and predictions that must exist before a chapter's notebook runs.

    Raises:
        InputError: the profile lacks the chapter's networks or one of its roles.

    >>> from robust_lib.config.profiles import load_profile
    >>> needs(Chapter("a_tour", networks="balance"), load_profile("smoke")).datasets
    ('scenes_val', 'scenes_small_train')
    """
    profile = with_edition(profile)
    evaluated = dict(_evaluated(chapter, profile))
    roles = chapter.roles(profile).items()
    seen = [
        played(role, profile) for role, optional in roles if not optional or is_there(profile, role)
    ]
    filters = {name: found for name in seen if (found := filters_of(name, profile))}
    seen += [played(options(name)["candidates"], profile) for name in filters]
    asked = (*_asked(chapter, profile), *chain.from_iterable(filters.values()))
    networks = tuple(dict.fromkeys(chain.from_iterable(map(lineage, asked))))
    seen += [training_set(network, profile) for network in networks if is_trained_here(network)]
    drawn = dict.fromkeys(whole for name in seen if costs.drawing(whole := whole_of(name), profile))
    return Needs(chapter.notebook, networks, tuple(drawn), evaluated, filters)


def lineage(network: Network) -> tuple[Network, ...]:
    """Return the trained networks that a network starts from, in order, and the network itself.

    >>> [str(one) for one in lineage(Network("resnet50_mini_a", seed=1))]
    ['resnet50_mini~1', 'resnet50_mini_a~1']
    """
    known = network.model in model_names()
    tuned = network.corruption is not None
    start = begins_as(load_model(network.model), corrupted=tuned) if known else None
    if start is None or not is_trained_here(Network(start)):
        return (network,)
    return (*lineage(Network(start, seed=network.seed)), network)


def training_set(network: Network, profile: Profile) -> str:
    """Return the data set on which a network is trained."""
    return played(load_model(network.model).trained_on, profile)


def filters_of(name: str, profile: Profile) -> tuple[Network, ...]:
    """Return the networks that choose a data set's images from its candidates."""
    about = options(name)
    return tuple(resolved(profile, about["networks"], one) for one in about.get("filters", ()))


def played(role: str, profile: Profile) -> str:
    """Return the data set that plays a role in a profile.

    Raises:
        InputError: the profile has no such role.
    """
    if role not in profile.data:
        raise InputError(one_of("a role of the profile", role, profile.data))
    return profile.data[role]


def whole_of(name: str) -> str:
    """Return the data set that another is a part of, or the data set itself.

    >>> whole_of("scenes_val_a"), whole_of("folder:holiday/pictures")
    ('scenes_val', 'folder:holiday/pictures')
    """
    return (load_dataset(name).of if is_dataset(name) else None) or name


def options(name: str) -> Mapping[str, Any]:
    """Return the settings of a data set; a user's folder has none."""
    return load_dataset(name).options if is_dataset(name) else {}


def _asked(chapter: Chapter, profile: Profile) -> Iterator[Network]:
    if chapter.baseline and profile.normaliser == "measured":
        yield resolved(profile, chapter.networks, profile.baseline)
    yield from chapter.all_networks(profile)


def _evaluated(chapter: Chapter, profile: Profile) -> Iterable[tuple[Evaluated, tuple[str, ...]]]:
    limit = chapter.limit(profile)
    for shown in chapter.shows:
        if shown.if_there and not all(is_there(profile, role) for role in shown.roles):
            continue
        if isinstance(shown, OnCorruptions):
            name = played(shown.role, profile)
            corruptions = chapter.evaluated_corruptions(profile)
            severities = tuple(chapter.severities(profile))
            yield Evaluated((name,), name, corruptions, severities, limit), (shown.role,)
        elif isinstance(shown, OnBoxes | OnEmbeddings):
            names = tuple(played(role, profile) for role in shown.roles)
            boxes = isinstance(shown, OnBoxes)
            asked = Evaluated(names, names[0], limit=limit, boxes=boxes, embeddings=not boxes)
            yield asked, shown.roles
        else:
            names = tuple(played(role, profile) for role in shown.roles)
            among = played(shown.classes_of, profile)
            yield Evaluated(names, among, limit=limit), shown.roles
