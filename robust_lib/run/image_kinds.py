"""Image sets with more than images and labels: icons, scenes, frames, boxes."""

from typing import TypeVar

from robust_lib.cache import Store
from robust_lib.datasets import ImageSet, icons50
from robust_lib.datasets.clip_frames import moment_of
from robust_lib.datasets.clips import Clips
from robust_lib.datasets.derived import source
from robust_lib.datasets.frame_sets import FrameSets
from robust_lib.datasets.imagenet_22k import ImageNet22K
from robust_lib.datasets.layouts import Layouts
from robust_lib.datasets.objects import Objects
from robust_lib.datasets.still_clips import StillClips
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.errors import InputError
from robust_lib.miniworld.familiar import drawings
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.training.detection import Annotations

_Kind = TypeVar("_Kind", Annotation, Objects)


def as_icons(images: ImageSet) -> icons50.Icons50:
    """Return an image set as icons, if it consists of icons.

    Raises:
        InputError: the set is of a different kind.
    """
    if not isinstance(images, icons50.Icons50):
        raise InputError(
            f"Expected icons, some of which can be held out, but {images.name} contains other "
            "images. Use a network that is trained on icons."
        )
    return images


def as_scenes(images: ImageSet) -> Scenes:
    """Return the composed scenes behind an image set, whose content is known.

    Raises:
        InputError: the set consists of other images.
    """
    scenes = source(images)
    if not isinstance(scenes, Scenes):
        raise InputError(
            f"Expected rendered scenes with known ground truth, but {images.name} contains "
            "other images. Review them with annotators: `robust review` makes a sheet."
        )
    return scenes


def subtypes(images: ImageSet, store: Store) -> tuple[str, ...]:
    """Return the subtype that each image shows: its drawing, or its WordNet id.

    Raises:
        InputError: the images are of a different kind.
    """
    whole = source(images)
    if isinstance(whole, ImageNet22K):
        found = whole.subtypes
    else:
        whole = as_scenes(images)
        found = drawings(whole, store)
    of_each = dict(zip(whole.ids, found, strict=True))
    return tuple(of_each[one] for one in images.ids)


def as_layouts(images: ImageSet) -> Layouts:
    """Return the composed layouts behind an image set, whose content is known.

    Raises:
        InputError: the set consists of other images.
    """
    layouts = source(images)
    if not isinstance(layouts, Layouts):
        raise InputError(
            f"Expected rendered layouts with known ground truth, but {images.name} contains "
            "other images. Review them with annotators: `robust annotate` makes a sheet."
        )
    return layouts


def as_frame_sets(images: ImageSet) -> FrameSets:
    """Return the frame sets to which an image set's images belong.

    Raises:
        InputError: the images are in no frame sets.
    """
    sets = getattr(images, "sets", None)
    if not isinstance(sets, FrameSets):
        raise InputError(
            f"Expected frames of videos, in sets around anchors, but {images.name} contains single "
            "images. Use `robust frames` and `robust review-pairs` to make such sets from your "
            "videos."
        )
    return sets


def subjects(images: ImageSet) -> tuple[str, ...] | None:
    """Return the drawing that each frame set shows; None if no drawing is shown twice."""
    clips = images.clips if isinstance(images, StillClips) else images
    if not isinstance(clips, Clips):
        return None
    plan, art = clips.footage.plan, clips.footage.art
    anchors = [moment_of(clips.ids[place])[0] for place in clips.sets.anchors]
    return tuple(str(art.drawings[plan(name).targets[0].place]) for name in anchors)


def as_annotations(images: ImageSet) -> tuple[Annotation, ...]:
    """Return the boxes in an image set's images, in order.

    Raises:
        InputError: the image set has no boxes.
        DataError: the annotations are missing.
    """
    return _of(images, Annotation, "frames of videos")


def as_objects(images: ImageSet) -> tuple[Objects, ...]:
    """Return the objects in an image set's images, in order.

    Raises:
        InputError: the image set has no objects, or they belong to frames of videos.
        DataError: the annotations are missing.
    """
    return _of(images, Objects, "photographs with objects as COCO has them")


def _of(images: ImageSet, kind: type[_Kind], words: str) -> tuple[_Kind, ...]:
    # Whether a part of a set has boxes is for the whole to say: asking its class is not enough.
    boxes: Annotations | None = getattr(images, "annotations", None)
    if boxes is None:
        raise InputError(
            f"Expected images with boxes, but {images.name} has none. Use annotated images."
        )
    found = [boxes[place] for place in range(len(boxes))]
    kept = tuple(one for one in found if isinstance(one, kind))
    if len(kept) < len(found):
        raise InputError(
            f"Expected {words}, but {images.name} has boxes of another type. Use another data set."
        )
    return kept
