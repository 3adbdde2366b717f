"""Judgements of whether claims hold for our numbers, with paired intervals.

Every comparison of a claim is a difference of two numbers in the direction that the paper states.
Its 95 % interval is over pairs: the same resamples of the images, or the same seeds, on both sides
(see `comparison`). The verdict of a single seed is about these weights; other seeds may lead to a
different verdict.

    holds           the interval of every comparison is on the paper's side
    does not hold   the interval of at least one comparison is on the other side
    not decided     neither: an interval contains the bound
    premise fails   a premise of the claim does not hold here
    missing         a number was not computed

One claim may make many comparisons: of several networks, or in a chain. For "holds" all of them
must hold, so none needs a correction. For "does not hold" one is enough, and one in twenty would be
found by chance alone: there the intervals are widened for the number of comparisons (Bonferroni).
For "most" and "nearly all" networks, either verdict could result from one chance finding, and both
intervals are widened: for "holds" by one more than the number of networks that may fail. Numbers of
fewer than five items, or of fewer than five of several seeds, decide nothing, and an exact tie is
no evidence for either verdict.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Literal

from robust_lib.results.claims import Claim, Side
from robust_lib.results.comparison import FEWEST, LEVEL, Comparison, level_of
from robust_lib.results.lookup import Lookup
from robust_lib.results.notation import side_by_side, told_apart, written
from robust_lib.results.reported import networks
from robust_lib.results.row import METRICS, Row

Word = Literal["holds", "does not hold", "not decided", "premise fails", "missing"]

_PERCENT = ("rate", "ratio", "relative", "difference")
_ROUNDING = 1e-5  # of resamples in single precision, and of their quotients
_DIGITS = {"count": 0, "score": 2}
_LISTED = 8  # models whose arithmetic is spelled out
_STEPS = 3  # of a chain that decide, likewise


@dataclass(frozen=True)
class Judgement:
    """The verdict on a claim, with our numbers.

    Attributes:
        here: our numbers side by side; empty for a claim about many networks.
        is_open: for the verdict "premise fails": whether it is undecided, not refuted, that the
            premise is met.
        sides: the compared sides, in the claim's order.
        premises: judgements on the premises, up to the first that is not met.
        models: name -> judgement, for a claim about many networks.
    """

    word: Word
    arithmetic: str
    here: str = ""
    rows: tuple[Row, ...] = ()
    is_open: bool = False
    sides: "tuple[Compared, ...]" = ()
    premises: "tuple[Judgement, ...]" = ()
    models: "Mapping[str, Judgement]" = field(default_factory=dict)


@dataclass(frozen=True)
class Compared:
    """A side of a comparison: its value, and its rows with their signs."""

    value: float
    rows: tuple[tuple[int, Row], ...]


def judge(claim: Claim, lookup: Lookup, *, as_printed: bool = False) -> Judgement:
    """Return whether a claim holds for our numbers; with a pattern, for all models that fit.

    Args:
        as_printed: whether numbers are compared without intervals, as printed ones are: a range on
            the paper's own data and networks tests whether the number is the printed one, without
            sampling.

    A model that the claim names as the reference for the others is not one of them. Models for
    which the premise fails, or that lack a number, are counted and not judged. While it is
    undecided whether a model meets the premise, the claim does not hold for all.

    >>> from robust_lib.results.claims import parse
    >>> from robust_lib.results.table import Results
    >>> rows = [Row(item="inc-fig2", dataset="toy", metric="mce", model=name, value=value, low=low,
    ...             high=low + 0.2, n=9, n_full=9)
    ...         for name, value, low in (("a", 1.0, 0.9), ("b", 0.7, 0.6), ("c", 0.8, 0.75))]
    >>> ours = Lookup(results=Results.of(rows), item="inc-fig2")
    >>> [judge(parse(claim), ours).word for claim in ("mce[a] > mce[b]", "mce[b] < mce[c]")]
    ['holds', 'not decided']
    """
    if claim.pattern is None:
        return _judge(claim, lookup, as_printed)
    fitting, others = _models(claim, lookup)

    def judged(names: Sequence[str]) -> dict[str, Judgement]:
        return {name: _judge(claim.about(name), lookup, as_printed, len(fitting)) for name in names}

    by_name = judged(fitting)
    found = _together(claim, by_name, lookup.roles)
    beside = _beside([one.word for one in judged(others).values()])
    return replace(found, arithmetic=found.arithmetic + beside, models=by_name)


def _models(claim: Claim, lookup: Lookup) -> tuple[list[str], list[str]]:
    """Return the models that a claim's pattern is about, and the others to mention."""
    pattern = claim.pattern or ""
    named = {term.model for term in claim.terms}
    candidates = [name for name in lookup.models() if name not in named]
    if not pattern.startswith("@"):
        return [name for name in candidates if fnmatchcase(name, pattern)], []
    listed = networks(pattern.removeprefix("@"))
    others = [name for name in candidates if name not in (*listed.networks, *listed.left_out)]
    return [name for name in candidates if name in listed.networks], others


