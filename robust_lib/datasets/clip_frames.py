"""Frames of the miniature's clips: their names, their boxes, and an image set for training.

`ClipFrames` corresponds to ImageNet-VID's training videos: frames with boxes, labelled with the
class of the largest object [vid, sec. 4.1].
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from PIL import Image

from robust_lib.cache import content_key
from robust_lib.code_digest import source_digest
from robust_lib.datasets.frame_sets import parse_frame
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.errors import InputError
from robust_lib.miniworld.clip_motion import FRAMES, LARGEST
from robust_lib.miniworld.clip_plan import SIDE
from robust_lib.miniworld.footage import Footage, Moment
from robust_lib.miniworld.packed import Packed
from robust_lib.miniworld.similarity import NAMED, Truth
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture

HIDDEN = 0.1  # share of an object that something covers, from which it is called occluded


@dataclass(frozen=True, eq=False)
class ClipFrames:
    """Some frames of each clip, for training; frames without a visible object are left out.

    Args:
        size: pixels of the square frames.
        every: step between frames, from the first frame of each clip.

    Raises:
        InputError: `every` below 1.
    """

    name: str
    footage: Footage
    size: int = SIDE
    every: int = 1

    def __post_init__(self) -> None:
        if self.every < 1:
            raise InputError(
                f"Expected every first or further frame, but got every {self.every}th."
            )

    @property
    def classes(self) -> str:
        """Return the label space."""
        return self.footage.classes

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of the classes, in the order of the labels."""
        return self.footage.class_names

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines images and labels."""
        about = {"what": "frames", "size": self.size, "every": self.every}
        code = {"code": source_digest("datasets.clip_frames")}
        return content_key(about | code | {"footage": self.footage.about})

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the paths of the frames, such as "train/clip_00012/000003.JPEG"."""
        return tuple(map(frame_path, self._annotated))

    @cached_property
    def labels(self) -> Labels:
        """Return the class of the largest object of each frame."""
        return np.array([one.label for one in self.annotations], np.int64)

    @cached_property
    def annotations(self) -> tuple[Annotation, ...]:
        """Return the objects of each frame, in the order of `ids`; boxes are xyxy pixels."""
        return tuple(self._annotated.values())

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one frame, resized and cropped as requested."""
        return preprocessing.apply(Image.open(io.BytesIO(self._files[index])))

    @cached_property
    def _annotated(self) -> Mapping[Moment, Annotation]:
        found = {
            (clip.name, at - LARGEST): annotation(clip.frames[at], self.class_names, self.size)
            for clip in self.footage.truths
            for at in range(0, FRAMES, self.every)
        }
        return MappingProxyType({moment: one for moment, one in found.items() if len(one)})

    @cached_property
    def _files(self) -> Packed:
        return self.footage.files(list(self._annotated), self.size, self.name)


def annotation(truth: Truth, classes: Sequence[str], size: int) -> Annotation:
    """Return the visible objects of a frame, annotated as in ImageNet-VID.

    A box gives the edges of the visible part: right minus left is its width in pixels.

    >>> from robust_lib.miniworld.similarity import Target
    >>> bell = Target("bell", (0.25, 0.25, 0.5, 1.0), 0.8, 0.2, 0.6, 0.0)
    >>> found = annotation(Truth((bell,), 0.0, 0.0, ("bell",)), ("cat", "bell"), 64)
    >>> found.boxes.tolist(), found.classes.tolist(), found.occluded.tolist()
    ([[16.0, 16.0, 32.0, 64.0]], [1], [True])
    """
    seen = [(track, one) for track, one in enumerate(truth.targets) if one.visible >= NAMED]
    boxes = np.array([one.box for _, one in seen], np.float32).reshape(-1, 4)
    return Annotation(
        size,
        size,
        boxes * np.float32(size),
        np.array([classes.index(one.label) for _, one in seen], np.int64),
        np.array([track for track, _ in seen], np.int64),
        np.array([one.covered >= HIDDEN for _, one in seen], bool),
        np.zeros(len(seen), bool),
    )


def frame_path(moment: Moment) -> str:
    """Return the path of a frame in the form of ImageNet-Vid-Robust; frames are numbered from 0.

    >>> frame_path(("val/clip_00012", 0))
    'val/clip_00012/000010.JPEG'
    """
    clip, offset = moment
    return f"{clip}/{offset + LARGEST:06d}.JPEG"


def moment_of(path: str) -> Moment:
    """Return the clip and offset in a frame's path; raise InputError if it has a different form.

    >>> moment_of("val/clip_00012/000007.JPEG")
    ('val/clip_00012', -3)
    """
    clip, number = parse_frame(path)
    return clip, number - LARGEST
