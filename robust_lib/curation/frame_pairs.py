"""The pairs of frames that people compare, an anchor and a neighbour, and the sheets of them.

A reviewer sees a single pair at a time, in an order of their own [vid, sec. 2.2].
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from robust_lib import seeds
from robust_lib.config.class_lists import ClassList
from robust_lib.curation.frame_record import Drawn, FrameRecord
from robust_lib.curation.review_mode import ROUND_1, ROUND_2
from robust_lib.curation.review_sheet import Panel, Sheet, Shown
from robust_lib.errors import DataError, InputError


@dataclass(frozen=True)
class Pair:
    """An anchor and one of its neighbours.

    Args:
        number: of the neighbour's frame.
    """

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
    """Return all pairs of the frames that were drawn, by video and number."""
    return tuple(Pair(one, number) for one in record.videos for number in one.neighbours)


def first_round(folder: Path, record: FrameRecord, classes: ClassList) -> Sheet:
    """Return the sheet of all pairs, which each reviewer sees alone.

    Raises:
        DataError: there are no pairs.
    """
    found = tuple(_shown(pair, classes) for pair in pairs(record))
    if not found:
        raise DataError(
            f"Expected pairs of frames to review in {folder}, but no anchor has a neighbour. Draw "
            "frames of longer videos."
        )
    return Sheet(folder, found, ROUND_1, title=f"{folder.absolute().name}, round 1")


def second_round(
    folder: Path, record: FrameRecord, classes: ClassList, doubted: Collection[str]
) -> Sheet:
    """Return the sheet of the pairs that a reviewer doubted, which all reviewers see."""
    found = tuple(_shown(pair, classes) for pair in pairs(record) if pair.name in doubted)
    return Sheet(folder, found, ROUND_2, title=f"{folder.absolute().name}, round 2")


def shares(sheet: Sheet, count: int, each: int, seed: int) -> tuple[Sheet, ...]:
    """Deal the pairs of a sheet evenly and at random to several sheets.

    Args:
        each: on how many of them each pair is.

    Raises:
        InputError: no sheet, a pair on none or on more than there are, or an empty sheet.
    """
    if not 1 <= each <= count <= len(sheet.shown):
        raise InputError(
            f"Expected 1 to {len(sheet.shown)} shares, as there are so many pairs, and each pair "
            f"in one or more of them, but got {count} shares and each pair in {each}."
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
