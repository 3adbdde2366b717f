"""Records of the corruptions: a sentence, a formula, five constants, the random draws."""

import csv
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import Field

from robust_lib import paths
from robust_lib.config.strict_yaml import Record, parse_record, read_yaml
from robust_lib.errors import ManifestError
from robust_lib.vocabulary import NAMES, OWN, SEVERITIES

FIVE = len(SEVERITIES)
COLUMNS = ("corruption", "severity", "ours_ms", "peer_ms")


class Constant(Record):
    """One constant of a corruption.

    Attributes:
        values: one per severity.
    """

    symbol: str
    words: str
    values: tuple[float, ...] = Field(min_length=FIVE, max_length=FIVE)


class Entry(Record):
    """One corruption; TeX is between dollars in prose, and alone in `formula`.

    Attributes:
        formula: maps the image x to the result y, both from 0 to 1.
        where: meaning of the formula's other symbols; None if there are none.
        constants: the constants, in the order of display.
        draws: the random draws; None if nothing is random.
        quirk: deviation from a clean implementation; None if there is none.
        convention: printed next to a number computed with a corruption of `vocabulary.OWN`; None
            for those of papers, for which `corruptions.convention` has it.
    """

    says: str
    formula: str
    where: str | None
    constants: tuple[Constant, ...] = Field(min_length=1)
    draws: str | None
    quirk: str | None
    convention: str | None = None

    def told(self, severity: int) -> str:
        """Return the constants at one severity as text, such as "strength 2.5, decay 1.7"."""
        at = SEVERITIES.index(severity)
        return ", ".join(f"{one.words} {one.values[at]:g}" for one in self.constants)


class Cost(Record):
    """Milliseconds for one 224 px image: ours, and the peer package's if it has the corruption."""

    corruption: str
    severity: int
    ours_ms: float = Field(gt=0)
    peer_ms: float | None = Field(gt=0)


def catalogue() -> Mapping[str, Entry]:
    """Return the record of every corruption, in the order of `vocabulary.NAMES`.

    Raises:
        ManifestError: the file is invalid, or does not list exactly the existing corruptions.
    """
    path = paths.manifests() / "corruptions.yaml"
    raw = read_yaml(path)
    if not isinstance(raw, dict) or tuple(raw) != NAMES:
        found = ", ".join(map(str, raw)) if isinstance(raw, dict) else type(raw).__name__
        raise ManifestError(
            f"{path}: expected an entry for each of {', '.join(NAMES)}, in this order, but found "
            f"{found}. Add, remove or move entries until they agree."
        )
    entries = {name: parse_record(raw[name], Entry, path, name) for name in NAMES}
    for name, entry in entries.items():
        if (entry.convention is None) == (name in OWN):
            raise ManifestError(
                f"{path}: expected a convention for corruptions that are in no paper, and for no "
                f"others, but {name} has "
                f"{'none' if entry.convention is None else repr(entry.convention)}."
            )
    return MappingProxyType(entries)


def is_canonical(name: str) -> bool:
    """Return whether a corruption is computed exactly as its paper describes.

    >>> is_canonical("fog"), is_canonical("rain.py:rain")
    (True, False)
    """
    from robust_lib import corruptions  # imports OpenCV

    return name not in OWN and corruptions.is_canonical(name)


def convention(name: str) -> str:
    """Return the convention text for a number computed with a corruption.

    >>> convention("contrast"), convention("rain.py:rain")
    ('as published', 'not of the benchmark')
    """
    from robust_lib import corruptions  # imports OpenCV

    own = catalogue()[name].convention if name in OWN else None
    return own or corruptions.convention(name)


def costs() -> tuple[Cost, ...]:
    """Return the cost of corruptions on the benchmark machine; empty without measurements.

    Raises:
        ManifestError: the measured table lacks a column, or has an invalid number.
    """
    path = paths.manifests() / "measured" / "corruption_speed.csv"
    return _read(path) if path.exists() else ()


def cost_of(corruption: str, measured: tuple[Cost, ...], severity: int) -> Cost | None:
    """Return the cost at the measured severity nearest to one; None if it was not measured."""
    own = [one for one in measured if one.corruption == corruption]
    return min(own, key=lambda one: abs(one.severity - severity), default=None)


def _read(path: Path) -> tuple[Cost, ...]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if rows and (missing := [name for name in COLUMNS if name not in rows[0]]):
        raise ManifestError(
            f"{path}:1: expected the columns {', '.join(COLUMNS)}, but {', '.join(missing)} "
            "is not among them. Measure the speeds again with `make bench`."
        )
    kept = [{name: row[name] or None for name in COLUMNS} for row in rows]
    try:
        return tuple(Cost.model_validate(row) for row in kept)
    except ValueError as error:
        raise ManifestError(
            f"{path}: {error}. Measure the speeds again with `make bench`."
        ) from None
