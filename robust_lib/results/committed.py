"""Committed verdicts of runs with several seeds, since not every reader can repeat them.

`data_manifests/measured/<profile>_<n>_seeds/<notebook>.json` is the saved result of such a run. One
seed takes minutes, many take hours, and a verdict over many outranks one.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from robust_lib import paths
from robust_lib.results.reported import CLAIMS
from robust_lib.results.verdicts import Verdict

Said = Mapping[tuple[str, str], Verdict]
"""(item, claim) -> the committed verdict."""

_ANYWHERE = ("profile", "seeds", "device")
_WORDS = ("holds", "does not hold", "not decided", "premise fails")


def outranked(
    verdicts: Sequence[Verdict],
    profile: str,
    notebook: str,
    seeds: int,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Verdict, ...]:
    """Return verdicts in which those of a committed run with more seeds replace this run's.

    The word is the committed one; this run's own stands beside it. A run with other parameters asks
    another question, and keeps its own words.
    """
    found = most_seeds(profile, notebook)
    if found is None or found[0] <= seeds:
        return tuple(verdicts)
    number, file = found
    said, theirs = _read(file)
    if _asked(parameters) != _asked(theirs):
        return tuple(verdicts)
    return tuple(_outranked(one, said.get((one.item, one.metric)), number) for one in verdicts)


def most_seeds(profile: str, notebook: str) -> tuple[int, Path] | None:
    """Return the committed run with the most seeds: their number, and its file; else None."""
    folders = (paths.manifests() / "measured").glob(f"{profile}_*_seeds")
    by_seeds = {
        int(number[1]): folder / f"{notebook}.json"
        for folder in folders
        if (number := re.fullmatch(rf"{re.escape(profile)}_(\d+)_seeds", folder.name))
    }
    known = {number: file for number, file in by_seeds.items() if file.exists()}
    return max(known.items()) if known else None


def _asked(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in _ANYWHERE}


@lru_cache(maxsize=16)
def _read(file: Path) -> tuple[Said, Mapping[str, Any]]:
    saved = json.loads(file.read_text("utf-8"))
    verdicts = [Verdict(**record) for one in saved["items"] for record in one["verdicts"]]
    claims = {
        (one.item, one.metric): one
        for one in verdicts
        if one.status in CLAIMS and one.verdict in _WORDS
    }
    return claims, saved["provenance"]["parameters"]


def _outranked(own: Verdict, committed: Verdict | None, seeds: int) -> Verdict:
    if committed is None or own.status not in CLAIMS:
        return own
    alone = f"{own.here or own.arithmetic} ({own.verdict})"
    return replace(
        own,
        verdict=committed.verdict,
        here=f"{committed.here or committed.verdict}, over {seeds} seeds; this run alone: {alone}",
        arithmetic=f"{seeds} seeds: {committed.arithmetic}. This run alone: {own.arithmetic}",
    )
