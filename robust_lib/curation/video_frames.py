"""The frames that people compare: an anchor drawn from each video, and the frames around it.

It is the first step of [vid, sec. 2.2]. The layout is that of the release, val/<video>/NNNNNN.JPEG
(see `datasets.vid_robust`), with frames.json beside it (see `frame_record`).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from robust_lib import atomic, seeds
from robust_lib.config.class_lists import ClassList
from robust_lib.curation import frame_record
from robust_lib.curation.frame_record import Drawn, FrameRecord
from robust_lib.curation.video_pool import Candidate, candidates
from robust_lib.datasets.frame_sets import FARTHEST
from robust_lib.datasets.video_files import jpegs, require_one_size
from robust_lib.errors import DataError, InputError


@dataclass(frozen=True)
class Written:
    """The result of a call of `write`.

    Args:
        made: frames written now.
        kept: frames that were there.
        unlabelled: videos without a labelled frame, from which none was drawn.
    """

    record: FrameRecord
    made: int
    kept: int
    unlabelled: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Return it as a sentence."""
        without = f"; without labelled frames: {', '.join(self.unlabelled)}"
        return (
            f"{self.made:,} frames written and {self.kept:,} kept, around "
            f"{len(self.record.videos):,} anchors{without if self.unlabelled else ''}."
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
    """Write an anchor of each video and the frames at most k away from it [vid, sec. 2.2].

    JPEG pictures are copied byte for byte, other frames are stored at quality 95. When the work is
    stopped and called again, frames that are there are kept; videos may have been added.

    Args:
        source: the videos, as `video_pool.candidates` takes them.
        k: frames, 1 to 10.
        seed: of the lot, which is keyed by (seed, name of the video).

    Raises:
        InputError: k is out of range, or the package av is needed and not installed.
        DataError: videos that cannot be read (see `candidates`), frames of different size, no frame
            with a label, or a target that holds other things.
        OSError: a file cannot be written.
    """
    if not 1 <= k <= FARTHEST:
        raise InputError(
            f"Expected k from 1 to {FARTHEST} frames, but got {k}. The sets of the benchmark hold "
            "no frames farther from their anchor."
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
    record = frame_record.begin(
        target, FrameRecord(k=k, seed=seed, classes=classes.name, videos=kept)
    )
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
    return Written(record, made, before, without)


def drawn(candidate: Candidate, k: int, seed: int) -> Drawn | None:
    """Return a video's randomly drawn anchor, and the labelled frames at most k away from it.

    Returns:
        None if no frame has a label, so that none can be the anchor.
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
            f"Expected two folders that lie apart, but got {source} to read and {target} to "
            "write. Write beside the videos, or elsewhere."
        )
