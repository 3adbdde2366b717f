"""A second implementation of verdicts on claims, which recomputes them from stored data.

A run stores the rows that each claim compares, with their draws. Here the claim is parsed, its
sides are matched with those rows, and its verdict follows by the rules of
`robust_lib.results.judgement`: paired resamples, exact intervals if few images differ, Student's
over seeds, Bonferroni.
"""

import base64
import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from robust_book.verify.chances import Ends, clopper_pearson, percentiles, student
from robust_book.verify.pages import rounds_to

LEVEL, FEWEST, FEW, NOUGHT, EQUAL = 0.95, 5, 10, 1e-6, 1e-12
SEEDS = "seeds"
OPERATOR = re.compile(r"(>=|<=|>|<)")
CONSTANT = re.compile(r"(-?\d+(?:\.\d+)?)(%?)")
TERM = re.compile(r"([a-z][a-z0-9_]*)\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Row:
    """A row that a claim compares: its columns, the kind of its metric, and its draws."""

    columns: Mapping[str, Any]
    kind: str
    value: float
    low: float | None
    high: float | None
    n: int | None
    of: str | None = None
    draws: Sequence[float] = ()
    images: Sequence[float] | None = None
    pictures: Sequence[float] | None = None


@dataclass(frozen=True)
class Step:
    """Two neighbouring sides, judged again, with the printed interval."""

    left: float
    right: float
    margin: float
    ends: Ends
    word: str


@dataclass(frozen=True)
class Found:
    """A recomputed verdict: its word, and all comparisons below it."""

    word: str
    is_open: bool = False
    steps: tuple[Step, ...] = ()


@dataclass
class Grounds:
    """The data that a run stored for its claims, with the rows of its table.

    Attributes:
        faults: mismatches between stored data and a claim.
    """

    stored: Mapping[str, Any]
    rows: Sequence[Mapping[str, str]]
    faults: list[str] = field(default_factory=list)
    _known: dict[str, Row] = field(default_factory=dict)

    def row(self, name: str) -> Row:
        """Return a row by its name in the claims."""
        if name not in self._known:
            kept = self.stored["rows"][name]
            columns = self.rows[kept["place"]] if "place" in kept else kept["row"]
            value, low, high, n = (
                None if columns[one] in (None, "") else float(columns[one])
                for one in ("value", "low", "high", "n")
            )
            draws = kept.get("draws", {})
            pictures = draws.get("pictures")
            self._known[name] = Row(
                columns,
                kept["kind"],
                math.nan if value is None else value,
                low,
                high,
                None if n is None else int(n),
                draws.get("of"),
                _decoded(draws["values"]) if draws else (),
                _decoded(draws["images"]) if "images" in draws else None,
                _decoded(pictures["values"]) if pictures else None,
            )
        return self._known[name]

    def reproduced(self) -> int:
        """Return the number of rows whose value and interval follow from images and draws."""
        return sum(_reproduced(self.row(name)) for name in self.stored["rows"])

    def judge(self, claim: str, part: Mapping[str, Any], as_printed: bool) -> Found:
        """Return the verdict on a claim from its stored data."""
        share = next((one for one in ("most", "nearly all") if claim.startswith(f"{one} ")), "all")
        said, _, condition = claim.removeprefix(f"{share} ").partition(" if ")
        premises = condition.split(" and ") if condition else []
        if "models" not in part:
            return self._one(said, premises, part, as_printed, share, 1)
        number = len(part["models"])
        return _together(
            [
                self._one(said, premises, one, as_printed, share, number)
                for one in part["models"].values()
            ],
            share,
        )

    def _one(
        self,
        chain: str,
        premises: Sequence[str],
        part: Mapping[str, Any],
        as_printed: bool,
        share: str,
        models: int,
    ) -> Found:
        steps: list[Step] = []
        for premise, kept in zip(premises, part.get("premises", ()), strict=False):
            met = self._one(premise, (), kept, False, "all", 1)
            steps += met.steps
            if met.word == "missing":
                return Found("missing")
            if met.word != "holds":
                return Found("premise fails", met.word == "not decided", tuple(steps))
        texts = OPERATOR.split(chain)
        signs, sides = texts[1::2], part["sides"]
        if not sides:
            return Found("missing")
        values = [self._side(text, side) for text, side in zip(texts[::2], sides, strict=True)]
        least = next(one for one in range(models + 1) if enough(share, one, models))
        against, favour = least * len(signs), models - least + 1
        words = []
        for at, sign in enumerate(signs):
            (left, ours), (right, theirs) = values[at : at + 2]
            greater, less = ((left, ours), (right, theirs))[:: 1 if sign.startswith(">") else -1]
            rows = [*greater[1], *((-one, row) for one, row in less[1])]
            step = _Comparison(greater[0] - less[0], "=" not in sign, rows)
            words.append(step.as_it_is if as_printed else step.speaks(against, favour))
            told = step.ends(level_of(against if step.margin < 0 else favour))
            steps.append(Step(left, right, step.margin, told, words[-1]))
        word = "not decided" if "neither" in words else "holds"
        return Found("does not hold" if "against" in words else word, False, tuple(steps))

    def _side(self, text: str, kept: Any) -> tuple[float, list[tuple[int, Row]]]:
        """Return the number of a side and its rows, and record any mismatch with its text."""
        number = CONSTANT.fullmatch(text.strip())
        if number:
            value = float(number[1]) / (100 if number[2] else 1)
            if kept != value:
                self.faults.append(f"{text.strip()} was stored as {kept}")
            return value, []
        rows = [(int(sign), self.row(name)) for sign, name in kept]
        terms = TERM.findall(text)
        if len(terms) != len(rows):
            self.faults.append(f"{text.strip()} was stored with {len(rows)} rows")
        for (metric, conditions), (_, row) in zip(terms, rows, strict=False):
            wanted = {"metric": metric}
            wanted |= dict(one.strip().split("=") for one in conditions.split(",") if "=" in one)
            for key in ("metric", "corruption", "severity", "k"):
                if str(row.columns[key] or "") != wanted.get(key, ""):
                    self.faults.append(
                        f"{metric}[{conditions}] was stored with another number's row"
                    )
        return sum(sign * row.value for sign, row in rows), rows


def _reproduced(row: Row) -> bool:
    """Return whether a row's interval is that of its draws, the exact one, or the wider of both."""
    if row.low is None or row.high is None or row.n is None or row.of in (None, SEEDS):
        return False
    if row.images is not None and abs(math.fsum(row.images) / len(row.images) - row.value) > NOUGHT:
        return False
    found = percentiles(row.draws, LEVEL) or (row.value, row.value)
    ends = [(min(found[0], row.value), max(found[1], row.value))]
    if row.kind == "rate":
        exact = clopper_pearson(round(row.value * row.n), row.n, LEVEL)
        ends += [exact, (min(exact[0], ends[0][0]), max(exact[1], ends[0][1]))]
    return any(abs(low - row.low) + abs(high - row.high) < 1e-5 for low, high in ends)


def _together(found: Sequence[Found], share: str) -> Found:
    """Return the verdict on a claim about many networks from those on each."""
    words = [one.word for one in found]
    decided = ("does not hold", "not decided", "holds")
    number = sum(word in decided for word in words)
    steps = tuple(step for one in found for step in one.steps)
    if not number:
        return Found("premise fails" if "premise fails" in words else "missing", False, steps)
    word = next(word for word in decided if word in words)
    if share != "all":
        holding, still = words.count("holds"), words.count("not decided")
        word = "not decided" if enough(share, holding + still, number) else "does not hold"
        word = "holds" if enough(share, holding, number) else word
    if word == "holds" and share == "all" and any(one.is_open for one in found):
        word = "not decided"
    return Found(word, False, steps)


def enough(share: str, number: int, of: int) -> bool:
    """Return whether a claim holds for enough networks."""
    return {"all": number == of, "most": 2 * number > of, "nearly all": 5 * number >= 4 * of}[share]


def level_of(comparisons: int) -> float:
    """Return the level of an interval that is one of several (Bonferroni)."""
    return 1 - (1 - LEVEL) / comparisons


@dataclass(frozen=True)
class _Comparison:
    margin: float
    strict: bool
    rows: Sequence[tuple[int, Row]]

    @property
    def as_it_is(self) -> str:
        wins = not self.strict if abs(self.margin) < EQUAL else self.margin > 0
        return "for" if wins else "against"

    @property
    def uncertain(self) -> list[tuple[int, Row]]:
        return [one for one in self.rows if one[1].kind not in ("count", "setting")]

    def speaks(self, against: int, favour: int) -> str:
        drawn = [row for _, row in self.uncertain if row.of is not None]
        few = [row.n for row in drawn if row.n is not None]
        few += [len(row.images) for row in drawn if row.images is not None]
        few += [len(row.draws) for row in drawn if row.of == SEEDS]
        if min(few, default=FEWEST) < FEWEST:
            return "neither"
        if not any(row.of is not None or row.low is not None for _, row in self.uncertain):
            return self.as_it_is
        ends = self.ends(level_of(favour))
        if ends is not None and ends[0] > NOUGHT:
            return "for"
        ends = self.ends(level_of(against))
        return "against" if ends is not None and ends[1] < -NOUGHT else "neither"

    def ends(self, level: float) -> Ends:
        rows = self.uncertain
        of_seeds = [row.of == SEEDS for _, row in rows]
        if not rows or any(row.of is None for _, row in rows):
            return self._outer()
        if not any(of_seeds):
            exact = self._exact(level)
            if exact is not None:
                return exact
            return percentiles([self.margin + one for one in _moved(rows)], level)
        if all(of_seeds) and len({len(row.draws) for _, row in rows}) == 1:
            return self._of_seeds(level)
        return self._outer()

    def _outer(self) -> Ends:
        low = high = self.margin
        for sign, row in self.uncertain:
            if row.low is not None and row.high is not None:
                ends = sorted((sign * (row.low - row.value), sign * (row.high - row.value)))
                low, high = low + ends[0], high + ends[1]
        return low, high

    def _of_seeds(self, level: float) -> Ends:
        rows = self.uncertain
        by_seed = [
            sum(sign * row.draws[at] for sign, row in rows) for at in range(len(rows[0][1].draws))
        ]
        if not all(map(math.isfinite, by_seed)):
            return None
        variance = _variance(by_seed) / len(by_seed)
        if all(row.pictures is not None for _, row in rows):
            sums = zip(*(row.pictures or () for _, row in rows), strict=False)
            signs = [sign for sign, _ in rows]
            moved = [_weighed(signs, one) for one in sums]
            known = [one for one in moved if math.isfinite(one)]
            variance += _variance(known) if len(known) > 1 else 0.0
        reach = student(len(by_seed) - 1, (1 + level) / 2) * variance**0.5
        return self.margin - reach, self.margin + reach

    def _exact(self, level: float) -> Ends:
        rows = self.uncertain
        counted = [row.images for _, row in rows if row.images is not None]
        if len({row.of for _, row in rows}) > 1 or len(counted) < len(rows):
            return None
        if len({len(one) for one in counted}) > 1:
            return None
        signs = [sign for sign, _ in rows]
        says = [_weighed(signs, one) for one in zip(*counted, strict=True)]
        images, bound = len(says), self.margin - math.fsum(says) / len(says)
        ahead, behind = sum(one > NOUGHT for one in says), sum(one < -NOUGHT for one in says)
        told, whole = ahead + behind, set(says) <= {-1.0, 0.0, 1.0}
        if [row.kind for _, row in rows] == ["rate"]:
            if not whole or min(told, images - told) >= FEW:
                return None
            ends = sorted(signs[0] * end for end in clopper_pearson(told, images, level))
            return bound + ends[0], bound + ends[1]
        if told >= FEW:
            return None
        low = high = self.margin
        if whole:
            low, high = (self.margin + _reach(ahead, behind, images, level, end) for end in (-1, 1))
        if not told or abs(bound) >= NOUGHT:
            return (low, high) if whole else None
        size = math.fsum(map(abs, says)) / images
        tested = [size * (2 * end - 1) for end in clopper_pearson(ahead, told, level)]
        if self.margin >= 0:
            return min(tested[0], self.margin), max(tested[1], high)
        return min(tested[0], low), max(tested[1], self.margin)


def _moved(rows: Sequence[tuple[int, Row]]) -> list[float]:
    signs, values = [sign for sign, _ in rows], [row.value for _, row in rows]
    return [
        sum(sign * (one - value) for sign, one, value in zip(signs, drawn, values, strict=True))
        for drawn in zip(*(row.draws for _, row in rows), strict=False)
    ]


def _weighed(signs: Sequence[int], values: Sequence[float]) -> float:
    return sum(sign * value for sign, value in zip(signs, values, strict=True))


def _reach(ahead: int, behind: int, images: int, level: float, end: int) -> float:
    first, second = (
        clopper_pearson(number, images, level)[side > 0] - number / images
        for number, side in ((ahead, end), (behind, -end))
    )
    return end * math.hypot(first, second)


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((one - mean) ** 2 for one in values) / (len(values) - 1)


def _decoded(kept: Mapping[str, Any]) -> list[float]:
    content, number = base64.b64decode(kept["base64"], validate=True), kept["number"]
    if kept["kind"] == "bits":
        return [float(content[at >> 3] >> (7 - (at & 7)) & 1) for at in range(number)]
    return list(struct.unpack(f"<{number}{ {'f4': 'f', 'f8': 'd'}[kept['kind']] }", content))


COMPARISON = re.compile(
    r"(?P<a>[−\d.,]+)(?P<unit> %| points)? (?P<sign><=|>=|<|>) (?P<b>[−\d.,]+)(?: %| points)? by "
    r"(?P<by>[−\d.,]+) \[(?P<low>[−\d.,]+), (?P<high>[−\d.,]+)\][^:;()]*(?:\([^)]*interval\))?: "
    r"(?P<word>holds|does not hold|not decided)"
)


def comparison_faults(arithmetic: str, steps: Sequence[Step]) -> Iterator[str]:
    """Yield comparisons in a verdict's arithmetic that match none of its steps."""
    for told in COMPARISON.finditer(arithmetic):
        if not any(_is(told, step) for step in steps):
            yield f"{told[0]}: this comparison does not follow from the draws"


def _is(told: re.Match[str], step: Step) -> bool:
    if step.ends is None:
        return False
    numbers = (step.left, step.right, step.margin, *step.ends)
    names = ("a", "b", "by", "low", "high")
    words = {"for": "holds", "against": "does not hold", "neither": "not decided"}
    return words[step.word] == told["word"] and all(
        rounds_to(number, told[name], 1e-3) for number, name in zip(numbers, names, strict=True)
    )
