"""The verdicts on the papers' claims, one line each, as `robust report` prints them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from robust_book.commands import gates
from robust_book.html.claims import sides
from robust_lib import paths
from robust_lib.errors import RunError
from robust_lib.results.gates import gate
from robust_lib.results.gates.gate import is_judged
from robust_lib.results.reported import CLAIMS
from robust_lib.results.verdicts import VERDICTS, Verdict, overall

_NAME = 22
_WORD = 15


def lines(profile: str, *, arithmetic: bool = False) -> Iterator[str]:
    """Yield one line per claim with the paper's numbers and ours, then a summary with gates.

    Args:
        arithmetic: whether to add the arithmetic of each verdict, for claims and numbers.

    Raises:
        RunError: the profile has no results.
    """
    verdicts = _verdicts(profile)
    for one in verdicts:
        if one.status in CLAIMS:
            said = f"{one.item:<{_NAME}} {VERDICTS[one.verdict].sign} {one.verdict:<{_WORD}}"
            yield f"{said} {one.sentence or one.metric} {sides(one)}".rstrip()
        elif arithmetic:
            yield f"{one.item:<{_NAME}} {VERDICTS[one.verdict].sign} {one.verdict:<{_WORD}}"
        if arithmetic:
            yield f"    {one.why}"
    claims: dict[tuple[str, str | None], list[Verdict]] = {}
    for one in verdicts:
        if one.status in CLAIMS:
            claims.setdefault((one.metric, one.dataset), []).append(one)
    yield f"Claims: {_counted(map(overall, claims.values()))}."  # that of two items is one claim
    yield f"Numbers: {_counted(one.verdict for one in verdicts if one.status not in CLAIMS)}."
    found = gates.found(profile)
    if any(is_judged(one) for one in found):
        yield gate.summary(found)


def _counted(words: Iterable[str]) -> str:
    counts = Counter(words)
    return ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word]) or "none"


def _verdicts(profile: str) -> list[Verdict]:
    folder = paths.profile(profile) / "results"
    files = sorted(folder.glob("*.json"))
    if not files:
        raise RunError(
            f"Expected results of the profile {profile} in {folder}, but there are none. Run `make "
            f"book PROFILE={profile}` to compute them."
        )
    return [one for file in files for one in _of_chapter(file)]


def _of_chapter(file: Path) -> Iterator[Verdict]:
    for item in json.loads(file.read_text("utf-8"))["items"]:
        for record in item["verdicts"]:
            yield Verdict(**record)
