"""The review of pairs of frames: the pairs, their sheets, two rounds of votes, and the result.

A reviewer sees one pair at a time, in an individual order. In the first round, each reviewer
decides alone. In the second, all reviewers see each pair that some reviewer did not label as
similar, and the pair is kept only if a strict majority labels it as similar [vid, sec. 2.2].
"""

import csv
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from robust_lib import atomic, seeds
from robust_lib.config.class_lists import ClassList
from robust_lib.curation import annotation, reviews
from robust_lib.curation.decisions import listed
from robust_lib.curation.review_sheet import (
    REASONS,
    ROUND_1,
    ROUND_2,
    SIMILAR,
    UNSURE,
    WRONG,
    Panel,
    Sheet,
    Shown,
)
from robust_lib.curation.reviews import Review
from robust_lib.curation.video_frames import Drawn, FrameRecord
from robust_lib.errors import DataError, InputError


@dataclass(frozen=True)
class Pair:
    """An anchor and one of its neighbours."""

    video: Drawn
    number: int

    @property
    def anchor(self) -> str:
        """The path of the anchor."""
        return self.video.path(self.video.anchor)

    @property
    def neighbour(self) -> str:
        """The path of the neighbour."""
        return self.video.path(self.number)

    @property
    def name(self) -> str:
        """The name that decisions use: the anchor's path and the neighbour's file.

        >>> frames = {3: (8,), 5: (8,)}
        >>> one = Drawn(name="a", source="a.mp4", bytes=9, rate=25, anchor=3, frames=frames)
        >>> Pair(one, 5).name
        'val/a/000003.JPEG 000005.JPEG'
        """
        return f"{self.anchor} {Path(self.neighbour).name}"


def pairs(record: FrameRecord) -> tuple[Pair, ...]:
    """Return all pairs of the drawn frames, by video and number."""
    return tuple(Pair(one, number) for one in record.videos for number in one.neighbours)


def first_round(folder: Path, record: FrameRecord, classes: ClassList) -> Sheet:
    """Return the sheet of all pairs, which each reviewer sees alone.

    Raises:
        DataError: there are no pairs.
    """
    found = tuple(_shown(pair, classes) for pair in pairs(record))
    if not found:
        raise DataError(
            f"Expected pairs of frames to review in {folder}, but no anchor has a neighbour. Run "
            "`robust frames` on longer videos."
        )
    return Sheet(folder, found, ROUND_1, title=f"{folder.absolute().name}, round 1")


def second_round(
    folder: Path, record: FrameRecord, classes: ClassList, doubted: Collection[str]
) -> Sheet:
    """Return the sheet, for all reviewers, of the pairs that some reviewer doubted."""
    found = tuple(_shown(pair, classes) for pair in pairs(record) if pair.name in doubted)
    return Sheet(folder, found, ROUND_2, title=f"{folder.absolute().name}, round 2")


def shares(sheet: Sheet, count: int, each: int, seed: int) -> tuple[Sheet, ...]:
    """Distribute the pairs of a sheet evenly and at random over several sheets.

    Args:
        each: number of sheets that contain each pair.

    Raises:
        InputError: no sheet, a number of sheets per pair that is zero or too large, or an empty
            sheet.
    """
    if not 1 <= each <= count <= len(sheet.shown):
        raise InputError(
            f"Expected 1 to {len(sheet.shown)} sheets (at most one per pair), and each pair on at "
            f"least one of them, but got {count} sheets and each pair on {each}."
        )
    if count == 1:
        return (sheet,)
    order = seeds.generator(seed, "pairs", "shares").permutation(len(sheet.shown))
    dealt: list[list[Shown]] = [[] for _ in range(count)]
    for turn, place in enumerate(order):
        for more in range(each):
            dealt[(turn + more) % count].append(sheet.shown[place])
    return tuple(
        replace(
            sheet,
            shown=tuple(sorted(share, key=lambda one: one.file)),
            part_of=sheet.digest,
            title=f"{sheet.title}, share {number} of {count}",
        )
        for number, share in enumerate(dealt, start=1)
    )


