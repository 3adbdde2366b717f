"""Clips from a still camera: the control of the miniature's videos.

Every frame shows the scene of its anchor, in the same light and through the same lens. Grain and
file quality differ by frame, as in the clip. A network's drop from the anchor to the worst frame
thus occurs without any motion.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np
from PIL import Image

from robust_lib.cache import content_key
from robust_lib.code_digest import source_digest
from robust_lib.datasets.clip_frames import moment_of
from robust_lib.datasets.clips import Clips
from robust_lib.datasets.frame_sets import FrameSets
from robust_lib.miniworld import clips as drawing
from robust_lib.miniworld.clip_motion import LARGEST
from robust_lib.miniworld.clip_plan import Plan
from robust_lib.miniworld.packed import Packed, pack
from robust_lib.miniworld.scenes import places_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture


@dataclass(frozen=True, eq=False)
class StillClips:
    """The frame sets of some clips with a still camera: only grain and compression change.

    The anchors are identical to those of the clips, byte by byte. Each frame has its anchor's
    labels.

    Args:
        clips: the clips whose frame sets are used.
    """

    name: str
    clips: Clips

    @property
    def classes(self) -> str:
        """Return the label space."""
        return self.clips.classes

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of the classes, in the order of the labels."""
        return self.clips.class_names

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines images, labels and sets."""
        code = source_digest("datasets.still_clips")
        return content_key({"what": "still clips", "clips": self.clips.digest, "code": code})

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the paths of the frames, which are those of the clips."""
        return self.clips.ids

    @cached_property
    def sets(self) -> FrameSets:
        """Return the sets of the clips; each frame has the labels of its anchor."""
        own = self.clips.sets
        labels = list(own.labels)
        for anchor, row in zip(own.anchors, own.members, strict=True):
            for place in row[row >= 0]:
                labels[place] = own.labels[anchor]
        return replace(own, labels=tuple(labels))

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
    def _files(self) -> Packed:
        store, about = self.clips.footage.store, {"what": "files of still clips"}
        about |= {"digest": self.digest}
        key = content_key(about)
        found = store.find(key, expect=about)
        if found is None:
            found = pack(self._drawn()).arrays
            store.put(key, found, about)
        return Packed(**found)

    def _drawn(self) -> Sequence[bytes]:
        footage, size = self.clips.footage, self.clips.size
        art, seed = footage.art, footage.seed
        clutter = places_of(art, footage.world.clutter)
        files = []
        for clip, frames in groupby(map(moment_of, self.ids), key=lambda moment: moment[0]):
            stage = drawing.stage(footage.plan(clip), art, clutter, size=size, seed=seed)
            still = replace(stage, plan=stilled(stage.plan), cut=None)
            files += [drawing.drawn(still, offset) for _, offset in frames]
        return files


def stilled(plan: Plan) -> Plan:
    """Return a plan in which every frame has the positions, the light and the lens of its anchor.

    Grain and file quality still differ by frame.
    """
    return replace(
        plan,
        targets=tuple(mover.moved(0.0) for mover in plan.targets),
        passer=None if plan.passer is None else plan.passer.moved(0.0),
        pan=np.broadcast_to(plan.pan[LARGEST], plan.pan.shape),
        light=np.full_like(plan.light, plan.light[LARGEST]),
        blur=np.full_like(plan.blur, plan.blur[LARGEST]),
        fault=None,
        cut=None,
    )
