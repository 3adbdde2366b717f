"""Verdicts: comparisons of printed numbers and claims with ours, and their summary per item."""

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal

from robust_lib.errors import InputError, one_of
from robust_lib.results.judgement import Judgement
from robust_lib.results.notation import SIGNS, digits_beside, ends, spelled


@dataclass(frozen=True)
class Meaning:
    """The meaning of a verdict.

    Attributes:
        stance: for or against the paper, open, given (it could not be otherwise), or absent.
        sign: character shown if there is no colour.
        verb: verb phrase of a sentence, as in "the claim that mCE falls *is not decided*".
    """

    stance: Literal["for", "against", "open", "given", "absent"]
    sign: str
    verb: str
    sentence: str


_NUMBER = r"[−\d.,]*\d(?: %| points)?"
_COMPARED = re.compile(
    rf"(?P<sides>{_NUMBER}(?: (?:<=|>=|<|>) {_NUMBER})+)"
    r"(?: by (?P<by>[−\d.,]+ \[[^\]]+\](?: points)?))?"
)
_CLAIMED: Mapping[str, tuple[str, Callable[[float, float], bool]]] = MappingProxyType(
    {
        "<": ("smaller", operator.lt),
        ">": ("larger", operator.gt),
        "<=": ("at most", operator.le),
        ">=": ("at least", operator.ge),
    }
)

# From the most to the least telling: an item carries the first that any of its verdicts has. The
# last two are an item's alone.
VERDICTS: Mapping[str, Meaning] = MappingProxyType(
    {
        "does not hold": Meaning(
            "against",
            "✗",
            "does not hold",
            "the opposite holds here, and the interval excludes equality",
        ),
        "differs": Meaning(
            "against",
            "≠",
            "differs from the paper",
            "comparable, and the paper's number is outside our interval",
        ),
        "holds": Meaning(
            "for",
            "✓",
            "holds",
            "this run shows the direction that the paper states; the interval excludes equality",
        ),
        "within interval": Meaning(
            "for",
            "≈",
            "agrees with the paper",
            "comparable, and the paper's number is in our interval",
        ),
        "match": Meaning(
            "for", "=", "agrees with the paper", "the same number to the last printed digit"
        ),
        "not decided": Meaning(
            "open",
            "?",
            "is not decided",
            "the interval of the difference contains the bound, so both outcomes are possible",
        ),
        "premise fails": Meaning(
            "open",
            "∅",
            "is not tested, as its premise fails",
            "the claim has a condition, which this run does not show to be met",
        ),
        "not comparable": Meaning(
            "open",
            "○",
            "cannot be compared",
            "other data or another model: shown next to the paper's number, not judged",
        ),
        "missing": Meaning(
            "open",
            "–",
            "was not tested in this run",
            "the paper prints it, but this run did not compute it",
        ),
        "as printed": Meaning(
            "open",
            "≡",
            "is adopted from the paper",
            "a setting adopted from the paper, which agrees by construction",
        ),
        "by construction": Meaning(
            "given",
            "∴",
            "holds by construction",
            "it follows from how its numbers are defined, or from how images are composed",
        ),
        "shown": Meaning(
            "open",
            "◇",
            "is shown",
            "the paper prints no number here; this run recomputes the figure or list",
        ),
        "not built": Meaning(
            "absent", "·", "is not built", "the chapter is not part of this site yet"
        ),
    }
)


def meaning(word: str) -> Meaning:
    """Return the meaning of a verdict word.

    Raises:
        InputError: no verdict has this word.

    >>> meaning("holds").stance
    'for'
    """
    if word not in VERDICTS:
        raise InputError(one_of("verdict", word, VERDICTS))
    return VERDICTS[word]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The comparison of one printed number or claim with ours.

    Attributes:
        model: the paper's name of the model; likewise `corruption`, `severity`, `k`, `dataset`.
        metric: measure, or the claim.
        reported: the printed text; "+" for a claim.
        unit: unit of the printed text; `decimals` its digits after the point.
        our_model: the model of our number; None for a claim or a missing number.
        ours: our number as a fraction (count, setting: as it is), with its interval and n.
        difference: ours minus the printed number, as a fraction.
        paper: the paper's numbers side by side, if it prints the numbers of a claim.
        here: our numbers side by side, for a claim.
        arithmetic: the comparison in a sentence.
        judgement: basis of a claim's verdict; not saved with the verdicts.

    Raises:
        InputError: the word is not a verdict.
    """

    item: str
    model: str | None
    corruption: str | None
    severity: int | None
    k: int | None
    dataset: str | None
    metric: str
    status: str
    reported: str
    unit: str
    decimals: int | None
    our_model: str | None = None
    our_dataset: str | None = None
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    difference: float | None = None
    sentence: str = ""
    paper: str = ""
    here: str = ""
    verdict: str
    arithmetic: str
    locator: str
    judgement: Judgement | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        meaning(self.verdict)

    @property
    def found(self) -> str:
        """Return our number in the notation of the pages, with its interval and enough digits."""
        if self.ours is None:
            return spelled(None, self.unit)
        places = digits_beside(self.ours, self.unit, self.decimals, exact=self.status == "setting")
        scale = 100 if self.unit in SIGNS else 1
        low, high = (None if end is None else scale * end for end in (self.low, self.high))
        return spelled(self.ours, self.unit, places) + ends(low, high, places)

    @property
    def why(self) -> str:
        """Return the arithmetic for readers; numbers out of the claimed order lose its sign."""
        return _COMPARED.sub(_spelled_out, self.arithmetic)

    def record(self) -> dict[str, Any]:
        """Return the verdict as a mapping, one key for each field, as pages save it."""
        columns = asdict(replace(self, judgement=None))
        del columns["judgement"]
        return columns


def _spelled_out(found: re.Match[str]) -> str:
    """Return a comparison unchanged if it is true, else its numbers and the claimed direction.

    >>> _COMPARED.sub(_spelled_out, "47.9 % < 22.9 % by −25.0 [−43.7, −8.3] points: does not hold")
    '47.9 % against 22.9 %, −25.0 [−43.7, −8.3] points in the claimed direction (smaller): does ...'
    >>> _COMPARED.sub(_spelled_out, "80.0 % > 75.0 % by 5.0 [−10.0, 20.0] points: not decided")
    '80.0 % > 75.0 % by 5.0 [−10.0, 20.0] points: not decided'
    """
    parts = re.split(r" (<=|>=|<|>) ", found["sides"])
    numbers, signs = parts[::2], parts[1::2]
    values = [float(re.sub(r"[ %,a-z]", "", one).replace("−", "-")) for one in numbers]
    if all(_CLAIMED[sign][1](*pair) for sign, pair in zip(signs, pairwise(values), strict=True)):
        return found[0]
    claimed = _CLAIMED[signs[0]][0]
    if found["by"]:
        return f"{' against '.join(numbers)}, {found['by']} in the claimed direction ({claimed})"
    return f"{' against '.join(numbers)} (claimed: {claimed})"


def overall(verdicts: Sequence[Verdict]) -> str:
    """Return the verdict on an item: the most informative of its verdicts, or "shown".

    >>> overall([])
    'shown'
    """
    found = {verdict.verdict for verdict in verdicts}
    return next((word for word in VERDICTS if word in found), "shown")


def tally(verdicts: Sequence[Verdict]) -> str:
    """Return the number of verdicts by word, as text; empty for none.

    >>> tally([])
    ''
    """
    counts = Counter(verdict.verdict for verdict in verdicts)
    return ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
