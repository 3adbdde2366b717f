"""Failures of detection: an anchor, and the worst of the frames near it [vid, fig. 6]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robust_lib.datasets import ImageSet
from robust_lib.figures.boxed_pictures import Box
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import matched, precision_by_image
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.pm_k.detection import Scored
from robust_lib.types import Picture

SURE = 0.5  # boxes surer than this are shown, as in the paper
AS_IS = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Failures:
    """Anchors on which a detector is right, and below each its worst frame.

    `pictures`, `boxes` and `captions` have the anchors first, then the frames below them.
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
    """Return the anchors from which a detector falls deepest, no class twice.

    On these its sure boxes find every object, and nothing else.

    Args:
        one: its mAP by distance.
        found: its boxes.
        truth: the objects of the frames.
        images: the frames.
        most: how many anchors.

    >>> sets = toys.frame_sets()
    >>> one, found = toys.scored({"mine": [3, 5]})["mine"], toys.boxes({"mine": [3, 5]})["mine"]
    >>> truth = Truth(*toys.flat(sets))
    >>> shown = failures(one, found, truth, toys.swatch_frames(sets))
    >>> shown.captions  # of five sets that have their anchor right, two are lost, each of a class
    ('anchor', 'anchor', '3 frames later', '3 frames later')
    """
    record = one.by_task["detection"][0]
    quality = precision_by_image(record.matches, len(found.ids), one.settings.interpolation)
    anchors, worst = record.frames[:, 0], record.frames[:, -1]
    fall = np.nan_to_num(quality[anchors] - quality[worst], nan=-1.0)
    chosen: list[int] = []
    seen: set[int] = set()
    for place in np.argsort(-fall, kind="stable"):
        label = one.sets.labels[anchors[place]][0]
        if len(chosen) == most or fall[place] <= 0:
            break
        shown = boxes_of(int(anchors[place]), found, truth, images.class_names)
        if label not in seen and _faultless(shown):
            chosen.append(int(place))
            seen.add(label)
    frames = [int(anchors[place]) for place in chosen] + [int(worst[place]) for place in chosen]
    return Failures(
        tuple(images.read(frame, AS_IS) for frame in frames),
        tuple(boxes_of(frame, found, truth, images.class_names) for frame in frames),
        tuple(["anchor"] * len(chosen) + [_distance(one, place) for place in chosen]),
    )


def boxes_of(
    frame: int, found: FoundBoxes, truth: Truth, classes: Sequence[str]
) -> tuple[Box, ...]:
    """Return the objects of a frame and what was found there, right or wrong at IoU .5.

    Args:
        frame: its number.
        found: boxes of a detector.
        truth: the objects of all frames.
        classes: names, in the order of the labels.

    >>> sets = toys.frame_sets()
    >>> found = toys.boxes({"mine": [0, 10]}, sets)["mine"]
    >>> shown = boxes_of(13, found, Truth(*toys.flat(sets)), ["lion", "monkey"])
    >>> [(box.kind, box.words) for box in shown]
    [('truth', ''), ('wrong', 'monkey 62 %')]
    """
    here, said = truth.images == frame, found.detections
    sure = (said.images == frame) & (said.scores > SURE)
    order = np.flatnonzero(sure)[np.lexsort((-said.scores[sure], said.classes[sure]))]
    nothing = np.zeros(len(order), np.int64)
    answers = Detections(nothing, said.classes[order], said.boxes[order], said.scores[order])
    objects = Truth(np.zeros(int(here.sum()), np.int64), truth.classes[here], truth.boxes[here])
    right = matched(objects, answers, 0.5).found[0]
    return (
        *(Box(_corners(box), "truth") for box in objects.boxes),
        *(
            Box(_corners(box), "right" if hit else "wrong", f"{classes[label]} {100 * score:.0f} %")
            for box, label, score, hit in zip(
                answers.boxes, answers.classes, answers.scores, right, strict=True
            )
        ),
    )


def _faultless(boxes: Sequence[Box]) -> bool:
    kinds = [box.kind for box in boxes]
    return "wrong" not in kinds and kinds.count("right") == kinds.count("truth")


def _corners(box: np.ndarray) -> tuple[float, float, float, float]:
    left, top, right, bottom = (float(one) for one in box)
    return left, top, right, bottom


def _distance(one: Scored, place: int) -> str:
    frame = one.by_task["detection"][0].frames[place, -1]
    offset = int(one.sets.offsets[place][one.sets.members[place] == frame][0])
    many, side = "" if abs(offset) == 1 else "s", "later" if offset > 0 else "earlier"
    return f"{abs(offset)} frame{many} {side}"
