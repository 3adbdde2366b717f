"""The papers' errata, each with the computation that shows it, if there is one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

from robust_lib import paths
from robust_lib.config.papers import Paper
from robust_lib.config.strict_yaml import Record, parse_record, read_yaml
from robust_lib.errors import InputError, one_of
from robust_lib.results.errata import inc, nae, nao, overlap, vid
from robust_lib.results.errata.lines import Line

Rank = Literal["number", "sentence", "misprint"]


class Erratum(Record):
    """Something a paper prints that its own numbers, its data or its code contradict.

    Attributes:
        rank: number (a wrong number), sentence (a contradicted statement) or misprint (the meaning
            is clear).
        found: our finding; for a misprint, the intended text.
        by: its source, such as the authors' code; for an erratum with a check, everything that the
            check is computed from.
        check: the computation that shows it; None if there is none.
    """

    id: str
    title: str
    rank: Rank
    paper: Paper
    items: tuple[str, ...]
    printed: str
    found: str
    explanation: str
    by: str
    check: str | None


def errata() -> tuple[Erratum, ...]:
    """Return all errata, in the papers' order."""
    path = paths.manifests() / "reported" / "errata.yaml"
    return tuple(
        parse_record(raw, Erratum, path, position) for position, raw in enumerate(read_yaml(path))
    )


def check(name: str) -> tuple[Line, ...]:
    """Return the lines of a check, computed from the sources in its erratum's `by`.

    Raises:
        InputError: there is no check of this name.
    """
    if name not in CHECKS:
        raise InputError(one_of("check", name, CHECKS))
    return CHECKS[name]()


CHECKS: Mapping[str, Callable[[], tuple[Line, ...]]] = MappingProxyType(
    {**inc.CHECKS, **overlap.CHECKS, **nae.CHECKS, **vid.CHECKS, **nao.CHECKS}
)
