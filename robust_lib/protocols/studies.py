"""Studies: chapters that train networks of their own, on data of their own."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from robust_lib.errors import InputError, one_of

STUDIES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"overlap": {"study": "overlap", "role": "imagenet_100", "trained_with": None}}
)
"""Study -> what `run.start` must know of it."""


def settings(study: str | None) -> Mapping[str, Any]:
    """Return what `run.start` must know of a study; nothing without one.

    Raises:
        InputError: an unknown study.
    """
    if study is None:
        return {}
    if study not in STUDIES:
        raise InputError(one_of("study", study, STUDIES))
    return STUDIES[study]
