"""A gate: a published number, the tolerance of a run, and the outcome."""

import math
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["same", "within", "FAILED", "not run"]
OUTCOMES: tuple[Outcome, ...] = ("same", "within", "FAILED", "not run")

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A published number that public weights must reach on the real data.

    Attributes:
        metric: "accuracy", "pm_accuracy", "mce" or "map".
        corruption: for an accuracy over the five severities of one.
        step: one unit of its last printed digit, a fraction.
        tolerance: allowed distance from the numbers that round to it, a fraction.
        pictures: number of images that it is a share of; None for a score without counts.
        unlike: why a run of this project cannot find the same; empty if it must.
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
        """Return the tolerance as text: in images where it counts some, else in points."""
        if self.pictures is None:
            return f"{100 * self.tolerance:g} points"
        return _pictures(self.tolerance_in_pictures)

    @property
    def tolerance_in_pictures(self) -> int:
        """Return how many images a run may be off, beyond the rounding of the number."""
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
    """The outcome of a gate.

    Attributes:
        ours: the run's number, a fraction; None if there is none.
        off: distance to the numbers that round to the published one: images, or points as a
            fraction.
        why: why it was not judged.
    """

    gate: Gate
    ours: float | None
    outcome: Outcome
    off: float
    why: str

    @property
    def words(self) -> str:
        """Return the outcome as text, such as "within 3 pictures (25 allowed)"."""
        if self.outcome == "not run":
            return f"not run: {self.why}"
        if self.outcome == "same":
            return "same"
        points = f"{100 * self.off:.2g} points"
        off = points if self.gate.pictures is None else _pictures(int(self.off))
        apart = f"within {off}" if self.outcome == "within" else f"FAILED by {off}"
        return f"{apart} ({self.gate.allowed.removesuffix(' pictures')} allowed)"


def _pictures(number: int) -> str:
    return f"{number:,} picture{'' if number == 1 else 's'}"
