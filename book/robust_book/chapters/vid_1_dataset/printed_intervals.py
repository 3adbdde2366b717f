"""Table 1's printed intervals beside those for each number of anchors that the paper has."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_book.html.markup import Html, text
from robust_lib.protocols.pm_k.networks import TYPES
from robust_lib.results.errata.lines import rows, value
from robust_lib.results.errata.vid import counts_of, exact_interval
from robust_lib.results.notation import ends
from robust_lib.results.reported import number, reported

SCORED = 1109
"""The anchors that Table 1's accuracies are counts of; see erratum vid-two-versions."""
CANDIDATES: Mapping[int, str] = MappingProxyType(
    {SCORED: "released", 1145: "section 2", 1314: "before review"}
)
"""Numbers of anchors -> where the paper has so many."""

Ends = tuple[float, float]


def recomputed() -> list[tuple[str, int, float, Ends, dict[int, Ends]]]:
    """Return model, k, accuracy, printed interval and those for each number of anchors, percent.

    The share of the 1,109 anchors is carried over to the other numbers, of which it need not be a
    whole one.
    """
    table, found = reported("vid-tab1"), []
    for line in rows(table, "pm_accuracy"):
        share = counts_of(100 * number(line), SCORED)[0] / SCORED
        printed = _rounded(
            value(table, f"pm_accuracy_{end}", model=line.model, k=line.k)
            for end in ("low", "high")
        )
        ours = {n: _rounded(exact_interval(share * n, n)) for n in CANDIDATES}
        found.append((str(line.model), line.k or 0, 100 * number(line), printed, ours))
    return found


def agreeing() -> dict[int, int]:
    """Return for each number of anchors how many printed intervals are those of so many."""
    every = recomputed()
    return {n: sum(ours[n] == printed for *_, printed, ours in every) for n in CANDIDATES}


def interval_frame() -> pd.DataFrame:
    """Return the printed intervals beside those for each number of anchors; others are red."""
    return pd.DataFrame(
        [
            {
                "Network": TYPES[model].capitalize(),
                "k": k,
                "Printed": f"{accuracy:.1f}{ends(*printed)}",
                **{f"n = {n:,}": _cell(ours[n], printed) for n in CANDIDATES},
            }
            for model, k, accuracy, printed, ours in recomputed()
        ]
    )


def words() -> str:
    """Return what to see in the table, computed."""
    found = agreeing()
    best = max(found, key=lambda n: found[n])
    others = " and ".join(f"{found[n]} for n = {n:,} ({CANDIDATES[n]})" for n in found if n != best)
    return (
        f"Of the {len(recomputed())} printed intervals {found[best]} are those for n = {best:,} "
        f"({CANDIDATES[best]}); {others}"
    )


def _rounded(interval: Iterable[float]) -> Ends:
    low, high = (round(100 * float(end), 1) for end in interval)
    return low, high


def _cell(ours: Ends, printed: Ends) -> Html:
    shown = text(ends(*ours).strip())
    if np.allclose(ours, printed):
        return Html(f"{shown} ✓")
    return Html(f'<span class="rb-wrong">{shown}</span>')
