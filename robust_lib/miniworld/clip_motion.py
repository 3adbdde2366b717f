"""Motion in clips: smooth curves through an anchor, and drawings that follow them.

A clip has 21 frames, at the offsets -10 to 10 from its anchor. All lengths are shares of the
frame's side, so that a motion can be drawn at any size; every curve is known as a whole, so that
any frame can be drawn on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from jaxtyping import Float, Float32, Float64, UInt8

from robust_lib.miniworld.similarity import Box, Similarity, box_overlap

LARGEST = 10  # offset of the last frame, as in ImageNet-Vid-Robust
FRAMES = 2 * LARGEST + 1
MARGIN = 0.02  # of the overlap, kept above the rule's: boxes of pixels are rounded outwards

Curve = Float64[np.ndarray, "21"]
Path = Float64[np.ndarray, "21 2"]


def curve(rng: np.random.Generator) -> Curve:
    """Return a smooth curve over a clip: 0 at the anchor, with a largest absolute value of 1.

    It is a random mixture of a drift, a bend and one slow sway, like the motion of a hand or an
    animal.
    """
    time = np.linspace(-1, 1, FRAMES)
    drift, bend, sway = rng.standard_normal(3) * (1.0, 0.5, 0.5)
    pace, phase = rng.uniform(2, 5), rng.uniform(0, 2 * np.pi)
    raw = drift * time + bend * time**2 + sway * (np.sin(pace * time + phase) - np.sin(phase))
    return np.asarray(raw / np.abs(raw).max(), np.float64)


@dataclass(frozen=True, eq=False)
class Mover:
    """A drawing that moves through a clip.

    Args:
        place: index of the drawing in the art.
        label: its class; None if it is not a target.
        shape: matrix that mirrors, shears and stretches the drawing before it is rotated and
            scaled.
        gain: factor of each channel of RGB.
        centre: its position in each frame, in shares of the frame's side from the left and the top.
        side: side of the drawing in each frame, as a share of the frame's side.
        turn: its angle in each frame, in radians.
    """

    place: int
    label: str | None
    shape: Float64[np.ndarray, "2 2"]
    gain: Float64[np.ndarray, "3"]
    centre: Path
    side: Curve
    turn: Curve

    def affine(self, offset: int, drawing: int, size: int | float) -> Float64[np.ndarray, "2 3"]:
        """Return the affine map from pixels of the drawing to those of the frame at an offset.

        Args:
            offset: offset from the anchor, -10 to 10.
            drawing: pixels of the drawing's side.
            size: pixels of the frame's side.
        """
        at = offset + LARGEST
        cosine, sine = np.cos(self.turn[at]), np.sin(self.turn[at])
        turned = np.array([[cosine, -sine], [sine, cosine]])
        linear = size * self.side[at] / drawing * turned @ self.shape
        shift = size * self.centre[at] - linear @ np.full(2, drawing / 2)
        return np.concatenate([linear, shift[:, None]], axis=1)

    def moved(self, share: float) -> "Mover":
        """Return the mover with a share of its motion; with 0, it stays as at the anchor."""
        centre, side, turn = self.centre[LARGEST], self.side[LARGEST], self.turn[LARGEST]
        return replace(
            self,
            centre=centre + share * (self.centre - centre),
            side=side * (self.side / side) ** share,
            turn=turn + share * (self.turn - turn),
        )


def posed(
    place: int,
    label: str | None,
    rng: np.random.Generator,
    *,
    side: tuple[float, float],
    middle: Sequence[float],
    spread: float,
    rule: Similarity,
) -> Mover:
    """Return a drawing that is posed as in scenes and moves as far as a rule allows.

    Position, size and angle each change by a share of their bound that is uniform from 0 to 1.

    Args:
        place: index of the drawing in the art.
        label: its class, or None.
        side: minimum and maximum side of the drawing at the anchor, as shares of the frame's side.
        middle: position around which it is placed at the anchor.
        spread: maximum distance from there in each direction.
    """
    angle, shear, stretch = (
        rng.uniform(-0.25, 0.25),
        rng.uniform(-0.1, 0.1),
        rng.uniform(0.85, 1.15),
    )
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    gain = rng.uniform(0.75, 1.15) * (1 + 0.12 * rng.standard_normal(3))
    length = rng.uniform(*side)
    centre = np.asarray(middle) + rng.uniform(-spread, spread, 2)
    way, far, more, round_ = rng.uniform(0, 2 * np.pi), *rng.random(3)
    along = np.stack([np.cos(way) * curve(rng), np.sin(way) * curve(rng)], axis=1)
    return Mover(
        place,
        label,
        np.array([[mirror, shear], [0.0, stretch]]),
        gain,
        centre + far * rule.reach * length * along,
        length * np.exp(more * np.log(rule.scale) * curve(rng)),
        angle + round_ * np.deg2rad(rule.turn) * curve(rng),
    )


def within(mover: Mover, rgba: UInt8[np.ndarray, "side side 4"], rule: Similarity) -> Mover:
    """Return a mover whose box overlaps that at its anchor as a rule requires, in all frames.

    A shift, a growth and a rotation that are each within bounds may together violate the overlap;
    all three are then reduced, by a tenth at a time.

    Args:
        rgba: its drawing, whose outline defines the boxes.
    """
    outline, share, kept = _outline(rgba), 1.0, mover
    while _least_overlap(kept, outline, len(rgba)) < rule.overlap + MARGIN and share > 0.05:
        share *= 0.9
        kept = mover.moved(share)
    return kept


def _outline(rgba: UInt8[np.ndarray, "side side 4"]) -> Float64[np.ndarray, "points 2"]:
    """Return the corners of the convex hull of a drawing's opaque pixels, x before y."""
    rows, columns = np.nonzero(rgba[..., 3] > 127)
    corners = np.stack([columns, rows], axis=1).astype(np.int32)
    return np.asarray(cv2.convexHull(corners)[:, 0] + 0.5, np.float64)


def _least_overlap(mover: Mover, outline: Float64[np.ndarray, "points 2"], drawing: int) -> float:
    boxes = []
    for offset in range(-LARGEST, LARGEST + 1):
        affine = mover.affine(offset, drawing, 1.0)
        points = np.clip(outline @ affine[:, :2].T + affine[:, 2], 0, 1)
        boxes.append((*points.min(axis=0), *points.max(axis=0)))
    anchor: Box = boxes[LARGEST]
    return min(box_overlap(box, anchor) for box in boxes)


def at_scale(
    icon: Float32[np.ndarray, "side side *channels"], mover: Mover, size: int
) -> Float32[np.ndarray, "half half *channels"]:
    """Return a drawing to be warped into frames of a size, averaged first if it is much reduced.

    This is decided at the anchor for the whole clip, so that all frames are treated alike.
    """
    if size * mover.side[LARGEST] >= 0.5 * len(icon):
        return icon
    return np.asarray(cv2.resize(icon, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))


def warped(
    icon: Float32[np.ndarray, "side side *channels"], affine: Float[np.ndarray, "2 3"], size: int
) -> Float32[np.ndarray, "size size *channels"]:
    """Return a premultiplied drawing warped into an empty layer of `size` pixels per side."""
    # OpenCV puts whole coordinates at the middles of pixels, boxes put them at their edges.
    shift = affine[:, 2] + (affine[:, :2].sum(axis=1) - 1) / 2
    centred = np.concatenate([affine[:, :2], shift[:, None]], axis=1)
    return np.asarray(cv2.warpAffine(icon, centred, (size, size), flags=cv2.INTER_LINEAR))
