"""Directional claims: a small language in which a paper's statement is one line, and its judge.

    claim   = [ "most" ] side op side { op side }     every neighbouring pair must hold
    op      = ">" | ">=" | "<" | "<="
    side    = number | term | term "-" term           a number may end in %: 5% is 0.05
    term    = metric "[" [ model ] { "," key "=" value } "]"
    model   = a name, a pattern with *, or @ and a list (the same model wherever it stands)
    key     = corruption | severity | k | dataset | convention

`mce[resnet50_nlm] > mce[resnet50]` says that denoising raises the mCE; `map[*] < map[*,
dataset=coco_val]` that every detector does worse here than on COCO. A condition that is not named
does not apply to the number. A claim is parsed, never evaluated as Python.

`@inc-tab1` are the networks that the paper has in Table 1, `@nae` a list of its own
(`reported.networks`): the claim is about these alone, and of all others that have the numbers, such
as later networks and yours, it is told for how many it holds. `most` asks for more than half.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType

from robust_lib.errors import InputError
from robust_lib.results.lookup import Lookup, Where
from robust_lib.results.reported import networks
from robust_lib.results.row import METRICS, Row

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
)
_KEYS = ("corruption", "severity", "k", "dataset", "convention")
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(%?)")
_TERM = re.compile(r"([a-z][a-z0-9_]*)\[([^\[\]]*)\]")
_PERCENT_KINDS = ("rate", "ratio", "relative", "difference")
_LISTED = 8  # models whose arithmetic is spelled out
_MOST = "most "


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a constant, a number of ours, or a difference of two."""

    terms: tuple[Where, ...] = ()
    constant: float = 0.0


@dataclass(frozen=True)
class Claim:
    """A parsed claim."""

    sides: tuple[Side, ...]
    operators: tuple[str, ...]
    is_of_most: bool = False

    @property
    def terms(self) -> tuple[Where, ...]:
        """Return all numbers that the claim is about."""
        return tuple(term for side in self.sides for term in side.terms)

    @property
    def pattern(self) -> str | None:
        """Return the pattern or list of the models that it is about, if it names them so."""
        return next((term.model for term in self.terms if _is_pattern(term.model)), None)

    def about(self, model: str) -> "Claim":
        """Return the claim for one of the models of its pattern."""
        pattern = self.pattern
        return self.changed(
            lambda term: replace(term, model=model) if term.model == pattern else term
        )

    def changed(self, change: Callable[[Where], Where]) -> "Claim":
        """Return the claim with every term changed."""
        sides = (replace(side, terms=tuple(map(change, side.terms))) for side in self.sides)
        return replace(self, sides=tuple(sides))


@dataclass(frozen=True)
class Judgement:
    """Whether a claim holds (None: a number is missing), the arithmetic, and our rows behind it."""

    holds: bool | None
    arithmetic: str
    rows: tuple[Row, ...] = ()


def parse(text: str, dataset: str | None = None) -> Claim:
    """Return the claim that a line says; `dataset` is meant where a term names none.

    A claim that names a data set is about several, so its terms are never read from the only one
    at hand.

    Raises:
        InputError: the line is not in the grammar, or names an unknown metric.

    >>> parse("mce[a] > mce[b] > 50%").operators
    ('>', '>')
    """
    first, *rest = re.split(r"(>=|<=|>|<)", text.removeprefix(_MOST))
    sides = (first, *rest[1::2])
    if not rest:
        raise InputError(f"Expected a comparison with one of {', '.join(_OPERATORS)} in {text!r}.")
    claim = Claim(
        tuple(_side(side.strip(), text, dataset) for side in sides),
        tuple(rest[0::2]),
        is_of_most=text.startswith(_MOST),
    )
    if any(term.exact for term in claim.terms):  # about several data sets: none may stand in
        claim = claim.changed(lambda term: replace(term, exact=True))
    patterns = {term.model for term in claim.terms if _is_pattern(term.model)}
    if len(patterns) > 1:
        raise InputError(f"Expected at most one pattern of models, but {text!r} has two.")
    if claim.is_of_most and not patterns:
        raise InputError(f"Expected a pattern of models with most, but {text!r} has none.")
    return claim


def _is_pattern(model: str | None) -> bool:
    return model is not None and ("*" in model or model.startswith("@"))


def _side(side: str, text: str, dataset: str | None) -> Side:
    if number := _NUMBER.fullmatch(side):
        return Side(constant=float(number[1]) / (100 if number[2] else 1))
    parts = re.split(r"\]\s+-\s+", side)
    closed = [part + "]" for part in parts[:-1]] + parts[-1:]
    if len(closed) > 2:
        raise InputError(f"Expected a difference of two numbers at most, but got {side!r}.")
    return Side(tuple(_term(part, text, dataset) for part in closed))


