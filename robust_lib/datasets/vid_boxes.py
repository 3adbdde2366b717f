"""Boxes of ImageNet-VID: each frame's annotation, as arrays.

An annotation is a Pascal VOC file, Annotations/VID/<split>/<video>/<number>.xml; its `name` is a
WordNet id, and its `trackid` is the same for an object in all frames of a video [vid, sec. 2.1].
Boxes are kept as written: corners in pixels, the last ones included, so a box may reach the frame's
edge (`xmax` equal to the width), and a box one pixel wide has equal ends.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float32, Int64

from robust_lib.config.class_lists import ClassList
from robust_lib.datasets.frame_sets import listed, parse_frame
from robust_lib.errors import DataError, InputError
from robust_lib.types import UNKNOWN

ANNOTATIONS = "Annotations/VID"
_CORNERS = ("xmin", "ymin", "xmax", "ymax")


@dataclass(frozen=True, eq=False)
class Annotation:
    """The objects of one frame, in the order of its file.

    Attributes:
        boxes: xyxy pixels.
        classes: class of each object, from 0.
        tracks: number of each object within its video.
        occluded: whether part of each object is hidden.
        generated: whether each box was interpolated between annotated frames.
    """

    width: int
    height: int
    boxes: Float32[np.ndarray, "boxes 4"]
    classes: Int64[np.ndarray, " boxes"]
    tracks: Int64[np.ndarray, " boxes"]
    occluded: Bool[np.ndarray, " boxes"]
    generated: Bool[np.ndarray, " boxes"]

    def __len__(self) -> int:
        return len(self.boxes)

    @property
    def label(self) -> int:
        """Return the class of the largest object (the first, if several); -1 if there is none.

        This is the label used for fine-tuning networks [vid, sec. 4.1].
        """
        if not len(self):
            return UNKNOWN
        sides = self.boxes[:, 2:] - self.boxes[:, :2] + 1
        return int(self.classes[np.argmax(sides[:, 0] * sides[:, 1])])


def parse(text: str, classes: ClassList, where: str = "the annotation") -> Annotation:
    """Return the objects of an annotation.

    Raises:
        DataError: the text is not XML, or lacks a field.
        InputError: a class that is not in the list, or a box outside its frame.

    A box that extends beyond its frame is clipped, as detection code does: one box in a million
    must not stop a long reading.

    >>> from robust_lib.config.class_lists import load_classes
    >>> box = "<xmax>40</xmax><xmin>10</xmin><ymax>30</ymax><ymin>5</ymin>"
    >>> found = parse(
    ...     "<annotation><size><width>64</width><height>36</height></size><object>"
    ...     f"<trackid>0</trackid><name>n02084071</name><bndbox>{box}</bndbox></object>"
    ...     "</annotation>",
    ...     load_classes("imagenet_vid"),
    ... )
    >>> found.boxes.tolist(), found.label, (found.width, found.height)
    ([[10.0, 5.0, 40.0, 30.0]], 8, (64, 36))
    """
    places = {wnid: place for place, wnid in enumerate(classes.folders)}
    try:
        root = ET.fromstring(text)
        width, height = (int(_text(root, f"size/{side}")) for side in ("width", "height"))
        objects = root.findall("object")
        names = [_text(one, "name") for one in objects]
        tracks = [int(_text(one, "trackid")) for one in objects]
        corners = [[float(_text(one, f"bndbox/{c}")) for c in _CORNERS] for one in objects]
        occluded, generated = (
            [one.findtext(flag, "0").strip() == "1" for one in objects]
            for flag in ("occluded", "generated")
        )
    except (ET.ParseError, ValueError) as error:
        raise DataError(
            f"Expected the size and the objects of a frame in {where}, as ImageNet-VID writes "
            f"them, but could not read it ({error}). Unpack the file again."
        ) from None
    boxes = [_inside(box, width, height, where) for box in corners]
    for name in names:
        if name not in places:
            raise InputError(
                f"Expected one of the {len(places)} classes of {classes.name} in {where}, but got "
                f"{name}. Use annotations of ImageNet-VID; those of ImageNet's detection task "
                "have 200 classes."
            )
    return Annotation(
        width,
        height,
        np.array(boxes, dtype=np.float32).reshape(-1, 4),
        np.array([places[name] for name in names], dtype=np.int64),
        np.array(tracks, dtype=np.int64),
        np.array(occluded, dtype=bool),
        np.array(generated, dtype=bool),
    )


def read(path: Path, classes: ClassList) -> Annotation:
    """Return the objects of an annotation file; see `parse`.

    Raises:
        DataError: no such file, or unexpected content.
        InputError: as for `parse`.
    """
    try:
        return parse(path.read_text(encoding="utf-8"), classes, str(path))
    except (FileNotFoundError, UnicodeDecodeError):
        raise DataError(
            f"Expected an annotation of ImageNet-VID at {path}, but there is none that can be "
            "read. Unpack the annotations again."
        ) from None


def read_all(frames: Sequence[str], folder: Path, classes: ClassList) -> tuple[Annotation, ...]:
    """Return the objects of several frames, such as those of `FrameSets.frames`, in their order.

    Args:
        frames: paths <split>/<video>/<number>.JPEG.

    Raises:
        DataError: some frames have no annotation; none is read before all are found.
        InputError: as for `parse`.
    """
    require_annotated(frames, folder)
    return tuple(read(annotation_path(folder, frame), classes) for frame in frames)


def require_annotated(frames: Sequence[str], folder: Path) -> None:
    """Raise DataError if some frames have no annotation; the message names the first."""
    missing = [frame for frame in frames if not annotation_path(folder, frame).is_file()]
    if missing:
        raise DataError(
            f"Expected annotations of {len(frames)} frames below {folder / ANNOTATIONS}, but "
            f"{len(missing)} have none ({listed(missing)}). Videos whose names begin with "
            "ILSVRC2017 are only in the edition of 2017: unpack its annotations, or use "
            "imagenet_vid_robust_2015, which has the videos of 2015."
        )


def flat(
    annotations: Sequence[Annotation],
) -> tuple[
    Int64[np.ndarray, " boxes"], Int64[np.ndarray, " boxes"], Float32[np.ndarray, "boxes 4"]
]:
    """Return the concatenated objects of many frames, as input for detection metrics.

    Returns:
        The index of each object's frame, its class, and its box, xyxy pixels.

    >>> from robust_lib.config.class_lists import load_classes
    >>> size = "<size><width>64</width><height>36</height></size>"
    >>> none = parse(f"<annotation>{size}</annotation>", load_classes("imagenet_vid"))
    >>> [array.shape for array in flat([none, none])]
    [(0,), (0,), (0, 4)]
    """
    empty = np.zeros(0, dtype=np.int64)
    return (
        np.repeat(np.arange(len(annotations)), [len(one) for one in annotations]),
        np.concatenate([empty, *(one.classes for one in annotations)]),
        np.concatenate([np.zeros((0, 4), dtype=np.float32), *(one.boxes for one in annotations)]),
    )


def annotation_path(folder: Path, frame: str) -> Path:
    """Return the path of a frame's annotation.

    Raises:
        InputError: the frame's path is of a different form.

    >>> annotation_path(Path("ILSVRC2015"), "val/ILSVRC2015_val_00000000/000442.JPEG").as_posix()
    'ILSVRC2015/Annotations/VID/val/ILSVRC2015_val_00000000/000442.xml'
    """
    parse_frame(frame)
    return (folder / ANNOTATIONS / frame).with_suffix(".xml")


def _inside(box: Sequence[float], width: int, height: int, where: str) -> tuple[float, ...]:
    left, top, right, bottom = box
    cut = max(left, 0.0), max(top, 0.0), min(right, float(width)), min(bottom, float(height))
    if not (cut[0] <= cut[2] and cut[1] <= cut[3]):
        raise InputError(
            f"Expected a box in the frame of {width} x {height} pixels in {where}, but got "
            f"{', '.join(f'{value:g}' for value in box)} (left, top, right, bottom). Check that "
            "annotation and frame belong together."
        )
    return cut


def _text(element: ET.Element, path: str) -> str:
    found = element.findtext(path)
    if found is None:
        raise ValueError(f"it has no {path}")
    return found.strip()
