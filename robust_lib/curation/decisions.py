"""Decisions on candidates: the step that rejects each one, or that it is shortlisted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int64

from robust_lib.errors import DataError, InputError, one_of

Rule = Literal["imagenet-a", "imagenet-o"]
Word = Literal["keep", "drop", "unsure"]

SHORTLISTED = "shortlisted"
REVIEW = "review"
KEEP: Word = "keep"
WORDS: tuple[Word, ...] = ("keep", "drop", "unsure")

# Each rule's steps in their order, and what those are called that pass it.
STEPS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "imagenet-a": {
            "correct": "fooled",
            "confident": "unconfident in truth",
            "confusion": SHORTLISTED,
            REVIEW: "reviewed",
        },
        "imagenet-o": {"unconfident": "confident", "repeated": SHORTLISTED, REVIEW: "reviewed"},
    }
)
SHOWN = 10  # names in a message


@dataclass(frozen=True)
class Answer:
    """One filter's prediction for one candidate; confidences are fractions.

    A candidate that some crop gets right has no prediction: None and NaN.
    """

    filter: str
    predicted: str | None
    confidence: float
    in_truth: float


@dataclass(frozen=True)
class Decision:
    """The decision on one candidate.

    Args:
        truth: name of its class; None under ImageNet-O's rule.
        step: the step at which it fell, or "shortlisted".
        answers: one per filter.
    """

    id: str
    truth: str | None
    step: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Filtration:
    """The decisions on a pool of candidates, in the candidates' order [nae, sec. 3].

    Args:
        rule: "imagenet-a" or "imagenet-o".
        labels: true classes; -1 where there is none.
        predicted: the class that each filter prefers; -1 where some crop was right.
        confidence: its probability, a fraction; NaN where some crop was right.
        in_truth: probability of the true class, a fraction; NaN as above, or without a truth.
        steps: the step at which each candidate fell, or "shortlisted".
        settings: thresholds, digests of candidates and filters: all that decided.

    Iterating gives one `Decision` per candidate.
    """

    rule: Rule
    filters: tuple[str, ...]
    class_names: tuple[str, ...]
    ids: tuple[str, ...]
    labels: Int64[np.ndarray, " candidates"]
    predicted: Int64[np.ndarray, "candidates filters"]
    confidence: Float64[np.ndarray, "candidates filters"]
    in_truth: Float64[np.ndarray, "candidates filters"]
    steps: tuple[str, ...]
    settings: Mapping[str, Any]
    is_reviewed: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Decision]:
        for place, name in enumerate(self.ids):
            answers = tuple(
                Answer(
                    filter_name,
                    self._class(int(self.predicted[place, at])),
                    float(self.confidence[place, at]),
                    float(self.in_truth[place, at]),
                )
                for at, filter_name in enumerate(self.filters)
            )
            yield Decision(name, self._class(int(self.labels[place])), self.steps[place], answers)

    @property
    def places(self) -> tuple[int, ...]:
        """Places of the shortlisted candidates among all; after a review, of those that stay."""
        return tuple(place for place, step in enumerate(self.steps) if step == SHORTLISTED)

    @property
    def shortlisted(self) -> tuple[str, ...]:
        """Ids of the shortlisted candidates; after a review, of those that stay."""
        return tuple(self.ids[place] for place in self.places)

    @property
    def counted(self) -> Int64[np.ndarray, " candidates"]:
        """The class that each candidate counts towards: the true one, else the predicted one."""
        return self.labels if self.rule == "imagenet-a" else self.predicted[:, 0]

    def funnel(self) -> pd.DataFrame:
        """Return how many candidates are left after each step: one row per class, and "total".

        Classes are the true ones under ImageNet-A's rule, the predicted ones under ImageNet-O's.
        """
        order = [*STEPS[self.rule], SHORTLISTED]
        reached = np.array([order.index(step) for step in self.steps], np.int64)
        counts = {"candidates": np.ones(len(self), bool)}
        for at, (step, left) in enumerate(STEPS[self.rule].items()):
            if step != REVIEW or self.is_reviewed:
                counts[left] = reached > at
        classes = len(self.class_names)
        table = {
            what: np.bincount(self.counted[left], minlength=classes)
            for what, left in counts.items()
        }
        rows = pd.DataFrame(table, index=pd.Index(self.class_names, name="class"))
        total = pd.DataFrame([rows.sum()], index=pd.Index(["total"], name="class"))
        return pd.concat([rows, total])

    def reviewed(self, decisions: Mapping[str, Word], *, unsure: Word = "drop") -> "Filtration":
        """Return the filtration after people have looked at every shortlisted candidate.

        Args:
            decisions: id -> "keep", "drop" or "unsure", for all shortlisted candidates.
            unsure: "drop" or "keep": what happens to those that people are unsure of. The paper
                keeps what is surely valid.

        Raises:
            InputError: an unknown word, a shortlisted candidate without a decision, or a decision
                on something else.
        """
        for name, word in decisions.items():
            if word not in WORDS:
                raise InputError(one_of(f"the decision on {name}", word, WORDS))
        if unsure not in ("keep", "drop"):
            raise InputError(one_of("unsure", unsure, ("keep", "drop")))
        wanted = set(self.shortlisted)
        foreign, open_ = sorted(decisions.keys() - wanted), sorted(wanted - decisions.keys())
        if foreign or open_:
            raise InputError(
                f"Expected a decision on each of the {len(wanted)} shortlisted candidates, but "
                f"{len(open_)} have none ({listed(open_)}) and {len(foreign)} decisions are on "
                f"others ({listed(foreign)}). Review the rest, or say unsure."
            )
        out = {n for n, word in decisions.items() if (unsure if word == "unsure" else word) != KEEP}
        steps = tuple(
            REVIEW if name in out else step for name, step in zip(self.ids, self.steps, strict=True)
        )
        return replace(self, steps=steps, is_reviewed=True)

    def require_every_class(self) -> None:
        """Raise DataError unless every class has a candidate left; the message names the others."""
        there = set(self.counted[list(self.places)].tolist())
        empty = [name for at, name in enumerate(self.class_names) if at not in there]
        if empty:
            raise DataError(
                f"Expected candidates of all {len(self.class_names)} classes to be left, but "
                f"{len(empty)} have none: {listed(empty)}. Gather more candidates of these, or "
                "leave the classes out of the list."
            )

    def _class(self, index: int) -> str | None:
        return None if index < 0 else self.class_names[index]


def listed(names: Sequence[str]) -> str:
    """Return the first few names for a message.

    >>> listed(["a", "b"]), listed([])
    ('a, b', 'none')
    """
    rest = ", ..." if len(names) > SHOWN else ""
    return (", ".join(names[:SHOWN]) + rest) or "none"
