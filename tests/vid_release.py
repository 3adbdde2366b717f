"""ImageNet-Vid-Robust's metadata in synthesis: other frames, and exactly as many of everything."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from tests import trees

# How many anchors have 0, 1, ..., 20 neighbours in the release, and how many neighbours lie
# 1, 2, ..., 10 frames from their anchor.
SIZES = (1, 1, 3, 1, 3, 2, 2, 7, 6, 2, 6, 8, 12, 7, 10, 23, 19, 23, 28, 56, 889)
DISTANCES = (2201, 2181, 2164, 2149, 2119, 2094, 2081, 2054, 2022, 2005)
VIDEOS_OF_2015 = 487
ANCHOR = 25  # number of each anchor's frame

# Of sets whose frames all have several labels: (neighbours, how many such sets, labels).
SEVERAL = ((20, 53, 2), (19, 1, 2), (15, 11, 2), (12, 11, 2), (20, 1, 3), (12, 1, 3))

Metadata = tuple[dict[str, list[int]], dict[str, list[str]]]


def metadata() -> Metadata:
    """Return labels.json and pmsets.json."""
    rows = sorted(offsets_of_sets(), key=len)
    kinds = kinds_of_sets([len(row) for row in rows])
    labels: dict[str, list[int]] = {}
    sets: dict[str, list[str]] = {}
    for video, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        edition = 2015 if video < VIDEOS_OF_2015 else 2017
        named = f"val/ILSVRC{edition}_val_{video:08d}/{{:06d}}.JPEG"
        anchor, *members = [named.format(ANCHOR + offset) for offset in (0, *row)]
        sets[anchor] = sorted(members)
        first = video % 27
        labels[anchor] = list(range(first, first + (kind or 1)))
        labels |= {member: list(labels[anchor]) for member in members}
        if kind == -1:  # a bus, a car and a motorcycle, which leaves
            labels[anchor] = [5, 6, 18]
            labels |= {one: [5, 6] if n < 4 else [5, 6, 18] for n, one in enumerate(members)}
        if kind == -2:  # an airplane, and a car that comes
            labels[anchor] = [0]
            labels |= {one: [0, 6] if n < 7 else [0] for n, one in enumerate(members)}
    return labels, sets


def offsets_of_sets() -> list[list[int]]:
    """Return the neighbours' offsets of each set: the largest sets first, then what is left."""
    left: dict[int, int] = {}
    for distance, count in enumerate(DISTANCES, start=1):
        left[-distance], left[distance] = count - count // 2, count // 2
    rows = []
    for size in range(len(SIZES) - 1, -1, -1):
        for _ in range(SIZES[size]):
            row = sorted(sorted(left, key=lambda offset: (-left[offset], offset))[:size])
            for offset in row:
                left[offset] -= 1
            rows.append(row)
    assert set(left.values()) == {0}
    return rows


def kinds_of_sets(sizes: Sequence[int]) -> list[int]:
    """Return 0 for a set of one label, 2 or 3 for several; -1 and -2 where labels come and go."""
    kinds = [0] * len(sizes)
    for size, count, kind in (*SEVERAL, (20, 1, -1), (20, 1, -2)):
        free = [n for n, one in enumerate(sizes) if one == size and kinds[n] == 0]
        for place in free[:count]:
            kinds[place] = kind
    return kinds


def write(folder: Path, *, frames: bool = False) -> Path:
    """Write the release's folders; its frames, if wanted, are one picture under many names."""
    root = folder / "imagenet_vid_ytbb_robust" / "imagenet-vid-robust"
    labels, sets = metadata()
    (root / "metadata").mkdir(parents=True)
    (root / "metadata" / "labels.json").write_text(json.dumps(labels))
    (root / "metadata" / "pmsets.json").write_text(json.dumps(sets))
    trees.vid_misc(root)
    if frames:
        picture = trees.save(folder / "frame.jpg", 0, 64, 36)
        for anchor in sets:
            (root / anchor).parent.mkdir(parents=True)
        for frame in labels:
            os.link(picture, root / frame)
    return folder