def _beside(words: Sequence[Word]) -> str:
    """Return the number of networks other than the paper's for which a claim holds, as text."""
    known = [word for word in words if word not in ("missing", "premise fails")]
    if not known:
        return ""
    other = "other network" if len(known) == 1 else "other networks"
    return f"; also holds for {known.count('holds')} of {len(known)} {other}"


def _together(claim: Claim, judged: dict[str, Judgement], roles: Mapping[str, str]) -> Judgement:
    """Return the judgement on a pattern from those on all its models."""
    by_word: dict[Word, dict[str, Judgement]] = {}
    for name, judgement in judged.items():
        by_word.setdefault(judgement.word, {})[name] = judgement
    decided: tuple[Word, ...] = ("does not hold", "not decided", "holds")
    sizes = {word: len(by_word.get(word, ())) for word in decided}
    number = sum(sizes.values())
    whose = ""
    if (claim.pattern or "").startswith("@"):
        stand_in = any(roles.get(name, name) != name for name in judged)
        whose = " stand-ins for the paper's networks" if stand_in else " networks of the paper"
    if not number:
        if failed := by_word.get("premise fails", {}):
            said = f"premise fails for {len(failed)} of {len(judged)}{whose}"
            return Judgement("premise fails", f"{said} ({_listed(failed, roles)})")
        missing = by_word.get("missing", {})
        fallback = f"no result for a model that fits {claim.pattern}: missing"
        return Judgement("missing", next((one.arithmetic for one in missing.values()), fallback))
    counts = [
        f"{verb} for {len(by_word[word])}"
        for word, verb in (
            ("holds", "holds"),
            ("not decided", "not decided"),
            ("does not hold", "does not hold"),
        )
        if word in by_word
    ]
    found: Word = next(word for word in decided if sizes[word])
    if claim.share != "all":
        open_still = claim.enough(sizes["holds"] + sizes["not decided"], number)
        found = "not decided" if open_still else "does not hold"
        found = "holds" if claim.enough(sizes["holds"], number) else found
    failed = by_word.get("premise fails", {})
    said = f"{', '.join(counts)} of {number}{whose}"
    if failed:
        said += f"; premise fails for {len(failed)} more"
    if found == "holds" and claim.share == "all" and (doubts := _open(failed)):
        found, said = "not decided", f"{said}, and is open for {doubts} of these"
    if missing := by_word.get("missing", {}):
        said += f"; no number for {len(missing)} more"
    rows = tuple(row for one in judged.values() for row in one.rows)
    return Judgement(found, f"{said} ({_listed(by_word.get(found, judged), roles)})", rows=rows)


def _open(failed: Mapping[str, Judgement]) -> int:
    """Return the number of models for which it is undecided whether a claim is about them."""
    return sum(one.is_open for one in failed.values())


def _listed(judged: dict[str, Judgement], roles: Mapping[str, str]) -> str:
    listed = [f"{_named(name, roles)} {one.arithmetic}" for name, one in judged.items()]
    more = len(listed) - _LISTED
    return "; ".join(listed[:_LISTED]) + (f"; and {more} more" if more > 0 else "")


def _named(name: str, roles: Mapping[str, str]) -> str:
    """Return the paper's name, or that of the stand-in if it is of another family."""
    ours = roles.get(name, name)
    return name if ours.partition("_")[0] == name.partition("_")[0] else ours


