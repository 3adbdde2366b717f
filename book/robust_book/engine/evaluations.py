"""Grouping of evaluations into jobs: each image is read once for all chapters that share it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from robust_book.engine import costs
from robust_book.engine.needs import Evaluated, Needs
from robust_lib.config.profiles import Profile
from robust_lib.run.chapter import finds_boxes
from robust_lib.run.network import Network


@dataclass(frozen=True)
class Share:
    """The images on which one job evaluates networks.

    Attributes:
        names: corruptions, or roles of the images.
        seconds: time of the job on one core.
    """

    names: tuple[str, ...]
    chapters: tuple[str, ...]
    seconds: float


def groups(needs: Sequence[Needs]) -> list[tuple[Evaluated, ...]]:
    """Return the evaluations of networks in groups that share their jobs.

    Chapters with the same images and different choices of corruptions share the common ones, unless
    one would wait for a training: public weights are never evaluated later than possible.
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
    """Return the images of each job of a group of evaluations.

    Args:
        least: minimum seconds of work that justify a process.
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
    """Return the networks of some chapters that an evaluation applies to."""
    networks = dict.fromkeys(one for need in needs for one in need.networks)
    return [one for one in networks if key.embeddings or finds_boxes(one) == key.boxes]


Item = TypeVar("Item")


def bundles(
    items: Iterable[Item],
    seconds: Callable[[Item], float],
    wanted_by: Callable[[Item], object],
    least: float,
) -> list[tuple[Item, ...]]:
    """Return items in groups of at least `least` seconds; items of the same chapters are together.

    >>> bundles(["a", "B", "b", "c"], lambda item: 10.0, str.lower, least=20.0)
    [('B', 'b'), ('a', 'c')]
    """
    cost = {item: seconds(item) for item in items}

    def enough(group: Iterable[Item]) -> bool:
        return sum(cost[item] for item in group) >= least

    def filled(alike: Iterable[Item]) -> list[tuple[Item, ...]]:
        groups: list[tuple[Item, ...]] = []
        for item in alike:
            if groups and not enough(groups[-1]):
                groups[-1] += (item,)
            else:
                groups.append((item,))
        return groups

    by_wish: dict[object, list[Item]] = {}
    for item in cost:
        by_wish.setdefault(wanted_by(item), []).append(item)
    groups = [group for alike in by_wish.values() for group in filled(alike)]
    groups = [group for group in groups if enough(group)] + filled(
        item for group in groups if not enough(group) for item in group
    )
    if len(groups) > 1 and not enough(groups[-1]):
        *groups, last, rest = groups
        groups.append(last + rest)
    return groups