def _term(term: str, text: str, dataset: str | None) -> Where:
    found = _TERM.fullmatch(term)
    if found is None or found[1] not in METRICS:
        raise InputError(
            f"Expected a known metric with its conditions, such as mce[resnet50], but got {term!r} "
            f"in {text!r}."
        )
    model: str | None = None
    conditions: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in found[2].split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals and model is None:
            model = key
        elif key in _KEYS and key not in conditions and value:
            conditions[key] = value
        else:
            raise InputError(
                f"Expected a model, or one of {', '.join(_KEYS)} with a value, but got {part!r} in "
                f"{text!r}."
            )
    numbers: dict[str, int] = {}
    for key in ("severity", "k"):
        if (value := conditions.pop(key, None)) is not None:
            if not value.isdecimal():
                raise InputError(
                    f"Expected a whole number for {key}, but got {value!r} in {text!r}."
                )
            numbers[key] = int(value)
    return Where(
        metric=found[1],
        model=model,
        exact="dataset" in conditions,
        **({"dataset": dataset} | conditions),  # type: ignore[arg-type]
        **numbers,  # type: ignore[arg-type]
    )


def judge(claim: Claim, lookup: Lookup) -> Judgement:
    """Return whether a claim holds for our numbers; with a pattern, for each model that fits.

    A model that the claim names, with which the others are compared, is none of them. Intervals
    do not change the judgement: it is made on the values, and says so if they overlap.

    Raises:
        InputError: the claim is about a list that there is not.
    """
    if claim.pattern is None:
        return _judge(claim, lookup)
    fitting, others = _models(claim, lookup)
    judged = {name: _judge(claim.about(name), lookup) for name in fitting}
    found = {name: judgement for name, judgement in judged.items() if judgement.holds is not None}
    beside = _beside([_judge(claim.about(name), lookup).holds for name in others])
    if not found:
        reasons = [judgement.arithmetic for judgement in judged.values()]
        fallback = f"no result for a model that fits {claim.pattern}: missing"
        return Judgement(None, (reasons[0] if reasons else fallback) + beside)
    against = {name: judgement for name, judgement in found.items() if not judgement.holds}
    holds = 2 * len(against) < len(found) if claim.is_of_most else not against
    rows = tuple(row for judgement in found.values() for row in judgement.rows)
    shown = list((against or found).items())[:_LISTED]
    listed = "; ".join(f"{name} {judgement.arithmetic}" for name, judgement in shown)
    if len(found) == 1 and not others:
        return Judgement(holds, listed, rows)
    whose = "networks of the paper" if claim.pattern.startswith("@") else "models"
    count = f"holds for {len(found) - len(against)} of {len(found)} {whose}"
    return Judgement(holds, f"{count} ({listed}){beside}", rows)


def _models(claim: Claim, lookup: Lookup) -> tuple[list[str], list[str]]:
    """Return the models that a claim's pattern is about, and those to be told of beside them."""
    pattern = claim.pattern or ""
    named = {term.model for term in claim.terms}
    candidates = [name for name in lookup.models() if name not in named]
    if not pattern.startswith("@"):
        return [name for name in candidates if fnmatchcase(name, pattern)], []
    listed = networks(pattern.removeprefix("@"))
    others = [name for name in candidates if name not in (*listed.networks, *listed.left_out)]
    return [name for name in candidates if name in listed.networks], others


def _beside(judged: Sequence[bool | None]) -> str:
    """Return in words for how many networks that are not the paper's a claim holds."""
    known = [holds for holds in judged if holds is not None]
    if not known:
        return ""
    other = "other network" if len(known) == 1 else "other networks"
    return f"; and for {sum(known)} of {len(known)} {other}"


def _judge(claim: Claim, lookup: Lookup) -> Judgement:
    sides: list[tuple[float, Row | None]] = []
    used: list[Row] = []
    for side in claim.sides:
        rows = []
        for term in side.terms:
            row = lookup.find(term)
            if isinstance(row, str):
                return Judgement(None, f"{row}: missing")
            rows.append(row)
        used += rows
        value = rows[0].value if rows else side.constant
        value -= rows[1].value if len(rows) > 1 else 0.0
        sides.append((value, rows[0] if len(rows) == 1 else None))
    pairs = list(zip(sides, claim.operators, sides[1:], strict=False))
    holds = [_OPERATORS[sign](left[0], right[0]) for left, sign, right in pairs]
    values = [value for value, _ in sides]
    texts = _spelled(values, METRICS[claim.terms[0].metric] if claim.terms else "score")
    line = texts[0] + "".join(
        f" {sign} {text}" for sign, text in zip(claim.operators, texts[1:], strict=True)
    )
    overlap = any(_overlap(left[1], right[1]) for left, _, right in pairs)
    verdict = "holds" if all(holds) else "does not hold"
    words = f"{line}: {verdict}" + (", intervals overlap" if overlap else "")
    return Judgement(all(holds), words, tuple(used))


def _overlap(left: Row | None, right: Row | None) -> bool:
    if left is None or right is None:
        return False
    if left.low is None or left.high is None or right.low is None or right.high is None:
        return False
    return left.low <= right.high and right.low <= left.high


def _spelled(values: list[float], kind: str) -> list[str]:
    """Return the numbers with enough digits that different neighbours look different."""
    percent = kind in _PERCENT_KINDS
    texts: list[str] = []
    for decimals in range(0 if kind == "count" else 1, 7):
        texts = [
            f"{100 * value:.{decimals}f} %" if percent else f"{value:,.{decimals}f}"
            for value in values
        ]
        pairs = zip(values, values[1:], texts, texts[1:], strict=False)
        if all(left == right or one != other for left, right, one, other in pairs):
            break
    return texts
