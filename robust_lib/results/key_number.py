"""The numbers in the prose of a chapter, ready for the `{result}` role.

A statement of whether the paper and a run agree must not be typed, since the next run may differ:
the verdicts on an item's claims are therefore such numbers as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from robust_lib.config.manifests import model_title
from robust_lib.results.estimate import Estimate
from robust_lib.results.notation import with_interval
from robust_lib.results.reported import CLAIMS, data_title
from robust_lib.results.row import Row
from robust_lib.results.verdicts import Verdict, meaning, tally


@dataclass(frozen=True)
class KeyNumber:
    """A number as the prose shows it, with its convention, n and interval.

    Attributes:
        text: the number as shown, or words in its place.
        value: the number, a fraction if the text is a percentage; None for words.
        n: number of averaged items, if known.
        ends: the interval as text, if `text` does not contain it.
    """

    text: str
    value: float | int | str | None = None
    convention: str = ""
    n: int | None = None
    ends: str = ""


NOT_MEASURED = KeyNumber("not measured")
VERB = "-verb"
"""Ending of the key of a verdict that is the verb of a sentence."""


def percent(row: Row | None, *, missing: str = NOT_MEASURED.text) -> KeyNumber:
    """Return a row's number in percent, with its interval and convention; `missing` without a row.

    >>> row = Row(item="inc-tab1", dataset="toy", model="m", metric="accuracy", value=0.5, low=0.4,
    ...           high=0.6, n=9, n_full=9, convention="clean")
    >>> percent(row).text, percent(row).convention
    ('50.0 %', 'accuracy of m on toy, [40.0, 60.0] %; clean')
    """
    if row is None:
        return KeyNumber(missing)
    of = f" of {model_title(row.model)}" if row.model is not None else ""
    what = f"{row.metric.replace('_', ' ')}{of} on {data_title(row.dataset)}"
    between = ""
    if row.low is not None and row.high is not None:
        between = f"[{100 * row.low:.1f}, {100 * row.high:.1f}]"
        what += f", {between} %"
    convention = "; ".join(part for part in (what, row.convention) if part)
    return KeyNumber(f"{100 * row.value:.1f} %", row.value, convention, row.n, between)


def points(row: Row | None) -> KeyNumber:
    """Return a difference in points, with its interval.

    >>> points(None).text
    'not measured'
    """
    if row is None:
        return NOT_MEASURED
    low, high = (None if end is None else 100 * end for end in (row.low, row.high))
    text = f"{with_interval(100 * row.value, low, high)} points"
    return KeyNumber(text, row.value, f"{row.metric.replace('_', ' ')}; {row.convention}", row.n)


def paired_points(found: Estimate | None, what: str) -> KeyNumber:
    """Return the paired difference of two numbers in points, with its interval.

    >>> paired_points(Estimate(value=0.25, low=0.2, high=0.3, n=8, n_full=8), "mCE").text
    '25.0 [20.0, 30.0] points'
    """
    if found is None:
        return NOT_MEASURED
    low, high = (None if end is None else 100 * end for end in (found.low, found.high))
    text = f"{with_interval(100 * found.value, low, high)} points"
    return KeyNumber(text, found.value, f"{what}; paired interval", found.n)


def score(row: Row | None) -> KeyNumber:
    """Return a score with two decimals and its interval.

    >>> score(None).text
    'not measured'
    """
    if row is None:
        return NOT_MEASURED
    text = with_interval(row.value, row.low, row.high, 2)
    return KeyNumber(text, row.value, row.convention or "", row.n)


def count(number: int, convention: str = "", n: int | None = None) -> KeyNumber:
    """Return a whole number with thousands separators.

    >>> count(1109, "anchors").text
    '1,109'
    """
    return KeyNumber(f"{number:,}", number, convention, n)


def anchor(item: str, number: int) -> str:
    """Return the page anchor of one of an item's claims; claims are counted from one.

    >>> anchor("inc-tab1", 1)
    'inc-tab1-claim-1'
    """
    return f"{item.lower()}-claim-{number}"


def claim_numbers(item: str, verdicts: Sequence[Verdict]) -> dict[str, KeyNumber]:
    """Return the verdicts and numbers of an item's claims, ready for the `{result}` role.

    The key of a claim's verdict is its anchor on the page; the anchor with `-verb` gives the
    verdict as a verb phrase, with `-here` our numbers; the item's id with `-claims` gives the
    number of verdicts by word. An item without claims has no keys.

    >>> one = Verdict(item="inc-tab1", model=None, corruption=None, severity=None, k=None,
    ...     dataset=None, metric="mce[a] < mce[b]", status="direction", reported="+", unit="none",
    ...     decimals=None, here="80.0 % → 100.0 %", verdict="holds", arithmetic="", locator="")
    >>> {key: number.text for key, number in claim_numbers("inc-tab1", [one]).items()}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'inc-tab1-claim-1': 'holds', 'inc-tab1-claim-1-verb': 'holds',
     'inc-tab1-claim-1-here': '80.0 % → 100.0 %', 'inc-tab1-claims': '1 holds'}
    """
    claims = [one for one in verdicts if one.status in CLAIMS]
    numbers: dict[str, KeyNumber] = {}
    for number, one in enumerate(claims, start=1):
        key, words = anchor(item, number), f"{one.sentence} {one.arithmetic}".strip()
        numbers[key] = KeyNumber(one.verdict, one.verdict, words, one.n)
        verb = meaning(one.verdict).verb
        numbers[f"{key}{VERB}"] = KeyNumber(verb, one.verdict, words, one.n)
        here = KeyNumber(one.here, convention=words, n=one.n) if one.here else NOT_MEASURED
        numbers[f"{key}-here"] = here
    if claims:
        words = f"{len(claims)} claims" if len(claims) > 1 else "one claim"
        numbers[f"{item}-claims"] = KeyNumber(tally(claims), convention=f"{words} of {item}")
    return numbers
