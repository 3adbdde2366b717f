"""Claims judged again in plain Python: the words are those of the library's own judgement."""

import json
import math

import numpy as np
import pytest

from robust_book.verify.again import Grounds, comparison_faults
from robust_lib.metrics.intervals import Sample
from robust_lib.results.claims import parse
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.results.grounds import grounds
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from robust_lib.results.row import CONDITIONS, REAL, Row
from robust_lib.results.table import Results
from robust_lib.results.verdicts import Verdict

CLAIMS = (
    "error[a] < error[b]",
    "error[a] <= error[b] < error[c]",
    "error[*] > error[a]",
    "most error[*] < 40%",
    "nearly all error[*] >= error[b]",
    "-20% < error[a] - error[b] < 20%",
    "error[c] > error[a] if -30% < error[b] - error[c] < 30%",
    "mce[a] > mce[b] > 50%",
    "mce[*] > mce[c] if error[*] > error[c]",
    "images[a] > 20",
    "error[d] > error[a]",
)
NAMES = ("a", "b", "c", "e")


def rows_of(rng, images, seeds, together):
    """Rows of four networks, some alike, of one seed or several, each image alone or in groups."""
    sample = Sample("toys", tuple(str(one % 7) for one in range(images)) if together else None)
    hard = rng.random(images)
    for place, name in enumerate(NAMES):
        skill = rng.normal(0.5 + 0.1 * (place % 3), 0.02, seeds)[:, None]
        wrong = hard + rng.normal(0, rng.choice([0.01, 0.3]), (seeds, images)) > skill
        rate = Estimate.of_rate(list(wrong), images=sample, samples=100)
        yield Row.of(rate, item="inc-tab1", dataset="toys", metric="error", model=name)
        drawn = rate.draws if seeds == 1 else rate.draws.pictures
        ratio = Draws("toys", lambda drawn=drawn: drawn.values() / 0.4)
        found = Estimate.over(
            wrong.mean(1) / 0.4,
            lambda ratio=ratio: tuple(np.quantile(ratio.values(), [0.025, 0.975])),
            n=images,
            draws=ratio,
        )
        yield Row.of(found, item="inc-tab1", dataset="toys", metric="mce", model=name)
    told = Estimate(value=24.0, n=24, n_full=24)
    yield Row.of(told, item="inc-tab1", dataset="toys", metric="images", model="a")


def both(rows, claim):
    """The library's judgement, and the one that follows from what is stored, of one claim."""
    lookup = Lookup(results=Results.of(rows), item="inc-tab1")
    found = judge(parse(claim, "toys"), lookup)
    verdict = Verdict(
        item="inc-tab1", model=None, corruption=None, severity=None, k=None, dataset=None,
        metric=claim, status="direction", reported="+", unit="none", decimals=None,
        verdict=found.word, arithmetic=found.arithmetic, locator="", judgement=found,
    )  # fmt: skip
    kept = json.loads(json.dumps(grounds(rows, {"inc-tab1": [verdict]})))
    columns = (*CONDITIONS, *REAL, "n")
    table = [{name: "" if (one := getattr(row, name)) is None else str(one) for name in columns}
             for row in rows]  # fmt: skip
    return found, kept, table


@pytest.mark.parametrize(("seeds", "together"), [(1, False), (1, True), (5, False)])
def test_every_word_follows_again_from_what_is_stored_and_so_does_its_arithmetic(seeds, together):
    rng = np.random.default_rng(seeds + together)
    words = set()
    for images in (12, 60):
        rows = list(rows_of(rng, images, seeds, together))
        for claim in CLAIMS:
            found, kept, table = both(rows, claim)
            again = Grounds(kept, table)
            told = again.judge(claim, kept["claims"][0], as_printed=False)
            assert (told.word, again.faults) == (found.word, []), (claim, found.arithmetic)
            assert list(comparison_faults(found.arithmetic, told.steps)) == [], claim
            words.add(found.word)
    assert words >= {"holds", "missing"}


def test_another_number_other_draws_and_rows_of_another_metric_are_told():
    rows = list(rows_of(np.random.default_rng(0), 60, 1, False))
    claim = "error[a] > 5%"
    found, kept, table = both(rows, claim)
    assert found.word == "holds"
    told = Grounds(kept, table).judge(claim, kept["claims"][0], as_printed=False)
    assert list(comparison_faults(found.arithmetic.replace(" > 5.0 %", " > 4.0 %"), told.steps))
    assert Grounds(kept, table).reproduced() == 1
    for column in ("value", "low", "high"):
        edited = [table[0] | {column: str(float(table[0][column]) + 0.01)}, *table[1:]]
        assert Grounds(kept, edited).reproduced() == 0
    table[0]["metric"] = "accuracy"
    other = Grounds(kept, table)
    other.judge("error[a] > 6%", kept["claims"][0], as_printed=False)
    assert other.faults == [
        "error[a] was stored with another number's row",
        "6% was stored as 0.05",
    ]
    assert not math.isnan(other.row("0").value)
