"""The ground truth of a clip's frames: positions, visible shares and labels of its targets.

It is computed from the outlines of the drawings as the plan moves them, always at the same
resolution, so that a clip has the same ground truth at any size.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float32

from robust_lib.errors import InputError
from robust_lib.miniworld.clip_motion import FRAMES, LARGEST, Mover, at_scale, warped
from robust_lib.miniworld.clip_plan import Plan
from robust_lib.miniworld.icons import Art
from robust_lib.miniworld.similarity import Box, Target, Truth

RESOLUTION = 128  # pixels of the square in which outlines are compared

_Mask = Float32[np.ndarray, "height width"]


@dataclass(frozen=True)
class Clip:
    """A clip as its reviewer sees it: name, class, and the frames' ground truth from -10 to 10.

    `contrast` measures how much the subject stands out at the anchor (see `contrast`).
    """

    name: str
    label: str
    frames: tuple[Truth, ...]
    contrast: float

    def at(self, offset: int) -> Truth:
        """Return the ground truth of the frame at an offset from the anchor."""
        return self.frames[offset + LARGEST]


def truths(plan: Plan, art: Art) -> tuple[Truth, ...]:
    """Return the ground truth of each frame of a planned clip, in order."""
    return tuple(truth(plan, art, at - LARGEST) for at in range(FRAMES))


def truth(plan: Plan, art: Art, offset: int) -> Truth:
    """Return the ground truth of one frame, without drawing it.

    Args:
        offset: offset from the anchor, -10 to 10.

    Raises:
        InputError: an offset outside this range.
    """
    if abs(offset) > LARGEST:
        raise InputError(f"Expected an offset from -{LARGEST} to {LARGEST}, but got {offset}.")
    fault = plan.fault if plan.fault is not None and plan.fault.at(offset) else None
    if fault is not None and plan.cut is not None:
        # The metadata still say what the clip showed at its anchor.
        said = _seen(plan, art, 0).shown
        return replace(_seen(plan.cut, art, offset), said=said, fault=fault.reason)
    told = _seen(plan, art, offset)
    said = told.shown if fault is None or fault.label is None else (fault.label,)
    return replace(told, said=said, fault=None if fault is None else fault.reason)


def _seen(plan: Plan, art: Art, offset: int) -> Truth:
    """Return the targets that a frame shows where nothing covers them."""
    at, targets = offset + LARGEST, []
    uncovered = np.ones((RESOLUTION, RESOLUTION), np.float32)
    if plan.passer is not None:
        uncovered = uncovered - _outline(plan.passer, art, offset)[0]
    for mover in plan.targets:
        outline, whole = _outline(mover, art, offset)
        seen = outline * uncovered
        inside, left = float(outline.sum()), float(seen.sum())
        targets.append(
            Target(
                str(mover.label),
                _box(seen),
                visible=min(1.0, left / whole),
                covered=min(1.0, (inside - left) / whole),
                side=float(mover.side[at]),
                turn=float(np.rad2deg(mover.turn[at])),
            )
        )
        uncovered = uncovered * (1 - outline)
    return Truth(tuple(targets), float(plan.light[at]), float(plan.blur[at]), ())


def _outline(mover: Mover, art: Art, offset: int) -> tuple[_Mask, float]:
    """Return how opaque a drawing makes each pixel, and how many it would fill without a frame."""
    icon = at_scale(art.rgba[mover.place][..., 3].astype(np.float32) / 255, mover, RESOLUTION)
    affine = mover.affine(offset, len(icon), RESOLUTION)
    whole = float(icon.sum() * abs(np.linalg.det(affine[:, :2])))
    return warped(icon, affine, RESOLUTION), whole + 1e-6


def _box(seen: _Mask) -> Box:
    """Return the box of what is more than half opaque; zeros if nothing is."""
    opaque = seen > 0.5
    columns, rows = np.flatnonzero(opaque.any(0)), np.flatnonzero(opaque.any(1))
    if not len(rows):
        return (0.0, 0.0, 0.0, 0.0)
    pixels = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
    left, top, right, bottom = (float(edge) / RESOLUTION for edge in pixels)
    return left, top, right, bottom
