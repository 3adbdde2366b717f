"""Decisions on candidates: the step that rejects each candidate, the rules, and the file format.

The file's first line is a comment, `# ` and JSON with the settings; `pandas.read_csv(path,
skiprows=1)` reads the table below it.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int64

from robust_lib import atomic
from robust_lib.config import strict_json
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

    A candidate with a correctly classified crop has no prediction: None and NaN.
    """

    filter: str
    predicted: str | None
    confidence: float
    in_truth: float


@dataclass(frozen=True)
class Decision:
    """The decision on one candidate.

    Args:
        truth: name of the candidate's class; None under ImageNet-O's rule.
        step: the step that rejected it, or "shortlisted".
    """

    id: str
    truth: str | None
    step: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Filtration:
    """The decisions on a pool of candidates, in the candidates' order [nae, sec. 3].

    Args:
        labels: true classes; -1 if there is none.
        predicted: each filter's predicted class; -1 if some crop was classified correctly.
        confidence: its probability, a fraction; NaN if some crop was classified correctly.
        in_truth: probability of the true class, a fraction; NaN as above, or without a truth.
        steps: the step that rejected each candidate, or "shortlisted".

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
        """Indices of the shortlisted candidates; after a review, of those that are kept."""
        return tuple(place for place, step in enumerate(self.steps) if step == SHORTLISTED)

    @property
    def shortlisted(self) -> tuple[str, ...]:
        """Ids of the shortlisted candidates; after a review, of those that are kept."""
        return tuple(self.ids[place] for place in self.places)

    @property
    def counted(self) -> Int64[np.ndarray, " candidates"]:
        """The class under which each candidate is counted: the true one, else the predicted one."""
        return self.labels if self.rule == "imagenet-a" else self.predicted[:, 0]

    def funnel(self) -> pd.DataFrame:
        """Return the number of candidates after each step: one row per class, and "total".

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
        """Return the filtration after people reviewed every shortlisted candidate.

        Args:
            decisions: id -> "keep", "drop" or "unsure", for all shortlisted candidates.
            unsure: "drop" or "keep": the treatment of candidates that people are unsure about. The
                paper keeps only those that are certainly valid.

        Raises:
            InputError: an unknown word, a shortlisted candidate without a decision, or a decision
                on an item that is not shortlisted.
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
                f"others ({listed(foreign)}). Review the rest, or mark them as unsure."
            )
        out = {n for n, word in decisions.items() if (unsure if word == "unsure" else word) != KEEP}
        steps = tuple(
            REVIEW if name in out else step for name, step in zip(self.ids, self.steps, strict=True)
        )
        return replace(self, steps=steps, is_reviewed=True)

    def require_every_class(self) -> None:
        """Raise DataError if a class has no candidate left; the message names these classes."""
        there = set(self.counted[list(self.places)].tolist())
        empty = [name for at, name in enumerate(self.class_names) if at not in there]
        if empty:
            raise DataError(
                f"Expected remaining candidates for all {len(self.class_names)} classes, but "
                f"{len(empty)} have none: {listed(empty)}. Collect more candidates of these "
                "classes, or remove the classes from the list."
            )

    def _class(self, index: int) -> str | None:
        return None if index < 0 else self.class_names[index]


def listed(names: Sequence[str]) -> str:
    """Return the first few names, for a message.

    >>> listed(["a", "b"]), listed([])
    ('a, b', 'none')
    """
    rest = ", ..." if len(names) > SHOWN else ""
    return (", ".join(names[:SHOWN]) + rest) or "none"


Columns = Int64[np.ndarray, "candidates filters"]
Fractions = Float64[np.ndarray, "candidates filters"]


def adversarial_steps(
    labels: Int64[np.ndarray, " candidates"],
    predicted: Columns,
    in_truth: Fractions,
    confidence: float,
    most: int | None,
) -> tuple[str, ...]:
    """Return the step that rejects each candidate; a prediction of -1 means a correct crop.

    >>> adversarial_steps(np.array([0, 0, 0]), np.array([[-1], [1], [1]]),
    ...     np.array([[np.nan], [0.2], [0.1]]), 0.15, 15)
    ('correct', 'confident', 'shortlisted')
    """
    kept: Counter[tuple[int, int]] = Counter()
    steps = []
    for label, first, shares in zip(
        labels.tolist(), predicted[:, 0].tolist(), in_truth, strict=True
    ):
        if first < 0:
            steps.append("correct")
        elif (shares > confidence).any():
            steps.append("confident")
        elif most is not None and kept[label, first] == most:
            steps.append("confusion")
        else:
            kept[label, first] += 1
            steps.append(SHORTLISTED)
    return tuple(steps)


def anomalous_steps(
    predicted: Int64[np.ndarray, " candidates"],
    share: Float64[np.ndarray, " candidates"],
    confidence: float,
    most: int | None,
) -> tuple[str, ...]:
    """Return the step that rejects each candidate, given the model's classes and probabilities.

    >>> anomalous_steps(np.array([4, 4, 4]), np.array([0.9, 0.3, 0.8]), 0.8, 1)
    ('shortlisted', 'unconfident', 'repeated')
    """
    kept: Counter[int] = Counter()
    steps = []
    for name, sure in zip(predicted.tolist(), share.tolist(), strict=True):
        if sure < confidence:
            steps.append("unconfident")
        elif most is not None and kept[name] == most:
            steps.append("repeated")
        else:
            kept[name] += 1
            steps.append(SHORTLISTED)
    return tuple(steps)


FORMAT = 1
"""Raise it when the columns change; files of another format are refused."""

HEAD = ("id", "true_class", "step")
SAID = ("predicted", "confidence", "confidence_in_truth")
ABOUT = ("format", "rule", "filters", "class_names", "is_reviewed", "settings")


def save(filtration: Filtration, path: Path) -> None:
    """Write a filtration as CSV; an older file is replaced only by a complete new one.

    Columns: id, true_class, step, and for each filter predicted_<name>, confidence_<name> and
    confidence_in_truth_<name>, fractions, empty if some crop was classified correctly.
    """
    about: dict[str, Any] = {
        "format": FORMAT,
        "rule": filtration.rule,
        "filters": list(filtration.filters),
        "class_names": list(filtration.class_names),
        "is_reviewed": filtration.is_reviewed,
        "settings": dict(filtration.settings),
    }
    with atomic.file(path) as made, made.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {json.dumps(about, ensure_ascii=False, allow_nan=False)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_columns(filtration.filters))
        for one in filtration:
            cells = [one.id, one.truth or "", one.step]
            for answer in one.answers:
                cells += [answer.predicted or "", _cell(answer.confidence), _cell(answer.in_truth)]
            writer.writerow(cells)


def load(path: Path) -> Filtration:
    """Return the filtration that `save` wrote.

    Raises:
        DataError: no such file, or not one that `save` wrote; the message names the line.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            about = _about(file.readline(), path)
            rows = list(_rows(file, about, path))
    except FileNotFoundError:
        raise DataError(
            f"Expected a manifest of a filtration at {path}, but there is no such file. Run "
            "`robust filter` to write it."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(_no_manifest(path, 1, str(error))) from None
    shape = (len(rows), len(about["filters"]))
    return Filtration(
        rule=about["rule"],
        filters=tuple(about["filters"]),
        class_names=tuple(about["class_names"]),
        ids=tuple(row[0] for row in rows),
        labels=np.array([row[1] for row in rows], np.int64),
        steps=tuple(row[2] for row in rows),
        predicted=np.array([row[3] for row in rows], np.int64).reshape(shape),
        confidence=np.array([row[4] for row in rows], np.float64).reshape(shape),
        in_truth=np.array([row[5] for row in rows], np.float64).reshape(shape),
        settings=about["settings"],
        is_reviewed=about["is_reviewed"],
    )


def _about(line: str, path: Path) -> dict[str, Any]:
    try:
        about = strict_json.parsed(line.removeprefix("# ")) if line.startswith("# ") else None
    except ValueError:
        about = None
    if not isinstance(about, dict) or set(about) != set(ABOUT):
        raise DataError(_no_manifest(path, 1, "it does not contain the settings of the filter"))
    if about["format"] != FORMAT or about["rule"] not in get_args(Rule):
        what = f"it is of format {about['format']} and rule {about['rule']}"
        raise DataError(_no_manifest(path, 1, what))
    return about


def _rows(file: Any, about: dict[str, Any], path: Path) -> Iterator[tuple[Any, ...]]:
    """Yield id, label, step, and each filter's class, confidence and confidence in the truth."""
    classes = {"": -1} | {name: at for at, name in enumerate(about["class_names"])}
    steps = {*STEPS[about["rule"]], SHORTLISTED}
    expected, seen = _columns(about["filters"]), set()
    reader = csv.reader(file)
    if next(reader, []) != expected:
        raise DataError(_no_manifest(path, 2, f"its columns are not {', '.join(expected)}"))
    for cells in reader:
        try:
            name, truth, step, *said = cells
            if len(cells) != len(expected) or step not in steps or name in seen:
                raise ValueError("one cell too many or too few, an unknown step, or a duplicate id")
            seen.add(name)
            numbers = [[float(cell or "nan") for cell in said[at::3]] for at in (1, 2)]
            yield name, classes[truth], step, [classes[cell] for cell in said[::3]], *numbers
        except (ValueError, KeyError) as error:
            raise DataError(_no_manifest(path, reader.line_num + 1, str(error))) from None


def _columns(filters: tuple[str, ...] | list[str]) -> list[str]:
    return [*HEAD, *(f"{what}_{name}" for name in filters for what in SAID)]


def _cell(number: float) -> str:
    return "" if np.isnan(number) else repr(number)  # the shortest text that reads back the same


def _no_manifest(path: Path, line: int, what: str) -> str:
    return (
        f"Expected a manifest of a filtration in {path}, but it is not one: line {line}, {what}. "
        "Write it again with `robust filter`."
    )
