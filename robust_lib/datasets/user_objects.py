"""A user's photographs with boxes, named `coco:ANNOTATIONS,PICTURES` wherever a data set is named.

Annotations are a JSON file in COCO's format, whose categories have the names of a known class list.
"""

from collections.abc import Sequence
from pathlib import Path

from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.datasets.coco_boxes import CocoBoxes
from robust_lib.datasets.derived import DIGITS
from robust_lib.datasets.user_folder import COCO, file_digests, joint_digest, short_name
from robust_lib.errors import InputError
from robust_lib.fetch.verification import pictures_below


def annotated_images(name: str, *, spaces: Sequence[ClassList] = ()) -> CocoBoxes:
    """Return a user's images with annotations in COCO's format as an image set.

    Its digest covers the annotations and the contents of the images.

    Args:
        name: `coco:ANNOTATIONS,PICTURES`, a JSON file and a folder.
        spaces: class lists to search for the categories; empty: COCO's.

    Raises:
        InputError: a name without both paths.
        DataError: files that are missing or malformed; see `coco_boxes.CocoBoxes`.

    >>> annotated_images("coco:instances.json")
    Traceback (most recent call last):
    robust_lib.errors.InputError: Expected coco:ANNOTATIONS,PICTURES, ... got coco:instances.json...
    """
    file, _, folder = name.removeprefix(COCO).rpartition(",")
    if not file or not folder:
        raise InputError(
            f"Expected {COCO}ANNOTATIONS,PICTURES, a JSON file and the folder of its images, but "
            f"got {name}. Pass both, separated by a comma without a space."
        )
    (space,) = spaces or (load_classes("coco"),)
    pictures = Path(folder).expanduser()
    digests = file_digests(sorted(pictures_below(pictures)))
    images = CocoBoxes(
        pictures,
        {"all": Path(file).expanduser()},
        space,
        name=short_name(name),
        provenance=joint_digest(digests.values()),
    )
    images.contents = {
        one: digests[images.file(place)][:DIGITS] for place, one in enumerate(images.ids)
    }
    return images
