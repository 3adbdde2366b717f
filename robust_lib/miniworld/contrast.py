"""Contrast: the distance of a thing's colours from those around it, which makes it visible.

A thing may lie whole in a picture and still be lost on it, black on black. So what can be seen of
its outline is not all that decides whether a picture is a fair one.
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
    """Return the colour distance of a thing's visible part from its surroundings, in [0, 1].

    Each visible pixel is compared with a ring around the thing: its distance is that within which
    a quarter of the ring (`NEAR`) lies, as Euclidean distance of RGB over the largest there is.
    The contrast is the mean of these distances: 0 where the surroundings have all of the thing's
    colours, 1 for white on black.

    Args:
        scene: the picture, RGB in [0, 1].
        visible: which pixels show the thing.
        outline: which pixels it fills, covered or not; the ring begins outside it.
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
