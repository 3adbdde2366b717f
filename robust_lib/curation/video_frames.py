"""The frames to review: a random anchor from each video, and the frames around it.

This is the first step of [vid, sec. 2.2]. The layout is that of the release,
val/<video>/NNNNNN.JPEG (see `datasets.vid_robust`), with frames.json next to it, which is written
before any frame, so that an interrupted run can be distinguished from a complete one.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from tqdm import tqdm

from robust_lib import atomic, seeds
from robust_lib.atomic import cleared, write_json
from robust_lib.config.class_lists import ClassList
from robust_lib.config.strict_yaml import Record
from robust_lib.curation.pool import Candidate, candidates, left_out
from robust_lib.datasets.frame_sets import FARTHEST
from robust_lib.datasets.video_files import jpegs, require_one_size
from robust_lib.errors import DataError, InputError

NAME = "frames.json"

FORMAT = 1
"""Raise it when the same videos and settings would give other frames than before."""

SHOWN = 3  # entries named in a message


class Drawn(Record):
    """The frames drawn from one video.

    Args:
        rate: frames per second; None if unknown.
        frames: frame number, including the anchor's -> its classes.
    """

    name: str
    source: str
    bytes: int
    rate: float | None
    anchor: int
    frames: dict[int, tuple[int, ...]]

    def path(self, number: int) -> str:
        """Return the path of one of the video's frames, as in the metadata."""
        return f"val/{self.name}/{number:06d}.JPEG"

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The numbers of the frames other than the anchor, ascending."""
        return tuple(sorted(number for number in self.frames if number != self.anchor))


class FrameRecord(Record):
    """The frames of all videos, and the settings with which they were drawn.

    Args:
        k: maximum distance of a neighbour from its anchor, in frames.
    """

    format: int = FORMAT
    k: int
    seed: int
    classes: str
    videos: tuple[Drawn, ...]

    @property
    def frames(self) -> tuple[str, ...]:
        """The paths of all frames."""
        return tuple(one.path(number) for one in self.videos for number in sorted(one.frames))


def begin(folder: Path, wanted: FrameRecord) -> FrameRecord:
    """Claim a folder for frames, or continue in one that has frames; videos may be added.

    If no frame has been written yet, all settings and videos may differ from the recorded ones.

    Raises:
        DataError: the folder contains something else, or frames drawn with different settings or
            from different videos; nothing was written.
    """
    if (folder / NAME).exists():
        there = read(folder)
        if not cleared(folder, NAME):
            _require_same(folder, there, wanted)
    else:
        _require_empty(folder)
    write_json(folder / NAME, wanted.model_dump(mode="json"))
    return wanted


def read(folder: Path) -> FrameRecord:
    """Return the record of a folder of frames.

    Raises:
        DataError: there is none, or `begin` did not write it.
    """
    path = folder / NAME
    try:
        found = FrameRecord.model_validate_json(path.read_bytes())
        wrong = f"it is of format {found.format}" if found.format != FORMAT else ""
    except FileNotFoundError:
        raise DataError(
            f"Expected frames of videos in {folder}, but it has no {NAME}. Run `robust frames` to "
            "write them."
        ) from None
    except ValidationError as error:
        wrong = "; ".join(one["msg"] for one in error.errors()[:SHOWN])
    if wrong:
        raise DataError(
            f"{path} is not what `robust frames` writes, so nothing is known about the images next "
            f"to it: {wrong}. Write the frames to another folder."
        )
    return found


def require_complete(folder: Path, record: FrameRecord) -> None:
    """Raise DataError if frames of a record are missing; the message names the first."""
    missing = [frame for frame in record.frames if not (folder / frame).is_file()]
    if missing:
        raise DataError(
            f"Expected {len(record.frames)} frames in {folder}, but {len(missing)} are missing "
            f"({_listed(missing)}). Run `robust frames` again: it resumes where it stopped."
        )


def _require_same(folder: Path, there: FrameRecord, wanted: FrameRecord) -> None:
    apart = [
        f"{what} ({getattr(there, what)} there, {getattr(wanted, what)} now)"
        for what in ("k", "seed", "classes")
        if getattr(there, what) != getattr(wanted, what)
    ]
    if apart:
        raise DataError(
            f"Expected the settings with which {folder} was begun, but these differ: "
            f"{', '.join(apart)}. Nothing was written; use a different folder or the same settings."
        )
    now = {one.name: one for one in wanted.videos}
    made = (one for one in there.videos if len(_lacking(folder, one)) < len(one.frames))
    if other := [one.source for one in made if now.get(one.name) != one]:
        raise DataError(
            f"Expected the {len(there.videos)} videos with which {folder} was begun, but "
            f"{len(other)} are gone or have changed ({_listed(other)}). Nothing was written; "
            "restore them, or use another folder."
        )


def _require_empty(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise DataError(f"Expected a folder to write to, but {folder} is a file. Use another path.")
    there = sorted(one.name for one in folder.iterdir()) if folder.exists() else []
    if besides := [name for name in there if not name.startswith(f".{NAME}.")]:  # a stopped start
        raise DataError(
            f"Expected {folder} to be empty or to contain frames written by `robust frames`, but "
            f"it contains {_listed(besides)} and no {NAME}. Nothing was written; use another "
            "folder."
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


@dataclass(frozen=True)
class Written:
    """The result of a call of `write`.

    Args:
        unlabelled: videos without a labelled frame, which were skipped.
        left_out: files that are neither videos nor frames of videos.
    """

    record: FrameRecord
    made: int
    kept: int
    unlabelled: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Return the result as a sentence."""
        without = f"; without labelled frames: {', '.join(self.unlabelled)}"
        besides = f"; left out: {len(self.left_out):,} other files ({_listed(self.left_out)})"
        return (
            f"{self.made:,} frames written and {self.kept:,} kept, around "
            f"{len(self.record.videos):,} anchors{without if self.unlabelled else ''}"
            f"{besides if self.left_out else ''}."
        )


