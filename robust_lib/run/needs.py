"""What a chapter needs before its notebook is executed: networks, drawn pictures, predictions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from robust_lib.config.manifests import DatasetManifest, load_dataset, load_model
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError, one_of
from robust_lib.run import costs
from robust_lib.run.chapter import Chapter, OnCorruptions, is_trained_here
from robust_lib.run.network import Network, resolved


class Evaluated(NamedTuple):
    """What networks are evaluated on: equal ones of several chapters are evaluated together.

    Attributes:
        datasets: names of the data sets whose images they see.
        classes_of: name of the one among whose classes they choose.
        corruptions: under which they see the images; none: as they are.
        severities: of the corruptions.
        limit: on the images; None: all.
    """

    datasets: tuple[str, ...]
    classes_of: str
    corruptions: tuple[str, ...] = ()
    severities: tuple[int, ...] = ()
    limit: int | None = None


@dataclass(frozen=True)
class Needs:
    """What has to be there before a chapter's notebook is executed.

    Attributes:
        notebook: of the chapter.
        networks: of seed 0, each after the one that it starts from.
        datasets: names of those whose pictures are seen, and drawn here.
        evaluated: what the networks are evaluated on -> the roles of those data sets.
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
    """Return what has to be there before a chapter's notebook is executed.

    Raises:
        InputError: the profile lacks the chapter's networks or one of its roles.

    >>> from robust_lib.config.profiles import load_profile
    >>> needs(Chapter("a_tour", networks="balance"), load_profile("smoke")).datasets
    ('scenes_val', 'scenes_small_train')
    """
    evaluated = dict(_evaluated(chapter, profile))
    roles = dict.fromkeys((chapter.role, *chain.from_iterable(evaluated.values())))
    sets = [_manifest(role, profile) for role in roles]
    filters = {one.name: filters_of(one, profile) for one in sets if "filters" in one.options}
    sets += [_manifest(one.options["candidates"], profile) for one in sets if one.name in filters]
    asked = (*_asked(chapter, profile), *chain.from_iterable(filters.values()))
    networks = tuple(dict.fromkeys(chain.from_iterable(map(lineage, asked))))
    sets += [training_set(network, profile) for network in networks if is_trained_here(network)]
    seen = dict.fromkeys(one.of or one.name for one in sets)
    drawn = tuple(name for name in seen if costs.drawing(name, profile))
    return Needs(chapter.notebook, networks, drawn, evaluated, filters)


def lineage(network: Network) -> tuple[Network, ...]:
    """Return the networks trained here that lead to one, and it: each starts from the one before.

    >>> [str(one) for one in lineage(Network("resnet50_mini_a", seed=1))]
    ['resnet50_mini~1', 'resnet50_mini_a~1']
    """
    start = load_model(network.model).starts_from if is_trained_here(network) else None
    if start is None or not is_trained_here(Network(start)):
        return (network,)
    return (*lineage(Network(start, seed=network.seed)), network)


def training_set(network: Network, profile: Profile) -> DatasetManifest:
    """Return the data set that a network is trained on."""
    return _manifest(load_model(network.model).trained_on, profile)


def filters_of(manifest: DatasetManifest, profile: Profile) -> tuple[Network, ...]:
    """Return the networks that choose a data set's images from its candidates."""
    options = manifest.options
    return tuple(resolved(profile, options["networks"], name) for name in options["filters"])


def _asked(chapter: Chapter, profile: Profile) -> Iterator[Network]:
    if chapter.baseline and profile.normaliser == "measured":
        yield resolved(profile, chapter.networks, profile.baseline)
    yield from chapter.all_networks(profile)


def _evaluated(chapter: Chapter, profile: Profile) -> Iterable[tuple[Evaluated, tuple[str, ...]]]:
    limit = None if chapter.every_image else profile.limit
    for shown in chapter.shows:
        if isinstance(shown, OnCorruptions):
            name = _manifest(shown.role, profile).name
            corruptions = chapter.evaluated_corruptions(profile)
            severities = tuple(chapter.severities(profile))
            yield Evaluated((name,), name, corruptions, severities, limit), (shown.role,)
        else:
            names = tuple(_manifest(role, profile).name for role in shown.roles)
            yield (
                Evaluated(names, _manifest(shown.classes_of, profile).name, limit=limit),
                shown.roles,
            )


def _manifest(role: str, profile: Profile) -> DatasetManifest:
    if role not in profile.data:
        raise InputError(one_of("a role of the profile", role, profile.data))
    return load_dataset(profile.data[role])
