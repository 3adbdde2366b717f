"""Verdicts on an item's claims as numbers for the prose: a word each, our numbers, and a count.

A sentence that says whether the paper and a run agree must not be typed: the next run may say
otherwise. Every page has these numbers of its items, beside those of its chapter.
"""

from collections.abc import Sequence

from robust_lib.results.key_number import NOT_MEASURED, KeyNumber
from robust_lib.results.reported import CLAIMS
from robust_lib.results.verdicts import Verdict, tally


def anchor(item: str, number: int) -> str:
    """Return the id of an item's claim on its page; claims are counted from one.

    >>> anchor("inc-tab1", 1)
    'inc-tab1-claim-1'
    """
    return f"{item.lower()}-claim-{number}"


def claim_numbers(item: str, verdicts: Sequence[Verdict]) -> dict[str, KeyNumber]:
    """Return the words and numbers of an item's claims, ready for the `{result}` role.

    The key of a claim's word is its place on the page, with `-here` that of our numbers; `-claims`
    behind the item counts the words. An item without claims has none.

    >>> one = Verdict(item="inc-tab1", model=None, corruption=None, severity=None, k=None,
    ...     dataset=None, metric="mce[a] < mce[b]", status="direction", reported="+", unit="none",
    ...     decimals=None, here="80.0 % → 100.0 %", verdict="holds", arithmetic="", locator="")
    >>> {key: number.text for key, number in claim_numbers("inc-tab1", [one]).items()}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'inc-tab1-claim-1': 'holds', 'inc-tab1-claim-1-here': '80.0 % → 100.0 %',
     'inc-tab1-claims': '1 holds'}
    """
    claims = [one for one in verdicts if one.status in CLAIMS]
    numbers: dict[str, KeyNumber] = {}
    for number, one in enumerate(claims, start=1):
        key, words = anchor(item, number), f"{one.sentence} {one.arithmetic}".strip()
        numbers[key] = KeyNumber(one.verdict, one.verdict, words, one.n)
        here = KeyNumber(one.here, convention=words, n=one.n) if one.here else NOT_MEASURED
        numbers[f"{key}-here"] = here
    if claims:
        words = f"{len(claims)} claims" if len(claims) > 1 else "one claim"
        numbers[f"{item}-claims"] = KeyNumber(tally(claims), convention=f"{words} of {item}")
    return numbers
