"""Prominence: the share of a thing among all that is seen on it and around it.

A thing may be whole and stand out from its ground and still be buried: among several others of its
size, nobody can tell what the picture is of.
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
    """Return the fraction that a thing is of all things seen on it and about it, in [0, 1].

    1 if nothing else is near; 0 if nothing of it is seen.

    Args:
        seen: how much of each pixel shows the thing, from 0 to 1.
        others: how much of each pixel shows other things.
        outline: which pixels the thing fills, covered or not.
    """
    width = max(1, round(ABOUT * seen.shape[0]))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * width + 1, 2 * width + 1))
    near = cv2.dilate(outline.astype(np.uint8), kernel) > 0
    own, more = float(seen.sum()), float(others[near].sum())
    return own / (own + more) if own > 0 else 0.0
