"""Contrast: the distance between an object's colours and those around it, which makes it visible.

An object may be completely inside an image and still be invisible, such as black on black. The
visible part of its outline therefore does not suffice to decide whether an image is fair.
"""

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32

RING = 0.09  # width of the ring around a thing that it is compared with, of the picture's side
NEAR = 0.25  # share of the ring that must be as near to a colour for it to be lost there
STEP = 3  # every third pixel each way: enough for a mean, and ten times as quick


def contrast(
    scene: Float32[np.ndarray, "height width 3"],
    visible: Bool[np.ndarray, "height width"],
    outline: Bool[np.ndarray, "height width"],
) -> float:
    """Return the colour distance of an object's visible part from its surroundings, in [0, 1].

    Each visible pixel is compared with a ring around the object: its distance is the radius that
    contains a quarter of the ring's colours (`NEAR`), as a Euclidean distance in RGB divided by the
    largest possible one. The contrast is the mean of these distances: 0 if the surroundings have
    all of the object's colours, 1 for white on black.

    Args:
        scene: the image, RGB in [0, 1].
        visible: which pixels show the object.
        outline: which pixels it fills, covered or not; the ring starts outside it.
    """
    width = max(1, round(RING * scene.shape[0]))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * width + 1, 2 * width + 1))
    ring = (cv2.dilate(outline.astype(np.uint8), kernel) > 0) & ~outline
    thin = np.s_[::STEP, ::STEP]
    own, others = scene[thin][visible[thin]], scene[thin][ring[thin]]
    if not len(own) or not len(others):
        return 0.0
    return float(_distances(own, others).mean() / np.sqrt(3))


def _distances(
    own: Float32[np.ndarray, "pixels 3"], others: Float32[np.ndarray, "around 3"]
) -> Float[np.ndarray, " pixels"]:
    """Return for each colour the distance within which a share `NEAR` of the others lies."""
    # |a - b|^2 as |a|^2 - 2ab + |b|^2: a matrix product is far quicker than all differences.
    squares = (own**2).sum(1)[:, None] - 2 * own @ others.T + (others**2).sum(1)
    place = min(int(NEAR * len(others)), len(others) - 1)
    return np.asarray(np.sqrt(np.maximum(np.partition(squares, place, axis=1)[:, place], 0)))
