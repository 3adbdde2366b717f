"""Gates for readers: a table, and a line."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from robust_lib.results.gates.gate import OUTCOMES, Judged


def gate_frame(judged: Sequence[Judged]) -> pd.DataFrame:
    """Return one row per gate: the published number, the run's, in percent, and the outcome.

    >>> gate_frame(()).columns.tolist()[:3]
    ['Network', 'Data', 'Of']
    """
    columns = ("Network", "Data", "Of", "Others found", "This run", "Gate", "Allowed", "Source")
    return pd.DataFrame([_row(one) for one in judged], columns=list(columns))


def summary(judged: Sequence[Judged]) -> str:
    """Return a line with the number of gates by outcome.

    >>> summary(())
    'Gates: none.'
    """
    counts = Counter(one.outcome for one in judged)
    told = ", ".join(f"{counts[word]} {word}" for word in OUTCOMES if counts[word])
    return f"Gates: {told or 'none'}."


def is_judged(one: Judged) -> bool:
    """Return whether a run found a number for a gate."""
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
