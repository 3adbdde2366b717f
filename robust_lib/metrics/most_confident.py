"""Detectors as classifiers: an image has the class of its most confident box [vid, sec. 4.1]."""

import numpy as np
from jaxtyping import Int64

from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections
from robust_lib.types import UNKNOWN


def most_confident(detections: Detections, images: int) -> Int64[np.ndarray, " images"]:
    """Return the class of the most confident box of each image; -1 for images without a box.

    An image without a box has no answer: -1 is no class, so it is never right. Of boxes of equal
    score, the first counts.

    Raises:
        InputError: a box in an image beyond these.

    >>> scores = np.array([0.3, 0.9, 0.1])
    >>> found = Detections(np.array([0, 0, 2]), np.array([4, 5, 6]), np.zeros((3, 4)), scores)
    >>> most_confident(found, 3).tolist()
    [5, -1, 6]
    """
    if len(detections.images) and detections.images.max() >= images:
        raise InputError(
            f"Expected boxes in images 0 to {images - 1}, but got one in image "
            f"{detections.images.max()}. Number images alike everywhere."
        )
    said = np.full(images, UNKNOWN, np.int64)
    # Written from the least sure to the surest, and of equals from the last: the last one stays.
    last_first = np.arange(len(detections.scores))[::-1]
    order = last_first[np.argsort(detections.scores[last_first], kind="stable")]
    said[detections.images[order]] = detections.classes[order]
    return said
