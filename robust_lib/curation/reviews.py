"""Decisions saved on a review sheet: read, compared, and combined."""

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from robust_lib import atomic
from robust_lib.config import strict_json
from robust_lib.curation import annotation
from robust_lib.curation.decisions import WORDS, Word, listed
from robust_lib.curation.review_sheet import Sheet
from robust_lib.errors import DataError

FORMAT = 1
"""The format of the files that a sheet saves; increase it when the sheet's script changes it."""


@dataclass(frozen=True)
class Review:
    """One person's decisions: name of an item -> a word of the sheet's mode."""

    reviewer: str
    decisions: Mapping[str, str]
    sheet: str
    path: Path


@dataclass(frozen=True)
class Reviewed:
    """The decisions of several people on the images of one sheet."""

    files: tuple[str, ...]
    reviews: tuple[Review, ...]

    def votes(self, file: str) -> list[Word]:
        """Return the decisions on one image, in the order of the reviewers."""
        return cast("list[Word]", votes(self.reviews, file))

    @property
    def majority(self) -> dict[str, Word]:
        """The most frequent decision on each image that has any; ties are "unsure"."""
        voted = ((file, self.votes(file)) for file in self.files)
        return {file: annotation.majority(votes) for file, votes in voted if votes}

    @property
    def seen_by_all(self) -> tuple[str, ...]:
        """The images on which every reviewer decided; agreement is measured on these."""
        return tuple(f for f in self.files if len(self.votes(f)) == len(self.reviews))

    def summary(self) -> str:
        """Return counts per reviewer and of the majority, and the agreement, as lines of text."""
        majority = self.majority
        lines = [
            f"{one.reviewer}: {counted(one.decisions.values(), WORDS)} of {len(self.files)}"
            for one in self.reviews
        ]
        lines.append(f"majority: {counted(majority.values(), WORDS)} of {len(self.files)}")
        common = self.seen_by_all
        if len(self.reviews) > 1 and common:
            counts = annotation.vote_counts([self.votes(file) for file in common])
            lines.append(
                f"{agreement(counts)}, on {len(common)} images that all reviewers have seen"
            )
        return "\n".join(lines)

    def save(self, path: Path) -> None:
        """Write a CSV file: file, number of votes for keep, drop and unsure, and majority."""
        counts = annotation.vote_counts([self.votes(file) for file in self.files])
        with atomic.file(path) as made, made.open("w", encoding="utf-8", newline="") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(["file", *WORDS, "majority"])
            for file, row in zip(self.files, counts.tolist(), strict=True):
                writer.writerow([file, *row, self.majority_of(file)])

    def majority_of(self, file: str) -> str:
        """Return the majority decision on one image; empty without a decision."""
        votes = self.votes(file)
        return annotation.majority(votes) if votes else ""


def read(sheet: Sheet, paths: Sequence[Path]) -> Reviewed:
    """Return the decisions that people saved on a sheet.

    Raises:
        DataError: a file is missing, contains no decisions, is about different images, or is by the
            same reviewer as a different file.
    """
    reviews = tuple(map(parse, paths))
    require(sheet, reviews)
    return Reviewed(sheet.files, reviews)


def parse(path: Path) -> Review:
    """Return the decisions in a file, whichever sheet they belong to.

    Raises:
        DataError: the file is missing, or contains no decisions.
    """
    try:
        saved = strict_json.parsed(path.read_text("utf-8"))
    except FileNotFoundError:
        raise DataError(f"Expected decisions in {path}, but there is no such file.") from None
    except (ValueError, OSError) as error:
        raise DataError(_no_decisions(path, str(error))) from None
    if not isinstance(saved, dict) or set(saved) != {"format", "sheet", "reviewer", "decisions"}:
        raise DataError(_no_decisions(path, "its fields differ from those of a saved sheet"))
    decisions, reviewer = saved["decisions"], saved["reviewer"]
    if saved["format"] != FORMAT or not isinstance(decisions, dict):
        raise DataError(_no_decisions(path, f"it is of format {saved['format']}"))
    if not all(isinstance(word, str) for word in decisions.values()):
        raise DataError(_no_decisions(path, "some decisions are not strings"))
    if not isinstance(reviewer, str) or not reviewer:
        raise DataError(_no_decisions(path, "it does not name its reviewer"))
    return Review(reviewer, decisions, str(saved["sheet"]), path)


def require(sheet: Sheet, reviews: Sequence[Review]) -> None:
    """Raise DataError for decisions on a different sheet, or for several files by one reviewer.

    Raises:
        DataError: see `read`.
    """
    things, words = sheet.mode.things, sheet.mode.words
    names: dict[str, Path] = {}
    for one in reviews:
        if other := [file for file, word in one.decisions.items() if word not in words]:
            raise DataError(
                _no_decisions(one.path, f"its decision on {other[0]} is not one of {words}")
            )
        if foreign := sorted(one.decisions.keys() - set(sheet.files)):
            raise DataError(
                f"Expected decisions on the {len(sheet.files)} {things} of the sheet, but "
                f"{one.path} decides on {len(foreign)} others ({listed(foreign)}). Pass the "
                "folder, the manifest or the reviews for which the sheet was written."
            )
        if one.sheet != sheet.digest:
            raise DataError(
                f"Expected decisions on a sheet of these {len(sheet.files)} {things}, but "
                f"{one.path} is from a sheet with a different list: {things} have been added or "
                "removed since. Restore them, or write the sheet again and review it."
            )
        if one.reviewer in names:
            raise DataError(
                f"Expected one file per reviewer, but {names[one.reviewer]} and {one.path} are "
                f"both by {one.reviewer}. Read only the newer file."
            )
        names[one.reviewer] = one.path


def votes(reviews: Sequence[Review], thing: str) -> list[str]:
    """Return the decisions on one item, in the order of the reviewers."""
    return [one.decisions[thing] for one in reviews if thing in one.decisions]


def agreement(counts: annotation.Counts) -> str:
    """Return the agreement of votes, as text.

    >>> import numpy as np
    >>> agreement(np.array([[2, 0], [0, 2], [1, 1], [1, 1]]))
    "agreement: 50.0 % of pairs of votes, Fleiss' kappa 0.000"
    """
    kappa = annotation.fleiss_kappa(counts)
    words = "not defined (equal votes)" if kappa != kappa else f"{kappa:.3f}"
    share = 100 * annotation.agreement(counts)
    return f"agreement: {share:.1f} % of pairs of votes, Fleiss' kappa {words}"


def counted(decisions: Collection[str], words: Sequence[str]) -> str:
    """Return the frequency of each word, as text."""
    said = list(decisions)
    return ", ".join(f"{said.count(word)} {word}" for word in words)


def _no_decisions(path: Path, what: str) -> str:
    return (
        f"Expected decisions saved by a review sheet in {path}, but it contains none: {what}. Save "
        "them again from the sheet."
    )
