"""What a check computes, without what is printed."""

from collections.abc import Callable

from robust_lib.results.errata.lines import Line


def computed(check: Callable[[], tuple[Line, ...]]) -> list[str]:
    return [line.computed for line in check()]
