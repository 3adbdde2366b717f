"""Bundles: work that is too little for a process of its own shares one with its like."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def bundles(
    items: Iterable[Item],
    seconds: Callable[[Item], float],
    wanted_by: Callable[[Item], object],
    least: float,
) -> list[tuple[Item, ...]]:
    """Return items in groups of so many seconds at least, together what the same ones want.

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
