"""The two rounds of a review in pairs: votes, the pairs that stay, and why others are rejected.

In the first round each reviewer decides alone; in the second all reviewers see each pair that
somebody did not call similar, and it stays only if a strict majority of them does [vid, sec. 2.2].
"""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from robust_lib import atomic
from robust_lib.config.class_lists import ClassList
from robust_lib.curation import annotation, frame_pairs, reviews
from robust_lib.curation.decisions import listed
from robust_lib.curation.frame_pairs import Pair
from robust_lib.curation.frame_record import FrameRecord
from robust_lib.curation.review_mode import REASONS, ROUND_1, SIMILAR, UNSURE, WRONG
from robust_lib.curation.reviews import Review
from robust_lib.errors import DataError, InputError

MIXED = "mixed"
"""Why a pair fell of which no reason was the most frequent."""

DISSIMILAR = "dissimilar"


@dataclass(frozen=True)
class Rounds:
    """What people decided on pairs of frames, in one round or in both.

    Made by `read`, which checks it.

    Args:
        first: reviews of the first round, one per person.
        second: reviews of the second; empty before it, or if nothing was doubted.
    """

    pairs: tuple[Pair, ...]
    first: tuple[Review, ...]
    second: tuple[Review, ...]

    @cached_property
    def doubted(self) -> tuple[str, ...]:
        """Names of the pairs that some reviewer did not call similar in the first round."""
        return tuple(
            pair.name
            for pair in self.pairs
            if set(reviews.votes(self.first, pair.name)) - {SIMILAR}
        )

    @property
    def is_complete(self) -> bool:
        """Whether every pair is decided: nothing was doubted, or the second round is over."""
        return bool(self.second) or not self.doubted

    @cached_property
    def verdicts(self) -> Mapping[str, str]:
        """The outcome of each pair: "similar", or why it is rejected."""
        again = set(self.doubted)
        return {
            pair.name: verdict(reviews.votes(self.second, pair.name))
            if pair.name in again
            else SIMILAR
            for pair in self.pairs
        }

    def summary(self) -> str:
        """Return counts per reviewer, and how far they agree in each round, as lines of text."""
        lines = []
        rounds = ((1, self.first, len(self.pairs)), (2, self.second, len(self.doubted)))
        for number, found, total in rounds:
            lines += [
                f"round {number}, {one.reviewer}: "
                f"{reviews.counted(one.decisions.values(), ROUND_1.words)} of {total}"
                for one in found
            ]
            lines += [f"round {number}, {line}" for line in self._agreement(found)]
        return "\n".join(lines)

    def save(self, path: Path) -> None:
        """Write a CSV file: anchor, neighbour, each round's votes by word, the verdict."""
        words = ROUND_1.words
        heads = [f"round_{number}_{word}" for number in (1, 2) for word in words]
        with atomic.file(path) as made, made.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["anchor", "neighbour", *heads, "verdict"])
            for pair in self.pairs:
                both = [reviews.votes(one, pair.name) for one in (self.first, self.second)]
                counts = annotation.vote_counts(both, words).ravel().tolist()
                writer.writerow([pair.anchor, pair.neighbour, *counts, self.verdicts[pair.name]])

    def _agreement(self, found: Sequence[Review]) -> list[str]:
        """Return the agreement on the pairs that have the most usual number of votes, two or more.

        Reasons are not told apart: a pair is similar or not.
        """
        votes = [[_coarse(v) for v in reviews.votes(found, pair.name)] for pair in self.pairs]
        sizes = Counter(len(one) for one in votes if len(one) > 1)
        if not sizes:
            return []
        size = max(sizes, key=lambda one: (sizes[one], one))
        usual = [one for one in votes if len(one) == size]
        counts = annotation.vote_counts(usual, (SIMILAR, DISSIMILAR, UNSURE, WRONG))
        return [f"{reviews.agreement(counts)}, on {len(usual)} pairs of {size} votes each"]


def verdict(votes: Sequence[str]) -> str:
    """Return "similar" if a strict majority votes for it, else why the pair is rejected.

    That is the most frequent of the other votes; "mixed" where two are equally frequent.

    Raises:
        InputError: no votes.

    >>> verdict(["similar", "similar", "blur"]), verdict(["similar", "blur"])
    ('similar', 'blur')
    >>> verdict(["similar", "blur", "wrong"])
    'mixed'
    """
    if not votes:
        raise InputError("Expected at least one vote, but got none.")
    if 2 * votes.count(SIMILAR) > len(votes):
        return SIMILAR
    (first, count), *rest = Counter(vote for vote in votes if vote != SIMILAR).most_common()
    return MIXED if rest and rest[0][1] == count else first


def read(folder: Path, record: FrameRecord, classes: ClassList, paths: Sequence[Path]) -> Rounds:
    """Return the decisions that people saved on sheets of pairs, of either round.

    Raises:
        DataError: a file is missing or no decisions, is about another sheet, or is by the same
            reviewer as another of its round; a pair that nobody decided on; a second round without
            a reviewer of the first, or in which somebody left pairs open.
    """
    whole = frame_pairs.first_round(folder, record, classes)
    found = tuple(map(reviews.parse, paths))
    first = tuple(one for one in found if one.sheet == whole.digest)
    second = tuple(one for one in found if one.sheet != whole.digest)
    reviews.require(whole, first or second)
    rounds = Rounds(frame_pairs.pairs(record), first, second)
    if unseen := [name for name in whole.files if not reviews.votes(first, name)]:
        raise DataError(
            f"Expected a decision on each of the {len(whole.files)} pairs in the first round, but "
            f"nobody decided on {len(unseen)} ({listed(unseen)}). Review the rest, or read the "
            "files of all shares."
        )
    if second:
        reviews.require(frame_pairs.second_round(folder, record, classes, rounds.doubted), second)
        _require_everybody(rounds)
    return rounds


def _require_everybody(rounds: Rounds) -> None:
    names = {one.reviewer for one in rounds.second}
    if absent := sorted({one.reviewer for one in rounds.first} - names):
        raise DataError(
            f"Expected the {len(rounds.first)} reviewers of the first round in the second, too, "
            f"but {listed(absent)} is not among them: a pair stays if a strict majority of all "
            "says so. Let them decide, under the same name."
        )
    for one in rounds.second:
        if left := [name for name in rounds.doubted if name not in one.decisions]:
            raise DataError(
                f"Expected {one.reviewer} to decide on all {len(rounds.doubted)} pairs of the "
                f"second round, but {len(left)} are open ({listed(left)}). Go on with the sheet, "
                "and say don't know where nothing else is certain."
            )


def _coarse(word: str) -> str:
    return DISSIMILAR if word in REASONS else word
