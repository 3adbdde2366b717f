"""Gates: a published number, the tolerance of a run, and the outcome for a run's rows."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from robust_lib.results.row import Row
from robust_lib.vocabulary import COMMON, SEVERITIES

Outcome = Literal["same", "within", "FAILED", "not run"]
OUTCOMES: tuple[Outcome, ...] = ("same", "within", "FAILED", "not run")

_ROUNDING = 1e-9

ARCHIVE = "archive"
"""Beginning of the convention of rows on the published archive; corruptions that are generated here
give other numbers."""

MCE = f"{ARCHIVE}, divided by AlexNet's published errors"
FRAMES = "anchor included; each frame's own labels"
"""The convention of pm-k's authors, with which the reference numbers were computed."""

_RANK = (OUTCOMES[-1], *OUTCOMES[:-1])
"""Outcomes, each worse than the one before."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A published number that public weights must reach on the real data.

    Attributes:
        metric: "accuracy", "pm_accuracy", "mce", "map", or "mean_accuracy" over the five severities
            of all fifteen corruptions.
        corruption: corruption, for an accuracy over its five severities.
        step: one unit of its last printed digit, a fraction.
        tolerance: allowed distance from the numbers that round to it, a fraction.
        pictures: number of images of which it is a share; None for a score without counts.
        unlike: reason why a run of this project cannot reproduce it; empty if a run must.
    """

    model: str
    dataset: str
    metric: str
    corruption: str | None = None
    k: int | None = None
    value: float
    step: float
    tolerance: float
    pictures: int | None
    source: str
    unlike: str = ""

    @property
    def allowed(self) -> str:
        """Return the tolerance as text, in images if the number counts images, else in points."""
        if self.pictures is None:
            return f"{100 * self.tolerance:g} points"
        return _pictures(self.tolerance_in_pictures)

    @property
    def tolerance_in_pictures(self) -> int:
        """Return the allowed deviation, as a number of images, in addition to rounding."""
        return math.floor(self.tolerance * (self.pictures or 0) + _ROUNDING)

    def judged(self, ours: float) -> "Judged":
        """Return the gate's outcome for a run's number, a fraction.

        >>> gate = Gate(model="m", dataset="d", metric="accuracy", value=0.018, step=0.001,
        ...     tolerance=0.002, pictures=1000, source="a paper")
        >>> [gate.judged(found).outcome for found in (0.0184, 0.0202, 0.021)]
        ['same', 'within', 'FAILED']
        """
        beyond = max(0.0, abs(ours - self.value) - self.step / 2 - _ROUNDING)
        if self.pictures is None:
            off, limit = beyond, self.tolerance + _ROUNDING
        else:
            off = math.ceil(beyond * self.pictures - 1e-6)
            limit = self.tolerance_in_pictures
        outcome: Outcome = "same" if not off else "within" if off <= limit else "FAILED"
        return Judged(self, ours, outcome, float(off), "")


@dataclass(frozen=True)
class Judged:
    """A gate with its outcome for a run.

    Attributes:
        ours: the run's number, a fraction; None if there is none.
        off: distance to the numbers that round to the published one: images, or points as a
            fraction.
        why: reason why the gate was not judged.
    """

    gate: Gate
    ours: float | None
    outcome: Outcome
    off: float
    why: str

    @property
    def words(self) -> str:
        """Return the outcome as text, such as "within 3 images (25 allowed)"."""
        if self.outcome == "not run":
            return f"not run: {self.why}"
        if self.outcome == "same":
            return "same"
        points = f"{100 * self.off:.2g} points"
        off = points if self.gate.pictures is None else _pictures(int(self.off))
        apart = f"within {off}" if self.outcome == "within" else f"FAILED by {off}"
        return f"{apart} ({self.gate.allowed.removesuffix(' images')} allowed)"


def _pictures(number: int) -> str:
    return f"{number:,} image{'' if number == 1 else 's'}"


def judged(gates: Iterable[Gate], rows: Iterable[Row]) -> tuple[Judged, ...]:
    """Return the outcome of each gate for the rows of one run or of several; the worst counts.

    Rows over a part of the images, or with a different convention, are not judged; a wrong class
    mask is not a convention but an error.

    Args:
        rows: each with the name of its run.

    >>> gate = Gate(model="resnet50", dataset="imagenet_a", metric="accuracy", value=0.0,
    ...     step=0.0001, tolerance=0.001, pictures=7500, source="others")
    >>> row = Row(item="nae-fig2", dataset="imagenet_a", model="resnet50", metric="accuracy",
    ...     value=0.0, n=7500, n_full=7500)
    >>> [one.words for one in judged([gate], [row])]
    ['same']
    """
    by_model: dict[str | None, dict[str | None, list[Row]]] = {}
    for row in rows:
        by_model.setdefault(row.model, {}).setdefault(row.run, []).append(row)
    return tuple(
        max(
            (_judged(gate, of_run) for of_run in by_model.get(gate.model, {None: []}).values()),
            key=lambda one: (_RANK.index(one.outcome), one.off),
        )
        for gate in gates
    )