def _shown(pair: Pair, classes: ClassList) -> Shown:
    video, away = pair.video, pair.number - pair.video.anchor
    where = f"{abs(away)} {'later' if away > 0 else 'earlier'}"
    panels = (
        Panel(pair.anchor, f"anchor, frame {video.anchor}"),
        Panel(pair.neighbour, f"frame {pair.number}, {where}"),
    )
    ours, theirs = (_names(video.frames[number], classes) for number in (video.anchor, pair.number))
    truth = ours if ours == theirs else f"anchor: {ours}; other frame: {theirs}"
    return Shown(pair.name, truth, panels=panels)


def _names(labels: Sequence[int], classes: ClassList) -> str:
    return ", ".join(classes.names[label] for label in labels)


MIXED = "mixed"
"""Why a pair fell of which no reason was the most frequent."""

DISSIMILAR = "dissimilar"


@dataclass(frozen=True)
class Rounds:
    """The decisions on pairs of frames, in one round or in both.

    It is made by `read`, which checks it.

    Args:
        second: reviews of the second round; empty before it, or if no pair was doubted.
    """

    pairs: tuple[Pair, ...]
    first: tuple[Review, ...]
    second: tuple[Review, ...]

    @cached_property
    def doubted(self) -> tuple[str, ...]:
        """Names of the pairs that some reviewer did not label as similar in the first round."""
        return tuple(
            pair.name
            for pair in self.pairs
            if set(reviews.votes(self.first, pair.name)) - {SIMILAR}
        )

    @property
    def is_complete(self) -> bool:
        """Whether every pair is decided: no pair was doubted, or the second round is over."""
        return bool(self.second) or not self.doubted

    @cached_property
    def verdicts(self) -> Mapping[str, str]:
        """The outcome of each pair: "similar", or the reason why it is rejected."""
        again = set(self.doubted)
        return {
            pair.name: verdict(reviews.votes(self.second, pair.name))
            if pair.name in again
            else SIMILAR
            for pair in self.pairs
        }

    def summary(self) -> str:
        """Return counts per reviewer, and their agreement in each round, as lines of text."""
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
        """Write a CSV file: anchor, neighbour, votes by word for each round, and verdict."""
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

        Reasons are not distinguished: a pair is similar or not.
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
    """Return "similar" if a strict majority votes for it, else the reason why the pair is rejected.

    The reason is the most frequent of the other votes, or "mixed" if two are equally frequent.

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
    """Return the decisions that people saved on sheets of pairs, from either round.

    Raises:
        DataError: a file is missing, contains no decisions, belongs to a different sheet, or is by
            the same reviewer as a different file of its round; a pair has no decisions; the second
            round lacks a reviewer of the first, or a reviewer left pairs open in it.
    """
    whole = first_round(folder, record, classes)
    found = tuple(map(reviews.parse, paths))
    first = tuple(one for one in found if one.sheet == whole.digest)
    second = tuple(one for one in found if one.sheet != whole.digest)
    reviews.require(whole, first or second)
    rounds = Rounds(pairs(record), first, second)
    if unseen := [name for name in whole.files if not reviews.votes(first, name)]:
        raise DataError(
            f"Expected a decision on each of the {len(whole.files)} pairs in the first round, but "
            f"{len(unseen)} have none ({listed(unseen)}). Review the rest, or read the files of "
            "all shares."
        )
    if second:
        reviews.require(second_round(folder, record, classes, rounds.doubted), second)
        _require_everybody(rounds)
    return rounds


def _require_everybody(rounds: Rounds) -> None:
    names = {one.reviewer for one in rounds.second}
    if absent := sorted({one.reviewer for one in rounds.first} - names):
        raise DataError(
            f"Expected the {len(rounds.first)} reviewers of the first round in the second as well, "
            f"but {listed(absent)} is not among them: a pair is kept if a strict majority of all "
            "decides so. Ask them to review these pairs under the same names."
        )
    for one in rounds.second:
        if left := [name for name in rounds.doubted if name not in one.decisions]:
            raise DataError(
                f"Expected {one.reviewer} to decide on all {len(rounds.doubted)} pairs of the "
                f"second round, but {len(left)} are open ({listed(left)}). Continue with the "
                'sheet, and mark doubtful pairs as "don\'t know".'
            )


def _coarse(word: str) -> str:
    return DISSIMILAR if word in REASONS else word