def write(
    source: Path,
    target: Path,
    classes: ClassList,
    *,
    k: int = FARTHEST,
    seed: int = 0,
    progress: bool = False,
) -> Written:
    """Write an anchor for each video and the frames within k of it [vid, sec. 2.2].

    JPEG images are copied byte for byte, other frames are stored at quality 95. After an
    interruption, the next call keeps existing frames; videos may have been added.

    Args:
        k: maximum distance in frames, 1 to 10.
        seed: seed of the random draw, which is keyed by (seed, name of the video).

    Raises:
        InputError: k is out of range, or the package av is needed and not installed.
        DataError: videos that cannot be read (see `candidates`), frames of different sizes, no
            frame with a label, or a target that contains other things.
        OSError: a file cannot be written.
    """
    if not 1 <= k <= FARTHEST:
        raise InputError(
            f"Expected k from 1 to {FARTHEST} frames, but got {k}. The benchmark's sets contain no "
            "frames further from their anchor."
        )
    _require_apart(source.resolve(), target.resolve())
    found = candidates(source, classes, progress=progress)
    rows = {one.name: drawn(one, k, seed) for one in found}
    kept = tuple(row for row in rows.values() if row is not None)
    if not kept:
        raise DataError(
            f"Expected frames with a class of {classes.name} in the {len(found)} videos of "
            f"{source}, but none has an object. Check the annotations."
        )
    for one in found:
        if row := rows[one.name]:
            require_one_size(one.video, row.frames)
    record = begin(target, FrameRecord(k=k, seed=seed, classes=classes.name, videos=kept))
    lacking = {row.name: _lacking(target, row) for row in kept}
    made = sum(map(len, lacking.values()))
    before = len(record.frames) - made
    sources = {one.name: one.video for one in found}
    with tqdm(
        total=before + made, initial=before, desc="frames", unit="frame", disable=not progress
    ) as bar:
        for row in kept:
            for number, content in jpegs(sources[row.name], lacking[row.name]):
                atomic.write_bytes(target / row.path(number), content)
                bar.update()
    without = tuple(name for name, row in rows.items() if row is None)
    return Written(record, made, before, without, left_out(source))


def drawn(candidate: Candidate, k: int, seed: int) -> Drawn | None:
    """Return a random anchor of a video, and the labelled frames within k of it.

    Returns:
        None if no frame has a label, so that none can be an anchor.
    """
    numbers = candidate.video.numbers
    order = seeds.generator(seed, candidate.name, "anchor").permutation(len(numbers))
    lots = (numbers[int(place)] for place in order)
    anchor = next((number for number in lots if candidate.labels(number)), None)
    if anchor is None:
        return None
    around = numbers[bisect_left(numbers, anchor - k) : bisect_right(numbers, anchor + k)]
    labels = {number: candidate.labels(number) for number in around}
    return Drawn(
        name=candidate.name,
        source=candidate.source,
        bytes=candidate.video.bytes,
        rate=candidate.video.rate,
        anchor=anchor,
        frames={number: found for number, found in labels.items() if found},
    )


def _lacking(target: Path, row: Drawn) -> Sequence[int]:
    return [number for number in sorted(row.frames) if not (target / row.path(number)).is_file()]


def _require_apart(source: Path, target: Path) -> None:
    if target.is_relative_to(source) or source.is_relative_to(target):
        raise DataError(
            f"Expected two separate folders, but got {source} to read and {target} to write. Write "
            "next to the videos, or elsewhere."
        )