def _judged(gate: Gate, rows: Sequence[Row]) -> Judged:
    if gate.unlike:
        return _not_run(gate, gate.unlike)
    about = [row for row in rows if row.dataset == gate.dataset and row.k == gate.k]
    if gate.metric == "mean_accuracy":
        return _over_severities(gate, about, COMMON)
    if gate.corruption is not None:
        return _over_severities(gate, about, (gate.corruption,))
    found = [row for row in about if row.corruption is None and row.severity is None]
    if gate.metric == "accuracy":  # of which an error is as good
        found = [row for row in found if row.metric in ("accuracy", "error")]
    else:
        found = [row for row in found if row.metric == gate.metric]
    needed = {"pm_accuracy": FRAMES, "mce": MCE}.get(gate.metric, "")
    by_rule = [row for row in found if needed in (row.convention or "")]
    if found and not by_rule:
        return _not_run(gate, f"another convention: {found[0].convention}")
    pictures = gate.pictures if gate.metric != "mce" else None
    whole = [row for row in by_rule if row.n == row.n_full and pictures in (None, row.n)]
    if by_rule and not whole:
        return _not_run(gate, _part(by_rule[0], pictures))
    if not whole:
        return _not_run(gate, "no number of it")
    return _farthest(gate, [_right(row) for row in whole])


def _over_severities(gate: Gate, rows: Sequence[Row], corruptions: Sequence[str]) -> Judged:
    """Return the judgement of an accuracy over the five severities of some corruptions."""
    cells = [row for row in rows if row.corruption in corruptions and row.metric == "error"]
    cells = [row for row in cells if (row.convention or "").startswith(ARCHIVE)]
    by_cell = {(row.corruption, row.severity): row for row in cells}
    asked = len(corruptions) * len(SEVERITIES)
    if len(by_cell) != asked:
        named = "severities" if gate.corruption else "cells"
        missing = "no number of it" if not cells else f"{len(by_cell)} of {asked} {named}"
        return _not_run(gate, missing)
    images = (gate.pictures or 0) // asked
    part = next((row for row in by_cell.values() if row.n != images), None)
    if part is not None:
        return _not_run(gate, _part(part, images))
    return _farthest(gate, [sum(_right(row) for row in by_cell.values()) / asked])


def _right(row: Row) -> float:
    return 1 - row.value if row.metric == "error" else row.value


def _farthest(gate: Gate, found: Sequence[float]) -> Judged:
    return gate.judged(max(found, key=lambda value: abs(value - gate.value)))


def _part(row: Row, pictures: int | None) -> str:
    return f"{row.n:,} of {pictures or row.n_full:,} images"


def _not_run(gate: Gate, why: str) -> Judged:
    return Judged(gate, None, "not run", 0.0, why)


def gate_frame(judged: Sequence[Judged]) -> pd.DataFrame:
    """Return one row per gate: the published and the run's number, in percent, and the outcome.

    >>> gate_frame(()).columns.tolist()[:3]
    ['Network', 'Data', 'Of']
    """
    columns = ("Network", "Data", "Of", "Others found", "This run", "Gate", "Allowed", "Source")
    return pd.DataFrame([_row(one) for one in judged], columns=list(columns))


def summary(judged: Sequence[Judged]) -> str:
    """Return a line of text with the number of gates by outcome.

    >>> summary(())
    'Gates: none.'
    """
    counts = Counter(one.outcome for one in judged)
    told = ", ".join(f"{counts[word]} {word}" for word in OUTCOMES if counts[word])
    return f"Gates: {told or 'none'}."


def is_judged(one: Judged) -> bool:
    """Return whether the gate was judged, that is, whether a run has a number for it."""
    return one.outcome != "not run"


def has_failed(judged: Sequence[Judged]) -> bool:
    """Return whether any gate failed."""
    return any(one.outcome == "FAILED" for one in judged)


def _row(one: Judged) -> tuple[object, ...]:
    gate = one.gate
    what = gate.metric if gate.k is None else f"pm-{gate.k}"
    return (
        gate.model,
        gate.dataset,
        gate.corruption or what,
        100 * gate.value,
        None if one.ours is None else 100 * one.ours,
        one.words,
        gate.allowed,
        gate.source,
    )
