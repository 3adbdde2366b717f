"""Failures of detection: anchors and the worst frames near them [vid, fig. 6]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robust_book.figures.boxed_pictures import Box
from robust_lib.datasets import ImageSet
from robust_lib.metrics.boxes import Detections, Flags, Truth, intersection_over_union
from robust_lib.metrics.detection import matched, precision_by_image
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.pm_k.detection import Scored
from robust_lib.types import Picture

SURE = 0.5  # boxes surer than this are shown, as in the paper
IOU = 0.5
AS_IS = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Failures:
    """Correct anchors of a detector, with the worst frame below each.

    `pictures`, `boxes` and `captions` contain the anchors first, then the frames below them.
    """

    pictures: tuple[Picture, ...]
    boxes: tuple[tuple[Box, ...], ...]
    captions: tuple[str, ...]

    @property
    def count(self) -> int:
        """Return the number of anchors."""
        return len(self.pictures) // 2


def failures(
    one: Scored, found: FoundBoxes, truth: Truth, images: ImageSet, *, most: int = 3
) -> Failures:
    """Return the anchors with the largest drops of a detector, one per kind of failure.

    On the anchors, its confident boxes find every object, and nothing else. On the worst frames, an
    object is misclassified, its box is elsewhere, or it is missed. No class occurs twice.

    >>> sets = toys.frame_sets()
    >>> one, found = toys.scored({"mine": [3, 5]})["mine"], toys.boxes({"mine": [3, 5]})["mine"]
    >>> truth = Truth(*toys.flat(sets))
    >>> shown = failures(one, found, truth, toys.swatch_frames(sets))
    >>> shown.captions  # of five sets that have their anchor right two are lost, in one way
    ('anchor', '3 frames later: another name')
    """
    record = one.by_task["detection"][0]
    quality = precision_by_image(record.matches, len(found.ids), one.settings.interpolation)
    anchors, worst = record.frames[:, 0], record.frames[:, -1]
    fall = np.nan_to_num(quality[anchors] - quality[worst], nan=-1.0)
    chosen: dict[int, str] = {}
    seen: set[int] = set()
    for place in np.argsort(-fall, kind="stable"):
        if len(chosen) == most or fall[place] <= 0:
            break
        label = one.sets.labels[anchors[place]][0]
        shown, kind = (
            of(int(frames[place]), found, truth)
            for of, frames in ((_is_faultless, anchors), (kind_of, worst))
        )
        if shown and kind not in chosen.values() and label not in seen:
            chosen[int(place)] = str(kind)
            seen.add(label)
    frames = [int(anchors[place]) for place in chosen] + [int(worst[place]) for place in chosen]
    return Failures(
        tuple(images.read(frame, AS_IS) for frame in frames),
        tuple(boxes_of(frame, found, truth, images.class_names) for frame in frames),
        tuple(
            ["anchor"] * len(chosen)
            + [f"{_distance(one, place)}: {kind}" for place, kind in chosen.items()]
        ),
    )


def kind_of(frame: int, found: FoundBoxes, truth: Truth) -> str:
    """Return how a detector fails on a frame: "another name", "elsewhere" or "missed".

    A confident box with another class on an object takes precedence over a misplaced one.

    >>> sets = toys.frame_sets()
    >>> found = toys.boxes({"mine": [0, 10]}, sets)["mine"]
    >>> kind_of(13, found, Truth(*toys.flat(sets)))
    'another name'
    """
    objects, answers, right = _sure(frame, found, truth)
    wrong = answers.boxes[~right]
    if not len(wrong):
        return "missed"
    pairs = np.repeat(wrong, len(objects.boxes), 0), np.tile(objects.boxes, (len(wrong), 1))
    overlaps = intersection_over_union(*pairs, np.zeros(len(pairs[0]), bool))
    return "another name" if (overlaps >= IOU).any() else "elsewhere"


def boxes_of(
    frame: int, found: FoundBoxes, truth: Truth, classes: Sequence[str]
) -> tuple[Box, ...]:
    """Return the objects of a frame and the detections, correct or wrong at IoU .5.

    >>> sets = toys.frame_sets()
    >>> found = toys.boxes({"mine": [0, 10]}, sets)["mine"]
    >>> shown = boxes_of(13, found, Truth(*toys.flat(sets)), ["lion", "monkey"])
    >>> [(box.kind, box.words) for box in shown]
    [('truth', ''), ('wrong', 'monkey 62 %')]
    """
    objects, answers, right = _sure(frame, found, truth)
    return (
        *(Box(_corners(box), "truth") for box in objects.boxes),
        *(
            Box(_corners(box), "right" if hit else "wrong", f"{classes[label]} {100 * score:.0f} %")
            for box, label, score, hit in zip(
                answers.boxes, answers.classes, answers.scores, right, strict=True
            )
        ),
    )


def _sure(frame: int, found: FoundBoxes, truth: Truth) -> tuple[Truth, Detections, Flags]:
    """Return the objects of a frame, its confident boxes, and which of these are correct."""
    here, said = truth.images == frame, found.detections
    sure = (said.images == frame) & (said.scores > SURE)
    order = np.flatnonzero(sure)[np.lexsort((-said.scores[sure], said.classes[sure]))]
    nothing = np.zeros(len(order), np.int64)
    answers = Detections(nothing, said.classes[order], said.boxes[order], said.scores[order])
    objects = Truth(np.zeros(int(here.sum()), np.int64), truth.classes[here], truth.boxes[here])
    return objects, answers, matched(objects, answers, IOU).found[0]


def _is_faultless(frame: int, found: FoundBoxes, truth: Truth) -> bool:
    objects, _, right = _sure(frame, found, truth)
    return bool(right.all()) and len(right) == len(objects.boxes)


def _corners(box: np.ndarray) -> tuple[float, float, float, float]:
    left, top, right, bottom = (float(one) for one in box)
    return left, top, right, bottom


def _distance(one: Scored, place: int) -> str:
    frame = one.by_task["detection"][0].frames[place, -1]
    offset = int(one.sets.offsets[place][one.sets.members[place] == frame][0])
    many, side = "" if abs(offset) == 1 else "s", "later" if offset > 0 else "earlier"
    return f"{abs(offset)} frame{many} {side}"
