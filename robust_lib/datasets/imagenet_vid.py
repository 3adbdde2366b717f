"""ImageNet-VID's videos, frame by frame, for fine-tuning: one class per frame [vid, sec. 4.1].

Frames are in Data/VID/val/<video>/<number>.JPEG and, one folder deeper, in
Data/VID/train/<part>/<video>/<number>.JPEG; annotations likewise (see `vid_boxes`).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from typing_extensions import Unpack

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import digest, load_dataset, other_kind
from robust_lib.datasets import vid_boxes
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.picture_files import Choice, Entry, PictureFiles
from robust_lib.errors import DataError, InputError, one_of
from robust_lib.types import UNKNOWN

SPLITS = ("train", "val")
FRAMES = "Data/VID"


def videos(folder: Path, split: str) -> tuple[str, ...]:
    """Return the videos of a split, sorted, as paths below Data/VID.

    Raises:
        InputError: an unknown split.
        DataError: the split's folder is missing or has no videos.
    """
    if split not in SPLITS:
        raise InputError(one_of("the split", split, SPLITS))
    inside = folder / FRAMES / split
    require_folder(inside)
    found = _folders(inside)
    if split == "train":
        found = [f"{part}/{video}" for part in found for video in _folders(inside / part)]
    if not found:
        raise DataError(
            f"Expected folders of videos in {inside}, but found none. Check that unpacking was "
            "completed."
        )
    return tuple(f"{split}/{video}" for video in found)


def frames(folder: Path, video: str) -> tuple[str, ...]:
    """Return the frames of a video in temporal order, as paths below Data/VID.

    Raises:
        DataError: there is no such video, or it has no frames.
    """
    inside = folder / FRAMES / video
    require_folder(inside)
    with os.scandir(inside) as entries:
        found = sorted(entry.name for entry in entries if entry.name.endswith(".JPEG"))
    if not found:
        raise DataError(
            f"Expected frames of a video in {inside}, but found none. Check that unpacking was "
            "completed."
        )
    return tuple(f"{video}/{name}" for name in found)


@dataclass(frozen=True)
class Unread:
    """The objects of many frames, read on demand and not kept in memory."""

    frames: Sequence[str]
    folder: Path
    classes: ClassList

    def __len__(self) -> int:
        return len(self.frames)

    def __getitem__(self, place: int) -> vid_boxes.Annotation:
        path = vid_boxes.annotation_path(self.folder, self.frames[place])
        return vid_boxes.read(path, self.classes)


class VidFrames(PictureFiles):
    """Frames of ImageNet-VID, labelled with the class of their largest object.

    Frames without objects have no label and are left out. Annotations are read when the set is
    created, images are not.

    Args:
        split: "train" or "val".
        every: step between frames: the first frame of each video and every n-th frame after it are
            used.

    Raises:
        InputError: an unknown split, `every` below 1, or annotations that `vid_boxes.parse`
            rejects.
        DataError: frames or annotations are missing; no frame has an object.
    """

    def __init__(
        self,
        folder: Path,
        split: str,
        classes: ClassList,
        *,
        name: str | None = None,
        every: int = 1,
        **choice: Unpack[Choice],
    ) -> None:
        if every < 1:
            raise InputError(
                f"Expected a step of at least one frame, but got {every}. Use 1 for every frame."
            )
        chosen = [
            frame for video in videos(folder, split) for frame in frames(folder, video)[::every]
        ]
        vid_boxes.require_annotated(chosen, folder)
        # One after another: the boxes of a million frames are not kept.
        labels = (
            vid_boxes.read(vid_boxes.annotation_path(folder, frame), classes).label
            for frame in chosen
        )
        entries = (
            Entry(frame, label, (folder / FRAMES / frame).stat().st_size)
            for frame, label in zip(chosen, labels, strict=True)
            if label != UNKNOWN
        )
        super().__init__(
            folder / FRAMES,
            entries,
            classes,
            name=name or f"imagenet_vid_{split}",
            **choice,
        )
        self._annotated, self._space = folder, classes

    @cached_property
    def annotations(self) -> Unread:
        """Return the objects of each frame, in the order of `ids`; boxes are xyxy pixels."""
        return Unread(self.ids, self._annotated, self._space)


def load(
    name: str, folder: Path | None = None, *, limit: int | None = None, seed: int = 0
) -> VidFrames:
    """Return the image set of a manifest of kind vid_boxes.

    Args:
        name: the manifest. Its options are `split` (default "val") and `every`.

    Raises:
        InputError: no such manifest, or one of a different kind.
        DataError: the data is missing or malformed.
    """
    manifest = load_dataset(name)
    whole = load_dataset(manifest.of) if manifest.of is not None else manifest
    if whole.kind != "vid_boxes" or manifest.classes is None:
        raise other_kind(name, whole.kind, "vid_boxes", "videos with boxes")
    return VidFrames(
        whole.below(folder or paths.data() / whole.name),
        manifest.options.get("split", "val"),
        load_classes(manifest.classes),
        name=name,
        every=manifest.options.get("every", 1),
        limit=limit,
        seed=seed,
        provenance=digest(manifest) + digest(whole),
    )


def _folders(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir() and entry.name[0] != ".")
