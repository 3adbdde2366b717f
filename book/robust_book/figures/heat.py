"""Heat over an image: evidence for a class in red, against it in blue."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, UInt8

from robust_lib.types import Picture

Heat = Float[np.ndarray, "height width"]
Corners = tuple[float, float, float, float]

FOR, AGAINST = (215, 38, 61), (0, 114, 178)
LARGEST = 99.0
"""Percentile of the sizes that is drawn in full colour; what is larger is no stronger."""

_FAINT = 0.45  # how much of the grey picture is left under the strongest colour
_LINE = (255, 255, 255)


def over(
    picture: Picture, heat: Heat, boxes: Sequence[Corners] = (), *, times: int = 2
) -> UInt8[np.ndarray, "_ _ 3"]:
    """Return a grey image under coloured heat, with boxes around the objects in question.

    Args:
        picture: 8-bit RGB.
        heat: contribution of each pixel.
        boxes: xyxy in pixels of the image.
        times: factor of enlargement, so that the lines of boxes hide little.

    >>> picture = np.full((4, 4, 3), 100, np.uint8)
    >>> shown = over(picture, np.diag([1.0, -1.0, 0.0, 0.0]), times=1)
    >>> shown[2, 2].tolist(), bool(shown[0, 0, 0] > 150), bool(shown[1, 1, 2] > 120)
    ([100, 100, 100], True, True)
    """
    grey = picture.astype(np.float64).mean(-1, keepdims=True).repeat(3, -1)
    top = np.percentile(np.abs(heat), LARGEST)
    strength = np.clip(np.abs(heat) / (top or 1.0), 0, 1)[..., None]
    colour = np.where(heat[..., None] >= 0, np.array(FOR), np.array(AGAINST))
    share = (1 - _FAINT) * strength
    mixed = (1 - share) * grey + share * colour
    drawn: np.ndarray = np.round(mixed).astype(np.uint8)
    shown = drawn.repeat(times, 0).repeat(times, 1)
    for box in boxes:
        _outline(shown, [round(times * edge) for edge in box])
    return np.asarray(shown)


def _outline(picture: np.ndarray, box: Sequence[int]) -> None:
    """Draw the edges of a box, one pixel wide."""
    height, width = picture.shape[:2]
    left, right = (min(max(edge, 0), width - 1) for edge in (box[0], box[2] - 1))
    top, bottom = (min(max(edge, 0), height - 1) for edge in (box[1], box[3] - 1))
    picture[[top, bottom], left : right + 1] = _LINE
    picture[top : bottom + 1, [left, right]] = _LINE
