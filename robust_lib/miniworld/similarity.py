"""The similarity rule of clips: which neighbours a person would call similar to the anchor.

People reviewed ImageNet-Vid-Robust's neighbours and rejected those that are not similar to their
anchor [vid, sec. 2]. Composed clips need no people: the subject's position, rotation and sharpness
are known, and a rule for these was written down before any clip was drawn.
"""

from dataclasses import dataclass
from typing import Literal

from robust_lib.errors import InputError

Box = tuple[float, float, float, float]
Difference = Literal["subject", "overlap", "scale", "turn", "visible", "light", "blur", "labels"]

NAMED = 0.25  # share of a target that must be seen for its class to be a label of the frame


@dataclass(frozen=True)
class Similarity:
    """The maximum difference of a frame from its anchor; it also bounds the motion of subjects.

    The bounds were chosen for human perception before any network was evaluated, and were not
    changed.

    Args:
        overlap: minimum intersection over union of the subject's two boxes. At 0.6, a box of
            constant size has moved by a quarter of its side, so it still overlaps its old position.
        scale: maximum factor between the subject's two sizes. A change by a fifth is the effect of
            one step towards an object five steps away.
        turn: maximum angle between the two, in degrees: the tilt of upright objects with a
            hand-held camera.
        visible: minimum visible share of the subject, as in the review of scenes: no frame hides
            most of what the anchor shows.
        light: maximum difference in exposure, in stops; half a stop is the effect of an ordinary
            cloud.
        blur: maximum standard deviation of the lens blur, as a share of the frame's side: 2.8
            pixels of 224. Edges are soft, but each part of the subject is still recognisable.

    Raises:
        InputError: a bound that no frame or every frame meets.

    >>> Similarity().reach
    0.25
    """

    overlap: float = 0.6
    scale: float = 1.2
    turn: float = 20.0
    visible: float = 0.6
    light: float = 0.5
    blur: float = 0.0125

    def __post_init__(self) -> None:
        if not (0 < self.overlap < 1 and 0 < self.visible < 1 and self.scale > 1):
            raise InputError(
                "Expected overlap and visible between 0 and 1 and a scale above 1, but got "
                f"{self.overlap}, {self.visible} and {self.scale}."
            )
        if min(self.turn, self.light, self.blur) <= 0:
            raise InputError(
                "Expected turn, light and blur above 0, but got "
                f"{self.turn}, {self.light} and {self.blur}."
            )

    @property
    def reach(self) -> float:
        """Return how far a box may move along a side and keep the overlap, as a share of it."""
        return round((1 - self.overlap) / (1 + self.overlap), 12)


@dataclass(frozen=True)
class Target:
    """An object of a class as one frame shows it.

    `label` is its class; `box` is the box of its visible part, xyxy in shares of the frame's side,
    zeros if it is not visible; `visible` is the share of its pixels that are inside the frame and
    not covered; `covered` is the share covered by objects in front of it; `side` is the side of its
    drawing, as a share of the frame's side; `turn` is its angle in degrees.
    """

    label: str
    box: Box
    visible: float
    covered: float
    side: float
    turn: float


@dataclass(frozen=True)
class Truth:
    """The ground truth of a frame, and its metadata.

    `targets` are the objects of a class in it, the subject first; `light` is the exposure in stops;
    `blur` is the standard deviation of the lens blur, as a share of the frame's side; `said` are
    the classes stated by the metadata; `fault` is the reason why it is a deliberately bad
    neighbour, or None.
    """

    targets: tuple[Target, ...]
    light: float
    blur: float
    said: tuple[str, ...]
    fault: str | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the visible classes, the subject's first."""
        return tuple(target.label for target in self.targets if target.visible >= NAMED)


def differences(frame: Truth, anchor: Truth, rule: Similarity) -> tuple[Difference, ...]:
    """Return the parts of the rule that a frame violates; none if it is similar to its anchor.

    "subject" is a different subject, for which nothing else is compared; "labels" are metadata that
    differ from the visible classes.
    """
    found: list[Difference] = ["labels"] if set(frame.said) != set(frame.shown) else []
    one, other = frame.targets[0], anchor.targets[0]
    if one.label != other.label:
        return ("subject", *found)
    outside: dict[Difference, bool] = {
        "overlap": box_overlap(one.box, other.box) < rule.overlap,
        "scale": max(one.side, other.side) > rule.scale * min(one.side, other.side) + 1e-9,
        "turn": abs(one.turn - other.turn) > rule.turn + 1e-9,
        "visible": one.visible < rule.visible,
        "light": abs(frame.light - anchor.light) > rule.light + 1e-9,
        "blur": frame.blur > rule.blur + 1e-9,
    }
    return (*(name for name, is_outside in outside.items() if is_outside), *found)


def box_overlap(one: Box, other: Box) -> float:
    """Return the intersection over union of two xyxy boxes; 0 if neither has an area.

    >>> box_overlap((0.0, 0.0, 4.0, 4.0), (1.0, 0.0, 5.0, 4.0))
    0.6
    """
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0.0, width) * max(0.0, height)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return shared / (areas - shared) if areas > shared else 0.0
