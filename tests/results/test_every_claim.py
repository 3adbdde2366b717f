"""Every claim of the ledger can come out either way, or open: tables made up from the claim alone.

Numbers are drawn at random for what a claim compares until plain arithmetic, which knows nothing of
intervals, says that it holds, and again until it says that it does not. A claim for which no such
table is found could never be refuted, or never be right.
"""

import operator
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from robust_lib import paths
from robust_lib.config.papers import paper_keys
from robust_lib.results.claims import Claim, Side, parse
from robust_lib.results.estimate import Draws
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup, Where
from robust_lib.results.reported import Reported, reported
from robust_lib.results.row import METRICS, Row
from robust_lib.results.table import Results

CLAIMS = [row for paper in paper_keys() for row in reported(paper) if row.is_claim]
SIGNS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
Values = dict[Where, float]
TRIES = 20_000


def named(row: Reported) -> str:
    return f"{row.item}: {row.metric}"


def of_one_model(row: Reported) -> Claim:
    """Return the claim, for a single made-up model if it is about a pattern."""
    claim = parse(row.metric, row.dataset)
    if claim.pattern is None:
        return claim
    return replace(claim.about("one"), share="all")


def side(of: Side, values: Values) -> float:
    found = [values[term] for term in of.terms]
    return found[0] - sum(found[1:]) if found else of.constant


def true(claim: Claim, values: Values) -> bool:
    sides = [side(one, values) for one in claim.sides]
    pairs = zip(pairwise(sides), claim.operators, strict=True)
    return all(SIGNS[sign](*pair) for pair, sign in pairs)


def margin(claim: Claim, values: Values) -> float:
    sides = [side(one, values) for one in claim.sides]
    return min(abs(left - right) for left, right in pairwise(sides))


def numbers(claim: Claim, rng: np.random.Generator) -> Values:
    """Return possible numbers for all that the claim and its premises compare."""

    def one(kind: str) -> float:
        if kind in ("count", "setting"):
            return float(rng.integers(0, 3000))
        if kind == "rate":
            return float(rng.choice([rng.random(), 0.1 * rng.random(), 1.0]))
        return float(rng.normal(0, 1)) if kind in ("relative", "score") else float(rng.random())

    signed = {"difference": lambda: float(rng.uniform(-1, 1))}
    counted = {"lower_ces": lambda: float(rng.integers(0, 16))}  # with its interval
    return {
        term: counted.get(
            term.metric,
            signed.get(METRICS[term.metric], lambda kind=METRICS[term.metric]: one(kind)),
        )()
        for term in claim.terms
    }


def assigned(claim: Claim, wanted: bool, premises: bool = True) -> Values | None:
    """Return numbers for which the claim is true or false, by more than a little."""
    rng = np.random.default_rng(0)
    for _ in range(TRIES):
        values = numbers(claim, rng)
        met = all(true(one, values) and margin(one, values) > 1e-3 for one in claim.premises)
        if met is premises and true(claim, values) is wanted and margin(claim, values) > 1e-3:
            return values
    return None


def table(values: Values, noise: float) -> Lookup:
    """Return the numbers as results, every one with draws around it."""
    rows = []
    for place, (term, value) in enumerate(values.items()):
        rng = np.random.default_rng(place)
        drawn = value + noise * rng.standard_normal(400)
        rows.append(
            Row(
                item="inc-tab1",
                dataset=term.dataset or "toys",
                model=term.model,
                corruption=term.corruption,
                severity=term.severity,
                k=term.k,
                metric=term.metric,
                convention=term.convention,
                value=value,
                n=9,
                n_full=9,
                draws=Draws("toys", lambda drawn=drawn: drawn),
            )
        )
    return Lookup(results=Results.of(rows), item="inc-tab1")


@pytest.mark.parametrize("row", CLAIMS, ids=named)
def test_there_is_a_table_on_which_it_holds(row):
    claim = of_one_model(row)
    values = assigned(claim, True)
    assert values is not None, "no numbers were found for which the claim is true"
    assert judge(claim, table(values, 1e-5)).word == "holds"


@pytest.mark.parametrize("row", CLAIMS, ids=named)
def test_there_is_a_table_on_which_it_does_not_hold(row):
    claim = of_one_model(row)
    values = assigned(claim, False)
    assert values is not None, "no numbers were found for which the claim is false"
    assert judge(claim, table(values, 1e-5)).word == "does not hold"


@pytest.mark.parametrize("row", CLAIMS, ids=named)
def test_there_is_a_table_on_which_it_is_not_decided(row):
    claim = of_one_model(row)
    exact = all(METRICS[term.metric] in ("count", "setting") for term in claim.terms)
    if exact:
        # Counts are never open; only what the paper counted itself may be claimed of them.
        assert row.status == "range"
        return
    values = assigned(claim, True)
    assert values is not None
    noisy = replace(claim, premises=())
    assert judge(noisy, table(values, 50.0)).word == "not decided"


@pytest.mark.parametrize("row", [row for row in CLAIMS if " if " in row.metric], ids=named)
def test_there_is_a_table_on_which_its_premise_fails(row):
    claim = of_one_model(row)
    values = assigned(claim, True, premises=False)
    assert values is not None, "no numbers were found for which the premise is false"
    assert judge(claim, table(values, 1e-5)).word == "premise fails"


def test_no_lead_of_a_chapter_states_what_a_claim_says():
    """A run may contradict the claim, and who reads bold words alone takes home the opposite."""
    told = {row.sentence.rstrip(".").lower() for row in CLAIMS}
    leads = [
        (path.stem, lead)
        for path in sorted(paths.notebooks().glob("*.ipynb"))
        for lead in re.findall(r'"\*\*([^*]+?)\.?\*\*', path.read_text("utf-8"))
    ]
    assert len(leads) > 100
    assert [one for one in leads if one[1].lower() in told] == []
