"""Prominence: the share of an object among all visible objects on it and around it.

An object may be complete and stand out from its background and still not dominate: among several
others of its size, it is unclear which one the image shows.
"""

import cv2
import numpy as np
from jaxtyping import Bool, Float32

ABOUT = 0.16  # how far around a thing others count, of the picture's side


def prominence(
    seen: Float32[np.ndarray, "height width"],
    others: Float32[np.ndarray, "height width"],
    outline: Bool[np.ndarray, "height width"],
) -> float:
    """Return an object's fraction of all objects visible on and around it, in [0, 1].

    It is 1 if no other object is near, and 0 if the object is not visible.

    Args:
        seen: share of each pixel that shows the object, from 0 to 1.
        others: share of each pixel that shows other objects.
        outline: which pixels the object fills, covered or not.
    """
    width = max(1, round(ABOUT * seen.shape[0]))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * width + 1, 2 * width + 1))
    near = cv2.dilate(outline.astype(np.uint8), kernel) > 0
    own, more = float(seen.sum()), float(others[near].sum())
    return own / (own + more) if own > 0 else 0.0
