"""The frames that pass the review of pairs, written in the format of ImageNet-Vid-Robust.

Rejected pairs are removed from the frame sets, and so is an anchor if its label is wrong in most of
its pairs or if it has no similar frame left; `datasets.vid_robust` reads the files.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from robust_lib import atomic
from robust_lib.config.class_lists import ClassList
from robust_lib.curation.pair_rounds import MIXED, Rounds, pairs
from robust_lib.curation.review_sheet import ROUND_1, SIMILAR, WRONG
from robust_lib.curation.video_frames import FrameRecord
from robust_lib.datasets.vid_robust import INDEX, LABELS, SETS
from robust_lib.errors import DataError


@dataclass(frozen=True)
class Release:
    """Frame sets after a review.

    Args:
        sets: path of an anchor -> its neighbours' paths, the anchor not among them; never empty.
        funnel: counts of pairs and anchors: before, rejected by reason, and kept, in this order.
    """

    labels: Mapping[str, tuple[int, ...]]
    sets: Mapping[str, tuple[str, ...]]
    funnel: Mapping[str, int]


def of_rounds(record: FrameRecord, rounds: Rounds) -> Release:
    """Return the frame sets that the reviewers keep [vid, sec. 2.2].

    An anchor whose label is wrong in a strict majority of its pairs is removed with its set. So is
    an anchor without a remaining similar frame, since the paper's sets have at least one neighbour.
    """
    labels: dict[str, tuple[int, ...]] = {}
    sets: dict[str, tuple[str, ...]] = {}
    wrong = alone = with_anchor = 0
    verdicts = {pair.neighbour: rounds.verdicts[pair.name] for pair in pairs(record)}
    for video in record.videos:
        said = {number: verdicts[video.path(number)] for number in video.neighbours}
        kept = [number for number, word in said.items() if word == SIMILAR]
        if 2 * list(said.values()).count(WRONG) > len(said):
            wrong, with_anchor = wrong + 1, with_anchor + len(kept)
        elif not kept:
            alone += 1
        else:
            sets[video.path(video.anchor)] = tuple(map(video.path, kept))
            labels |= {video.path(n): video.frames[n] for n in sorted([video.anchor, *kept])}
    fell = Counter(word for word in verdicts.values() if word != SIMILAR)
    reasons = {choice.word: choice.label for choice in ROUND_1.choices if choice.word != SIMILAR}
    funnel = {
        "pairs": len(verdicts),
        "similar to all in round 1": len(verdicts) - len(rounds.doubted),
        "similar to most in round 2": sum(rounds.verdicts[n] == SIMILAR for n in rounds.doubted),
        **{
            f"dropped: {label}": fell[word]
            for word, label in (reasons | {MIXED: "reasons that differ"}).items()
        },
        "dropped with their anchor": with_anchor,
        "pairs left": sum(map(len, sets.values())),
        "anchors": len(record.videos),
        "of a wrong label": wrong,
        "without a similar frame": alone,
        "anchors left": len(sets),
    }
    return Release(labels, sets, funnel)


def write(folder: Path, release: Release, classes: ClassList) -> None:
    """Write labels, frame sets and classes below a folder of frames: all of the files or none.

    Args:
        folder: folder of the frames; receives metadata/labels.json, metadata/pmsets.json and
            misc/imagenet_vid_class_index.json.

    Raises:
        DataError: no frame set is left.
    """
    if not release.sets:
        raise DataError(
            "Expected frame sets to remain after the review, but every anchor was rejected. "
            "Draw frames of other videos, or use a smaller k."
        )
    # A class without a WordNet id goes by its name.
    index = {
        str(one.index): [one.wnid or one.name, one.name.replace(" ", "_")]
        for one in classes.entries
    }
    contents = ((LABELS, release.labels), (SETS, release.sets), (INDEX, index))
    with atomic.folder(folder) as made:
        for name, content in contents:
            atomic.write_bytes(made / name, json.dumps(content).encode())
