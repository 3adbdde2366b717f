"""Sets of similar video frames: an anchor, its neighbours, and the labels of each frame.

The evaluation of [vid, sec. 3] uses the worst of the frames around an anchor. A frame may show
several classes, and a prediction is correct if it is any of them. The released labels belong to
each frame, whereas Eq. 2 uses the anchor's labels.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int64

from robust_lib.cache import content_key
from robust_lib.errors import InputError

FARTHEST = 10
"""Frames between an anchor and its farthest neighbour at most [vid, sec. 2.2]."""

SHOWN = 3  # frames named in a message

# No dots in the folders: a path must not lead out of the data set.
_FRAME = re.compile(r"(?P<video>[\w-]+(?:/[\w-]+)*)/(?P<number>\d+)\.(?:JPEG|jpeg|jpg|png)")


@dataclass(frozen=True, eq=False)
class FrameSets:
    """Frames, the anchors among them, and the frames around each anchor.

    Made by `from_names`, which checks everything. Arrays are read-only and have the form that the
    metrics require; a frame of several sets occurs once in `frames`.

    Attributes:
        labels: the classes of each frame, at least one.
        anchors: index in `frames` of each set's anchor.
        members: indices in `frames` of each set's frames, the anchor among them, by offset from the
            earliest to the latest; rows are padded with -1.
        offsets: the members' frame numbers minus the anchor's; 0 if `members` is -1.
    """

    frames: tuple[str, ...]
    labels: tuple[tuple[int, ...], ...]
    classes: int
    anchors: Int64[np.ndarray, " sets"]
    members: Int64[np.ndarray, "sets places"]
    offsets: Int64[np.ndarray, "sets places"]

    def __len__(self) -> int:
        return len(self.anchors)

    @cached_property
    def truth(self) -> Bool[np.ndarray, "frames classes"]:
        """Return a mask of the classes that each frame shows; any of them counts as correct."""
        shown = np.zeros((len(self.frames), self.classes), dtype=bool)
        for place, labels in enumerate(self.labels):
            shown[place, list(labels)] = True
        shown.setflags(write=False)
        return shown

    @cached_property
    def digest(self) -> str:
        """Return hexadecimal text that changes if any frame, label or set changes."""
        members = [row[row >= 0].tolist() for row in self.members]
        return content_key(
            {
                "frames": list(self.frames),
                "labels": [list(labels) for labels in self.labels],
                "anchors": self.anchors.tolist(),
                "members": members,
            }
        )

    def within(self, k: int) -> Bool[np.ndarray, "sets places"]:
        """Return a mask of `members` within k frames of their anchor, the anchor included.

        Raises:
            InputError: k is negative or larger than `FARTHEST`.

        >>> labels = {f"val/a/{n:06d}.JPEG": [0] for n in (3, 5, 6)}
        >>> sets = from_names(labels, {"val/a/000005.JPEG": sorted(labels)[::2]}, classes=2)
        >>> sets.offsets.tolist(), sets.within(1).tolist()
        ([[-2, 0, 1]], [[False, True, True]])
        """
        if not 0 <= k <= FARTHEST:
            raise InputError(
                f"Expected k from 0 to {FARTHEST} frames, but got {k}. Frames further away were "
                "never compared with the anchor."
            )
        near: np.ndarray = (self.members >= 0) & (np.abs(self.offsets) <= k)
        return near

    def take(self, places: Sequence[int]) -> "FrameSets":
        """Return some of the sets, by index, with only their frames.

        Raises:
            InputError: no indices, one twice, or one that belongs to no set.

        >>> labels = {"val/a/000001.JPEG": [0], "val/b/000002.JPEG": [1]}
        >>> sets = from_names(labels, {frame: [] for frame in labels}, classes=2)
        >>> sets.take([1]).frames
        ('val/b/000002.JPEG',)
        """
        chosen = sorted(set(places))
        if not chosen or len(chosen) < len(places) or not 0 <= chosen[0] <= chosen[-1] < len(self):
            raise InputError(
                f"Expected positions of sets from 0 to {len(self) - 1}, without duplicates, but "
                f"got {list(places)}."
            )
        members: dict[str, list[str]] = {}
        for place in chosen:
            anchor, row = self.anchors[place], self.members[place]
            others = row[(row >= 0) & (row != anchor)]
            members[self.frames[anchor]] = [self.frames[other] for other in others]
        labels = dict(zip(self.frames, self.labels, strict=True))
        return from_names(labels, members, classes=self.classes)


def from_names(
    labels: Mapping[str, Sequence[int]],
    sets: Mapping[str, Sequence[str]],
    *,
    classes: int,
) -> FrameSets:
    """Return frame sets as released: labels by frame, neighbours by anchor [vid, sec. 2.2].

    No image is read. Labelled frames outside all sets are left out.

    Args:
        labels: path of a frame, <video>/<number>.JPEG, -> its classes, from 0.
        sets: path of an anchor -> its neighbours' paths, the anchor not among them; an anchor may
            have none.

    Raises:
        InputError: no sets; an anchor or neighbour without labels; a neighbour from a different
            video, farther away than `FARTHEST` frames, twice in a set, or identical to the anchor;
            a frame without classes, or with one twice or outside the list; a path of a different
            form.

    >>> labels = {f"val/a/{number:06d}.JPEG": [0] for number in range(3)}
    >>> first, anchor, last = labels
    >>> sets = from_names(labels, {anchor: [last, first]}, classes=2)
    >>> sets.anchors.tolist(), sets.members.tolist(), sets.offsets.tolist()
    ([1], [[0, 1, 2]], [[-1, 0, 1]])
    """
    if not sets:
        raise InputError("Expected at least one set of frames, but got none. Pass the whole file.")
    _require_labelled("anchors", sets, labels)
    _require_labelled("neighbours", {one for members in sets.values() for one in members}, labels)
    frames = tuple(sorted({*sets, *(one for members in sets.values() for one in members)}))
    kept = tuple(_labels_of(frame, labels[frame], classes) for frame in frames)
    parsed = {frame: parse_frame(frame) for frame in frames}
    places = {frame: place for place, frame in enumerate(frames)}
    places_each = 1 + max(map(len, sets.values()))
    members = np.full((len(sets), places_each), -1, dtype=np.int64)
    offsets = np.zeros_like(members)
    anchors = sorted(sets)
    for row, anchor in enumerate(anchors):
        _require_near(anchor, sets[anchor], parsed)
        number = parsed[anchor][1]
        ordered = sorted((parsed[one][1] - number, places[one]) for one in (anchor, *sets[anchor]))
        offsets[row, : len(ordered)], members[row, : len(ordered)] = zip(*ordered, strict=True)
    at = np.array([places[anchor] for anchor in anchors], dtype=np.int64)
    for array in (at, members, offsets):
        array.setflags(write=False)
    return FrameSets(frames, kept, classes, at, members, offsets)


def parse_frame(path: str) -> tuple[str, int]:
    """Return the video and the frame number in a frame's path.

    Raises:
        InputError: a path of a different form, or one that leads out of its folder.

    >>> parse_frame("val/ILSVRC2015_val_00000000/000442.JPEG")
    ('val/ILSVRC2015_val_00000000', 442)
    """
    found = _FRAME.fullmatch(path)
    if found is None:
        raise InputError(
            f"Expected a frame named <folder>/<video>/<number>.JPEG, but got {path!r}. Offsets "
            "between frames are computed from these numbers: restore the name."
        )
    return found["video"], int(found["number"])


def listed(frames: Collection[str]) -> str:
    """Return the names of the first few frames, for a message."""
    return ", ".join(sorted(frames)[:SHOWN]) + (", ..." if len(frames) > SHOWN else "")


def _require_labelled(
    what: str, named: Collection[str], labels: Mapping[str, Sequence[int]]
) -> None:
    lacking = [frame for frame in named if frame not in labels]
    if lacking:
        raise InputError(
            f"Expected labels for all {len(named)} {what} of the frame sets, but {len(lacking)} "
            f"have none ({listed(lacking)}). Use labels and sets of the same release."
        )


def _labels_of(frame: str, labels: Sequence[int], classes: int) -> tuple[int, ...]:
    found = tuple(labels)
    known = all(type(one) is int and 0 <= one < classes for one in found)
    if not found or not known or len(set(found)) < len(found):
        raise InputError(
            f"Expected one or more classes from 0 to {classes - 1} for the frame {frame}, none "
            f"twice, but got {list(found)}. Use the release's labels."
        )
    return tuple(sorted(found))


def _require_near(
    anchor: str, members: Sequence[str], parsed: Mapping[str, tuple[str, int]]
) -> None:
    video, number = parsed[anchor]
    for one in members:
        if parsed[one][0] != video or not 1 <= abs(parsed[one][1] - number) <= FARTHEST:
            raise InputError(
                f"Expected the neighbours of {anchor} to be other frames of its video, at most "
                f"{FARTHEST} frames away, but got {one}. Frames further away were never compared "
                "with the anchor: remove it from the set."
            )
    if len({parsed[one][1] for one in members}) < len(members):
        raise InputError(
            f"Expected each neighbour of {anchor} once, but one of its {len(members)} occurs twice "
            "in the set. Remove one of the two."
        )