def _judge(claim: Claim, lookup: Lookup, as_printed: bool = False, models: int = 1) -> Judgement:
    """Return the judgement on a claim for one of several models.

    The verdict is a false "does not hold" if the claim is wrongly refuted for one of the models for
    which it must hold, and a false "holds" if it is wrongly supported for one of the others and for
    as many as necessary.
    """
    premises: list[Judgement] = []
    for premise in claim.premises:
        met = _judge(premise, lookup)
        premises.append(met)
        if met.word == "missing":
            return met
        if met.word != "holds":
            told = f"premise {met.arithmetic}"
            is_open = met.word == "not decided"
            return Judgement("premise fails", told, is_open=is_open, premises=tuple(premises))
    sides: list[Compared] = []
    for side in claim.sides:
        found = _found(side, lookup)
        if isinstance(found, str):
            return Judgement("missing", f"{found}: missing")
        sides.append(found)
    steps = list(_comparisons(sides, claim.operators))
    least = claim.least(max(models, 1))
    against, favour = least * len(steps), max(models, 1) - least + 1
    spoken = [step.as_it_is if as_printed else step.speaks(against, favour) for step in steps]
    word: Word = (
        "does not hold"
        if "against" in spoken
        else "not decided"
        if "neither" in spoken
        else "holds"
    )
    kind = METRICS[claim.terms[0].metric] if claim.terms else "score"
    if kind in _PERCENT and any(len(side.terms) > 1 for side in claim.sides):
        kind = "difference"
    texts = _spelled([side.value for side in sides], kind)
    line = texts[0] + "".join(
        f" {sign} {text}" for sign, text in zip(claim.operators, texts[1:], strict=True)
    )
    if len(steps) == 1:
        more = _difference(steps[0], kind, favour, against)
    elif claim.is_equivalence and not as_printed:
        more = _between(sides[1], kind)
    else:
        deciding = "against" if word == "does not hold" else "neither"
        steps_told = [
            f"{texts[at]} {claim.operators[at]} {texts[at + 1]}"
            + _difference(step, kind, favour, against)
            for at, step in enumerate(steps)
            if spoken[at] == deciding
        ]
        rest = f"; and {len(steps_told) - _STEPS} more" * (len(steps_told) > _STEPS)
        more = f": {spoken.count('for')} of {len(steps)} steps hold, not "
        more = "" if word == "holds" else more + "; ".join(steps_told[:_STEPS]) + rest
    rows = tuple(row for side in sides for _, row in side.rows)
    here = _here(sides, kind)
    return Judgement(
        word,
        f"{line}{more}: {word}",
        here,
        rows,
        sides=tuple(sides),
        premises=tuple(premises),
    )


def _found(side: Side, lookup: Lookup) -> Compared | str:
    """Return the numbers of a side, or the reason why one is missing."""
    if not side.terms:
        return Compared(side.constant, ())
    rows: list[tuple[int, Row]] = []
    for sign, term in zip((1, -1), side.terms, strict=False):
        row = lookup.find(term)
        if isinstance(row, str):
            return row
        rows.append((sign, row))
    return Compared(sum(sign * row.value for sign, row in rows), tuple(rows))


def _comparisons(sides: Sequence[Compared], operators: Sequence[str]) -> Iterator[Comparison]:
    for (left, right), sign in zip(pairwise(sides), operators, strict=True):
        greater, less = (left, right) if sign.startswith(">") else (right, left)
        taken_off = tuple((-sign_, row) for sign_, row in less.rows)
        margin = greater.value - less.value
        yield Comparison(margin, "=" not in sign, greater.rows + taken_off)


def _difference(step: Comparison, kind: str, favour: int, against: int) -> str:
    """Return the margin with its interval, as text.

    The interval is the deciding one: for a margin below 0, the one that could contradict the claim.
    """
    scale, unit, digits = (100, " points", 1) if kind in _PERCENT else (1, "", 2)
    if not step.uncertain:
        return ""
    if step.seeds is not None and step.seeds < FEWEST:
        return f", from only {step.seeds} seeds"
    if step.fewest is not None and step.fewest < FEWEST:
        return f", from only {step.fewest} items"
    level = level_of(against if step.margin < 0 else favour)
    ends = step.ends(level)
    if ends is None:
        return ", no interval: the number is undefined in too many resamples"
    if ends[0] == ends[1]:
        return ", no interval"
    low, high = (written(scale * end, digits) for end in ends)
    wider = "" if level == LEVEL else f" ({100 * level:.1f} % interval)"
    return f" by {written(scale * step.margin, digits)} [{low}, {high}]{unit}{wider}"


def _between(side: Compared, kind: str) -> str:
    """Return the interval of a number that bounds enclose, as text."""
    ends = Comparison(side.value, True, side.rows).ends(LEVEL)
    if ends is None or ends[0] == ends[1]:
        return ", no interval"
    low, high = _spelled(ends, kind)
    return f", of [{low.partition(' ')[0]}, {high}]"


def _spelled(values: Sequence[float], kind: str, least: int = 0) -> list[str]:
    whole = kind == "tally" and all(float(value).is_integer() for value in values)
    least = max(least, 0 if whole else _DIGITS.get(kind, 1))
    texts = told_apart(values, is_percent=kind in _PERCENT, least=least)
    if kind == "difference":
        return [text.replace(" %", " points") for text in texts]
    return texts


def _here(sides: Sequence[Compared], kind: str) -> str:
    """Return our numbers side by side, as text; single ones with their intervals."""
    texts = []
    spelled = _spelled([side.value for side in sides], kind)
    for side, value in zip(sides, spelled, strict=True):
        if not side.rows:
            continue
        _, row = side.rows[0]
        ends = () if row.low is None or row.high is None else (row.low, row.high)
        if len(side.rows) == 1 and ends and ends[1] - ends[0] > _ROUNDING:  # a normaliser has none
            digits = 0 if kind == "tally" else len(value.partition(" ")[0].partition(".")[2])
            low, high = _spelled(ends, kind, digits)
            value += f" [{low.partition(' ')[0]}, {high.partition(' ')[0]}]"
        texts.append(value)
    return side_by_side(texts)
