"""Directional claims: a small language in which a paper's statement is one line.

    claim   = [ "most" | "nearly all" ] chain [ "if" chain { "and" chain } ]
                                                after "if" stands the premise
    chain   = side op side { op side }          every neighbouring pair must hold
    op      = ">" | ">=" | "<" | "<="
    side    = number | term | term "-" term           a number may end in %: 5% is 0.05
    term    = metric "[" [ model ] { "," key "=" value } "]"
    model   = a name, a pattern with *, or @ and a list (the same model wherever it stands)
    key     = corruption | severity | k | dataset | convention

`mce[resnet50_nlm] > mce[resnet50]` says that denoising raises the mCE; `map[*] < map[*,
dataset=coco_val]` that every detector does worse here than on COCO. A number has no condition that
is not given. A claim is parsed, never evaluated as Python; `results.judgement` judges it.

`@inc-tab1` stands for the networks in the paper's Table 1, `@nae` for a separate list
(`reported.networks`): the claim is about these alone. For all other networks that have these
numbers, such as later ones and yours, we report for how many of them it holds. `most` requires more
than half of them, `nearly all` four in five.

"Similar" or "well within the error bars" is an equivalence, `-5% < drop[a] - drop[b] < 5%`: it
holds if the whole interval of the difference is between the bounds, and does not hold if all of it
is beyond one of them. Failing to distinguish two numbers is no evidence that they are alike, so the
bounds must be ones that the data can resolve; a note states who chose them.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from robust_lib.errors import InputError
from robust_lib.results.lookup import Where
from robust_lib.results.row import METRICS

_OPERATORS = (">", ">=", "<", "<=")
_KEYS = ("corruption", "severity", "k", "dataset", "convention")
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(%?)")
_WHOLE = re.compile(r"[0-9]{1,9}")
_TERM = re.compile(r"([a-z][a-z0-9_]*)\[([^\[\]]*)\]")

Share = Literal["all", "most", "nearly all"]


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a constant, one of our numbers, or a difference of two numbers."""

    terms: tuple[Where, ...] = ()
    constant: float = 0.0


@dataclass(frozen=True)
class Claim:
    """A parsed claim.

    Attributes:
        share: the share of its models for which the claim must hold.
    """

    sides: tuple[Side, ...]
    operators: tuple[str, ...]
    premises: tuple["Claim", ...] = ()
    share: Share = "all"

    @property
    def is_equivalence(self) -> bool:
        """Return whether the claim states that a number is between two bounds."""
        bounds = [not side.terms for side in self.sides]
        directions = {operator[0] for operator in self.operators}
        return bounds == [True, False, True] and len(directions) == 1

    def enough(self, number: int, of: int) -> bool:
        """Return whether the claim holds for enough of its models."""
        return {"all": number == of, "most": 2 * number > of, "nearly all": 5 * number >= 4 * of}[
            self.share
        ]

    def least(self, of: int) -> int:
        """Return the minimum number of models for which the claim must hold."""
        return next(number for number in range(of + 1) if self.enough(number, of))

    @property
    def terms(self) -> tuple[Where, ...]:
        """Return all numbers that the claim is about; those of its premises come last."""
        own = tuple(term for side in self.sides for term in side.terms)
        return own + tuple(term for premise in self.premises for term in premise.terms)

    @property
    def pattern(self) -> str | None:
        """Return the pattern or list of models that the claim is about, if it has one."""
        return next((term.model for term in self.terms if _is_pattern(term.model)), None)

    def about(self, model: str) -> "Claim":
        """Return the claim for one of the models of its pattern."""
        pattern = self.pattern
        return self.changed(
            lambda term: replace(term, model=model) if term.model == pattern else term
        )

    @property
    def with_ties(self) -> "Claim":
        """Return the claim with non-strict inequalities, so that ties also satisfy it."""
        operators = tuple(sign if sign.endswith("=") else f"{sign}=" for sign in self.operators)
        return replace(self, operators=operators)

    def changed(self, change: Callable[[Where], Where]) -> "Claim":
        """Return the claim with every term changed."""
        sides = (replace(side, terms=tuple(map(change, side.terms))) for side in self.sides)
        premises = (premise.changed(change) for premise in self.premises)
        return replace(self, sides=tuple(sides), premises=tuple(premises))


def parse(text: str, dataset: str | None = None) -> Claim:
    """Return the claim in a line of text; `dataset` is the default data set of its terms.

    A claim that names a data set compares several, so the default is used even if only one data set
    is available.

    Raises:
        InputError: the line is not in the grammar, or names an unknown metric.

    >>> parse("mce[a] > mce[b] > 50%").operators
    ('>', '>')
    """
    said, _, condition = text.partition(" if ")
    premises = condition.split(" and ") if condition else []
    shares: tuple[Share, ...] = ("most", "nearly all")
    share: Share = next((one for one in shares if said.startswith(f"{one} ")), "all")
    claim = replace(
        _chain(said.removeprefix(f"{share} "), text, dataset),
        premises=tuple(_chain(premise, text, dataset) for premise in premises),
        share=share,
    )
    if any(term.exact for term in claim.terms):  # about several data sets: none may stand in
        claim = claim.changed(lambda term: replace(term, exact=True))
    patterns = {term.model for term in claim.terms if _is_pattern(term.model)}
    if len(patterns) > 1:
        raise InputError(f"Expected at most one pattern of models, but {text!r} has two.")
    if share != "all" and not patterns:
        raise InputError(f"Expected a pattern of models with {share}, but {text!r} has none.")
    return claim


def _is_pattern(model: str | None) -> bool:
    return model is not None and ("*" in model or model.startswith("@"))


def _chain(chain: str, text: str, dataset: str | None) -> Claim:
    first, *rest = re.split(r"(>=|<=|>|<)", chain)
    if not rest:
        raise InputError(f"Expected a comparison with one of {', '.join(_OPERATORS)} in {text!r}.")
    sides = (first, *rest[1::2])
    return Claim(tuple(_side(side.strip(), text, dataset) for side in sides), tuple(rest[0::2]))


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
            if not _WHOLE.fullmatch(value):
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
