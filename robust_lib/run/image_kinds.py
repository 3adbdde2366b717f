"""Image sets of which more is known than pictures and labels: icons, scenes, frames, boxes."""

from robust_lib.datasets import ImageSet, icons50
from robust_lib.datasets.derived import source
from robust_lib.datasets.frame_sets import FrameSets
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.errors import InputError
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.training.detection import BoxedImages


def as_icons(images: ImageSet) -> icons50.Icons50:
    """Return an image set as the icons that it is.

    Raises:
        InputError: it is another set.
    """
    if not isinstance(images, icons50.Icons50):
        raise InputError(
            f"Expected icons, some of which can be held out, but {images.name} are other pictures. "
            "Name a network that is trained on icons."
        )
    return images


def as_scenes(images: ImageSet) -> Scenes:
    """Return the composed scenes that an image set is, or is made of: their truth is known.

    Raises:
        InputError: it is made of other pictures.
    """
    scenes = source(images)
    if not isinstance(scenes, Scenes):
        raise InputError(
            f"Expected composed scenes, of which all is known, but {images.name} are other "
            "pictures. Somebody has to look at them."
        )
    return scenes


def as_frame_sets(images: ImageSet) -> FrameSets:
    """Return the sets of frames that an image set's pictures are in.

    Raises:
        InputError: they are in none.
    """
    sets = getattr(images, "sets", None)
    if not isinstance(sets, FrameSets):
        raise InputError(
            f"Expected frames of videos, in sets around anchors, but {images.name} are single "
            "pictures. `robust frames` and `robust review-pairs` make such sets of your videos."
        )
    return sets


def as_annotations(images: ImageSet) -> tuple[Annotation, ...]:
    """Return the boxes of an image set's pictures, in their order.

    Raises:
        InputError: it has none.
        DataError: they are not there.
    """
    if not isinstance(images, BoxedImages):
        raise InputError(
            f"Expected pictures with boxes, but {images.name} has none. Name frames of videos that "
            "ImageNet-VID has annotations of."
        )
    boxes = images.annotations
    return tuple(boxes[place] for place in range(len(boxes)))
