"""Faults of clips: frames that are deliberately bad neighbours, each with a recorded reason.

Real videos have cuts, lose focus, and are labelled incorrectly. With these records, the pairs that
the review rejects can be compared with those that it should reject.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from robust_lib.errors import InputError, one_of
from robust_lib.miniworld.clip_motion import LARGEST

Reason = Literal["jump", "cut", "blur", "label"]

REASONS: tuple[Reason, ...] = get_args(Reason)
FAULTY = 0.4  # share of clips with a fault; it holds about five frames of twenty: one in ten
BURST = (3, 8)  # frames of a blur or of a wrong label: at least, and fewer than
JUMP = (0.3, 0.6)  # how far a subject jumps, of its drawing's side
BLUR = (0.02, 0.05)  # standard deviation in the middle of a blur, of the frame's side


@dataclass(frozen=True)
class Fault:
    """Why some frames of a clip are bad neighbours.

    Args:
        reason: "jump": the subject jumps and stays there; "cut": a different clip follows; "blur":
            a burst of blur, half as strong in its first and last frame; "label": a different class
            is stated.
        offsets: offsets of these frames, all on one side of the anchor, in order.
        amount: length of the jump (as a share of the drawing's side), or standard deviation of the
            blur (as a share of the frame's side); 0 for the others.
        way: direction of the jump, in radians.
        label: the class that a wrong label states.

    Raises:
        InputError: an unknown reason, no offsets, or the anchor's own offset.
    """

    reason: Reason
    offsets: tuple[int, ...]
    amount: float = 0.0
    way: float = 0.0
    label: str | None = None

    def __post_init__(self) -> None:
        if self.reason not in REASONS:
            raise InputError(one_of("a fault", self.reason, REASONS))
        if not self.offsets or 0 in self.offsets:
            raise InputError(
                "Expected the offsets of some neighbours, without 0, the anchor's, but got "
                f"{', '.join(map(str, self.offsets)) or 'none'}."
            )

    def at(self, offset: int) -> bool:
        """Return whether the frame at an offset is a bad neighbour.

        >>> Fault("blur", (3, 4, 5), 0.03).at(4), Fault("blur", (3, 4, 5), 0.03).at(-4)
        (True, False)
        """
        return offset in self.offsets

    def blur(self, offset: int) -> float:
        """Return the blur that the fault adds to a frame, as a share of the frame's side."""
        if self.reason != "blur" or not self.at(offset):
            return 0.0
        return self.amount * (0.5 if offset in (self.offsets[0], self.offsets[-1]) else 1.0)


def drawn_fault(rng: np.random.Generator, others: Sequence[str]) -> Fault | None:
    """Return the fault of a clip, or None; four in ten clips have a fault."""
    if rng.random() >= FAULTY:
        return None
    reason: Reason = REASONS[rng.integers(len(REASONS))]
    side = 1 if rng.random() < 0.5 else -1
    if reason in ("jump", "cut"):  # what has jumped or been cut does not come back
        frames = range(int(rng.integers(1, LARGEST + 1)), LARGEST + 1)
    else:
        length = int(rng.integers(*BURST))
        first = int(rng.integers(1, LARGEST - length + 2))
        frames = range(first, first + length)
    offsets = tuple(sorted(side * frame for frame in frames))
    if reason == "jump":
        return Fault(reason, offsets, float(rng.uniform(*JUMP)), float(rng.uniform(0, 2 * np.pi)))
    if reason == "blur":
        return Fault(reason, offsets, float(rng.uniform(*BLUR)))
    return Fault(reason, offsets, label=str(rng.choice(others)) if reason == "label" else None)
