"""Which job shows what to networks: each image once for all chapters that can be served at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from robust_book.engine import costs
from robust_book.engine.bundles import bundles
from robust_book.engine.needs import Evaluated, Needs
from robust_lib.config.profiles import Profile
from robust_lib.run.chapter import finds_boxes
from robust_lib.run.network import Network


@dataclass(frozen=True)
class Share:
    """What one job shows to networks.

    Attributes:
        names: corruptions, or roles of the images.
        chapters: whose networks see it.
        seconds: that it takes on one core.
    """

    names: tuple[str, ...]
    chapters: tuple[str, ...]
    seconds: float


def groups(needs: Sequence[Needs]) -> list[tuple[Evaluated, ...]]:
    """Return what networks are evaluated on, in groups that share their jobs.

    Chapters that see the same images under other choices of corruptions share those that both see,
    unless one would wait for a training: public weights are never shown later than they could be.
    """
    waits: dict[Evaluated, bool] = {}
    for need in needs:
        for key in need.evaluated:
            waits[key] = waits.get(key, False) or bool(need.trained)
    alike: dict[object, list[Evaluated]] = {}
    for key, waiting in waits.items():
        alone = waiting or not key.corruptions
        alike.setdefault(key if alone else key._replace(corruptions=()), []).append(key)
    return list(map(tuple, alike.values()))


def shares(
    keys: Sequence[Evaluated], needs: Sequence[Needs], profile: Profile, seeds: int, least: float
) -> list[Share]:
    """Return what each job shows of a group of evaluations.

    Args:
        keys: the group.
        needs: of the chapters that want one of them.
        profile: says how many images there are.
        seeds: of each network that is trained here.
        least: seconds that are worth a process.
    """
    key = keys[0]
    counts = [costs.images(name, profile) for name in key.datasets]
    images = sum(min(count, key.limit or count) for count in counts)
    if not key.corruptions:
        filtering = sum(
            costs.filtering(name, filters, profile)
            for name, filters in needs[0].filters.items()
            if name in key.datasets
        )
        seconds = seeds * costs.predicting(_asked(key, needs), images)
        chapters = tuple(need.notebook for need in needs)
        return [Share(needs[0].evaluated[key], chapters, filtering + seconds)]
    cells = images * len(key.severities)

    def wanting(*names: str) -> list[Needs]:
        wanted = [one for one in keys if not {*names}.isdisjoint(one.corruptions)]
        return [need for need in needs if not need.evaluated.keys().isdisjoint(wanted)]

    def seconds_of(name: str) -> float:
        networks = _asked(key, wanting(name))
        return costs.corrupting(cells) + seeds * costs.predicting(networks, cells)

    def chapters_of(*names: str) -> tuple[str, ...]:
        return tuple(need.notebook for need in wanting(*names))

    corruptions = dict.fromkeys(chain.from_iterable(one.corruptions for one in keys))
    return [
        Share(names, chapters_of(*names), sum(map(seconds_of, names)))
        for names in bundles(corruptions, seconds_of, chapters_of, least)
    ]


def _asked(key: Evaluated, needs: Sequence[Needs]) -> list[Network]:
    """Return the networks of some chapters that can answer an evaluation."""
    networks = dict.fromkeys(one for need in needs for one in need.networks)
    return [one for one in networks if key.embeddings or finds_boxes(one) == key.boxes]
