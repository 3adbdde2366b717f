"""A run's rows compared with the gates: same, within some images, failed, or not run."""

from collections.abc import Iterable, Sequence

from robust_lib.results.gates.gate import OUTCOMES, Gate, Judged
from robust_lib.results.row import Row
from robust_lib.vocabulary import SEVERITIES

ARCHIVE = "archive"
"""How the convention of rows about the published archive begins; corruptions that are made anew
give numbers of their own."""

MCE = f"{ARCHIVE}, divided by AlexNet's published errors"

FRAMES = "anchor included; each frame's own labels"
"""The convention of the authors of pm-k, by which the references were found."""


_RANK = (OUTCOMES[-1], *OUTCOMES[:-1])
"""Outcomes, each worse than the one before."""


def judged(gates: Iterable[Gate], rows: Iterable[Row]) -> tuple[Judged, ...]:
    """Return the outcome of each gate for the rows of one run or of several; the worst counts.

    Rows over a part of the pictures, or by another convention, are not judged; a wrong mask is no
    convention but a fault.

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
    if gate.corruption is not None:
        return _over_severities(gate, about)
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


def _over_severities(gate: Gate, rows: Sequence[Row]) -> Judged:
    """Return the judgement of an accuracy over the five severities of a corruption."""
    cells = [row for row in rows if row.corruption == gate.corruption and row.metric == "error"]
    cells = [row for row in cells if (row.convention or "").startswith(ARCHIVE)]
    by_severity = {row.severity: row for row in cells}
    if set(by_severity) != set(SEVERITIES):
        missing = "no number of it" if not cells else f"{len(by_severity)} of 5 severities"
        return _not_run(gate, missing)
    images = (gate.pictures or 0) // len(SEVERITIES)
    part = next((row for row in by_severity.values() if row.n != images), None)
    if part is not None:
        return _not_run(gate, _part(part, images))
    return _farthest(gate, [sum(_right(row) for row in by_severity.values()) / len(SEVERITIES)])


def _right(row: Row) -> float:
    return 1 - row.value if row.metric == "error" else row.value


def _farthest(gate: Gate, found: Sequence[float]) -> Judged:
    return gate.judged(max(found, key=lambda value: abs(value - gate.value)))


def _part(row: Row, pictures: int | None) -> str:
    return f"{row.n:,} of {pictures or row.n_full:,} pictures"


def _not_run(gate: Gate, why: str) -> Judged:
    return Judged(gate, None, "not run", 0.0, why)
