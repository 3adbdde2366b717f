"""Clips of the miniature as an image set: the frame sets that the review keeps.

It corresponds to ImageNet-Vid-Robust: anchors, their similar neighbours, and the labels of each
frame [vid, sec. 2.2], with boxes as in ImageNet-VID.
"""

import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
from jaxtyping import UInt8
from PIL import Image

from robust_lib.cache import Store, content_key
from robust_lib.code_digest import source_digest
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets.clip_frames import ClipFrames, annotation, frame_path, moment_of
from robust_lib.datasets.frame_sets import FrameSets, from_names
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.errors import InputError
from robust_lib.miniworld.clip_faults import Fault
from robust_lib.miniworld.clip_motion import FRAMES, LARGEST
from robust_lib.miniworld.clip_plan import SIDE
from robust_lib.miniworld.clip_review import ClipReview, reviewed
from robust_lib.miniworld.clip_truth import Clip
from robust_lib.miniworld.footage import Footage, Moment
from robust_lib.miniworld.packed import Packed
from robust_lib.miniworld.similarity import Similarity, Truth
from robust_lib.miniworld.worlds import load_world
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture

_CODE = ("datasets.clip_frames", "datasets.clips", "miniworld.clip_review")


@dataclass(frozen=True, eq=False)
class Clips:
    """The reviewed frame sets of clips: each frame once; a clip's anchor is its eleventh frame.

    `labels` holds the first of a frame's classes; `sets.truth` holds all classes that count as
    correct. Every size shows the same moments, with the same labels.

    Args:
        size: pixels of the square frames.

    Raises:
        InputError: the review keeps no frame set.
    """

    name: str
    footage: Footage
    size: int = SIDE
    rule: Similarity = field(default_factory=Similarity)

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
        """Return a digest of everything that determines images, labels and sets."""
        rule = asdict(self.rule)
        code = source_digest(*_CODE)
        about = {"what": "clips", "size": self.size, "rule": rule, "review": code}
        return content_key(about | {"footage": self.footage.about})

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the paths of the frames, such as "val/clip_00012/000010.JPEG"."""
        return self.sets.frames

    @cached_property
    def labels(self) -> Labels:
        """Return the first class of each frame."""
        return np.array([labels[0] for labels in self.sets.labels], np.int64)

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one frame, resized and cropped as requested."""
        return preprocessing.apply(Image.open(io.BytesIO(self._files[index])))

    @cached_property
    def review(self) -> ClipReview:
        """Return the review's decision on each pair."""
        return reviewed(self.footage.truths, self.rule)

    @cached_property
    def sets(self) -> FrameSets:
        """Return the frame sets that the review keeps."""
        kept = {
            (clip, 0): [(clip, offset) for offset in offsets]
            for clip, offsets in self.review.kept.items()
        }
        if not kept:
            raise InputError(
                f"Expected the review of {self.name} to leave some of {self.footage.clips} "
                "anchors, but all fell. Ask for more clips, or for a rule that clips can meet."
            )
        labels = {
            frame_path(moment): self._labels(moment)
            for anchor, others in kept.items()
            for moment in (anchor, *others)
        }
        sets = {
            frame_path(anchor): [frame_path(other) for other in others]
            for anchor, others in kept.items()
        }
        return from_names(labels, sets, classes=len(self.class_names))

    @cached_property
    def annotations(self) -> tuple[Annotation, ...]:
        """Return the objects of each frame, in the order of `ids`; boxes are xyxy pixels."""
        return tuple(
            annotation(_truth(self.clips, moment_of(frame)), self.class_names, self.size)
            for frame in self.ids
        )

    def candidates(self, clip: str) -> UInt8[np.ndarray, "21 height width 3"]:
        """Return all frames of a clip, reviewed or not, from -10 to 10; they are rendered again.

        Raises:
            InputError: no such clip.
        """
        moments = [(clip, at - LARGEST) for at in range(FRAMES)]
        return np.stack([self.footage.picture(moment, self.size) for moment in moments])

    def fault(self, clip: str) -> Fault | None:
        """Return the fault that made some frames of a clip bad neighbours; None without one."""
        return self.footage.plan(clip).fault

    @cached_property
    def clips(self) -> Mapping[str, Clip]:
        """Return, by a clip's name, the ground truth of its frames, reviewed or not."""
        return MappingProxyType({clip.name: clip for clip in self.footage.truths})

    def _labels(self, moment: Moment) -> list[int]:
        return [self.class_names.index(label) for label in _truth(self.clips, moment).said]

    @cached_property
    def _files(self) -> Packed:
        return self.footage.files([moment_of(frame) for frame in self.ids], self.size, self.name)


def load(name: str, store: Store, *, limit: int | None = None) -> Clips | ClipFrames:
    """Return the image set of a manifest of kind clips.

    Args:
        name: the manifest. Its options are `world` and `wide` (see `Footage`), `split`, `clips`
            (their number), `size` in pixels, and for training `every` (see `ClipFrames`).
        limit: maximum number of clips of the test split, or approximate number of training frames;
            there is one clip per class in any case.

    Raises:
        InputError: no such manifest, or one of a different kind.
    """
    manifest = load_dataset(name)
    if manifest.kind != "clips":
        raise InputError(f"Expected {name} to be clips, but it is {manifest.kind}.")
    options = manifest.options
    world, every = load_world(options["world"]), options.get("every", 1)
    training, number = options["split"] == "train", options["clips"]
    if limit is not None:
        least = len(world.widened(options["wide"]).inside)
        wanted = limit // len(range(0, FRAMES, every)) if training else limit
        number = min(number, max(least, wanted))
    footage = Footage(world, options["wide"], options["split"], number, store, faults=not training)
    size = options.get("size", SIDE)
    return ClipFrames(name, footage, size, every) if training else Clips(name, footage, size)


def _truth(clips: Mapping[str, Clip], moment: Moment) -> Truth:
    clip, offset = moment
    return clips[clip].at(offset)
