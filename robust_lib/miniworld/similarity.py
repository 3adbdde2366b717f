"""The similarity rule of clips: the neighbours that a person calls the anchor's view.

ImageNet-Vid-Robust's neighbours were looked through by people, who dropped those that are not
similar to their anchor [vid, sec. 2]. Composed clips need nobody: where the subject lies, how it is
turned and how sharp it is are known, and a rule on them was written down before any clip was drawn.
"""

from dataclasses import dataclass
from typing import Literal

from robust_lib.errors import InputError

Box = tuple[float, float, float, float]
Difference = Literal["subject", "overlap", "scale", "turn", "visible", "light", "blur", "labels"]

NAMED = 0.25  # share of a target that must be seen for its class to be a label of the frame


@dataclass(frozen=True)
class Similarity:
    """How far a frame may be from its anchor; the bounds also limit how far subjects move.

    Decided for what a person sees, before any network was asked, and kept:

    Args:
        overlap: least intersection over union of the subject's two boxes. At 0.6 a box that keeps
            its size has moved by a quarter of its side: it still lies on its former place.
        scale: largest factor between the subject's two sizes. A fifth more or less is what a step
            towards a thing five steps away does to it.
        turn: largest angle between the two, in degrees: what upright things lean when held by hand.
        visible: least share of the subject that is seen, as the review of scenes has it: no frame
            hides most of what the anchor shows.
        light: largest difference of exposure, in stops: half a stop is an ordinary cloud.
        blur: largest standard deviation of the lens blur, of the frame's side: 2.8 pixels of 224.
            Edges are soft, and each part of the subject can still be told.

    Raises:
        InputError: a bound that nothing or everything meets.

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
        """Return how far a box may move along one side to keep the overlap, of that side."""
        return round((1 - self.overlap) / (1 + self.overlap), 12)


@dataclass(frozen=True)
class Target:
    """A thing of a class as one frame shows it.

    `label` is its class; `box` what is seen of it, xyxy in shares of the frame's side, zeros if
    nothing is; `visible` the share of its pixels that nothing covers and that lie inside the frame;
    `covered` the share that something before it covers; `side` that of its drawing, of the frame's
    side; `turn` its angle in degrees.
    """

    label: str
    box: Box
    visible: float
    covered: float
    side: float
    turn: float


@dataclass(frozen=True)
class Truth:
    """The truth of a frame, and its metadata.

    `targets` are the things of a class in it, the subject first; `light` the exposure in stops;
    `blur` the lens blur's standard deviation, of the frame's side; `said` the classes that the
    metadata say it shows; `fault` the reason for which it is a bad neighbour, None if it is none.
    """

    targets: tuple[Target, ...]
    light: float
    blur: float
    said: tuple[str, ...]
    fault: str | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the classes that can be seen, the subject's first."""
        return tuple(target.label for target in self.targets if target.visible >= NAMED)


def differences(frame: Truth, anchor: Truth, rule: Similarity) -> tuple[Difference, ...]:
    """Return the parts of the rule that a frame breaks; none: it is similar to its anchor.

    "subject" is another subject, with which nothing else is compared; "labels" are metadata that
    do not say what is shown.
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
    """Return the intersection over union of two xyxy boxes; 0 where neither has an area.

    >>> box_overlap((0.0, 0.0, 4.0, 4.0), (1.0, 0.0, 5.0, 4.0))
    0.6
    """
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0.0, width) * max(0.0, height)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return shared / (areas - shared) if areas > shared else 0.0
