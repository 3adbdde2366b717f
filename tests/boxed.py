"""Pictures with boxes whose right answers are known, and small detectors, for tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from robust_lib import seeds
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.metrics.boxes import Detections, OfImage
from robust_lib.models.detectors import efficientdet, faster_rcnn, mask_rcnn, retinanet, rfcn
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.preprocessing import Preprocessing

COLOURS = ("red", "green", "blue")
SIDE = 64
TINY: dict[str, Any] = {"width": 8, "channels": 16, "proposals": 16, "sampled": 16}
FAMILY = "resnet18"
TARGET = {"boxes": torch.tensor([[10.0, 10.0, 40.0, 40.0]]), "labels": torch.tensor([2])}
EMPTY = {"boxes": torch.zeros(0, 4), "labels": torch.zeros(0, dtype=torch.int64)}


@dataclass(frozen=True, eq=False)
class Squares:
    """Grey pictures with one or two squares, each of one bright colour, which is its class.

    Every fifth picture is empty. `log` gets a line for each picture read.
    """

    count: int = 20
    side: int = SIDE
    name: str = "squares"
    classes: str = "colours"
    class_names: tuple[str, ...] = COLOURS
    log: Path | None = None
    kept: tuple[Any, ...] | None = None
    _made: dict[int, tuple[np.ndarray, Annotation]] = field(default_factory=dict, repr=False)

    @property
    def digest(self) -> str:
        return f"squares-{self.side}-{self.count}"

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(f"square{number}" for number in range(self.count))

    @property
    def labels(self) -> np.ndarray:
        return np.array([one.label for one in self.annotations], np.int64)

    @property
    def annotations(self) -> tuple[Any, ...]:
        if self.kept is not None:
            return self.kept
        return tuple(self._drawn(number)[1] for number in range(self.count))

    def __len__(self) -> int:
        return self.count

    def read(self, index: int, preprocessing: Preprocessing) -> np.ndarray:
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{self.ids[index]}\n")
        return self._drawn(index)[0]

    def _drawn(self, number: int) -> tuple[np.ndarray, Annotation]:
        if number not in self._made:
            rng = seeds.generator("square", number)
            picture = rng.integers(90, 130, (self.side, self.side, 3), dtype=np.uint8)
            many = 0 if number % 5 == 4 else int(rng.integers(1, 3))
            boxes, classes = [], []
            for place in range(many):
                colour, long = (number + place) % 3, int(rng.integers(14, 26))
                left = place * self.side // 2 + int(rng.integers(0, 6))
                top = int(rng.integers(0, self.side - long))
                right = min(left + long, self.side)
                picture[top : top + long, left:right] = 20
                picture[top : top + long, left:right, colour] = 240
                boxes.append((left, top, right, top + long))
                classes.append(colour)
            self._made[number] = picture, annotation(boxes, classes, (self.side, self.side))
        return self._made[number]


def annotation(
    boxes: Sequence[Sequence[float]], classes: Sequence[int], size: tuple[int, int]
) -> Annotation:
    """Return an annotation of boxes that nothing hides."""
    none = np.zeros(len(boxes), bool)
    return Annotation(
        *size,
        np.array(boxes, np.float32).reshape(-1, 4),
        np.array(classes, np.int64),
        np.arange(len(boxes)),
        none,
        none,
    )


def faster(seed: int = 0, classes: int = 3) -> torch.nn.Module:
    """Return a tiny untrained Faster R-CNN."""
    return seeded(
        lambda: faster_rcnn.small(
            classes, FAMILY, hidden=32, side=SIDE, anchors=(20, 28, 40), **TINY
        ),
        seed,
    )


def positioned(seed: int = 0, classes: int = 3) -> torch.nn.Module:
    """Return a tiny untrained R-FCN, which sees pictures at twice their size."""
    return seeded(
        lambda: rfcn.small(classes, FAMILY, side=2 * SIDE, anchors=(32, 48), **TINY), seed
    )


def detector(name: str = "tiny", seed: int = 0) -> TorchDetector:
    """Return an untrained detector."""
    return TorchDetector(module=faster(seed), name=name, classes="colours", outputs=3)


def talkative(name: str = "talkative") -> TorchDetector:
    """Return an untrained detector that is nearly as sure of every class, and so finds boxes."""
    module = faster()
    module.roi_heads.score_thresh = 0.0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        torch.nn.init.normal_(module.roi_heads.box_predictor.cls_score.weight, std=0.1)
    return TorchDetector(module=module, name=name, classes="colours", outputs=3)


def family(name: str) -> TorchDetector:
    """Return an untrained detector of a family that is nearly as sure of every class."""
    anchors = ((16, 20), (28, 34), (40, 48))
    makers: dict[str, Callable[[], torch.nn.Module]] = {
        "faster_rcnn": faster,
        "rfcn": positioned,
        "mask_rcnn": lambda: mask_rcnn.small(
            3, FAMILY, hidden=32, side=SIDE, anchors=(20, 28, 40), **TINY
        ),
        "retinanet": lambda: retinanet.small(
            3, FAMILY, width=8, channels=16, side=SIDE, anchors=anchors
        ),
        "efficientdet": lambda: efficientdet.small(3, FAMILY, width=8, channels=16, side=SIDE),
    }
    module = seeded(makers[name])
    for part, weights in module.named_parameters():
        if part.endswith(("cls_logits.bias", "class_net.predict.conv_pw.bias")):
            torch.nn.init.zeros_(weights)
    if hasattr(module, "roi_heads"):
        module.roi_heads.score_thresh = 0.0
    return TorchDetector(module=module, name=name, classes="colours", outputs=3, least_score=0.0)


FAMILIES = ("faster_rcnn", "rfcn", "mask_rcnn", "retinanet", "efficientdet")


@dataclass
class Saying:
    """A detector that says of each image what `answer` says."""

    answer: Callable[[torch.Tensor], Any]
    name: str = "saying"
    classes: str = "colours"
    outputs: int = 3
    fingerprint: str = "none"
    least_score: float = 0.0
    most: int = 100

    def __call__(self, images: Sequence[torch.Tensor]) -> list[Any]:
        return [self.answer(image) for image in images]


def boxes_of(*rows: tuple[float, float, float, float, int, float]) -> tuple[np.ndarray, ...]:
    """Return an answer: (x1, y1, x2, y2, class, score) a box."""
    table = np.array(rows, np.float64).reshape(-1, 6)
    return (
        table[:, :4].astype(np.float32),
        table[:, 4].astype(np.int64),
        table[:, 5].astype(np.float32),
    )


def brightest(image: torch.Tensor) -> tuple[np.ndarray, ...]:
    """Return the right answer to one of `Squares`: the box of each bright colour."""
    rows = []
    for colour in range(3):
        bright = image[colour] > 0.8
        if bright.any():
            ys, xs = (torch.nonzero(bright.any(axis))[:, 0].tolist() for axis in (1, 0))
            corners = (float(xs[0]), float(ys[0]), xs[-1] + 1.0, ys[-1] + 1.0)
            rows.append((*corners, colour, 0.9 - 0.1 * colour))
    return boxes_of(*rows)


def seeded(make: Callable[[], torch.nn.Module], seed: int = 0) -> torch.nn.Module:
    """Return what `make` makes; torch's global generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


def detections_of(per_image: Sequence[OfImage]) -> Detections:
    """The detections of images that a detector was shown one after another."""
    lengths = [len(scores) for _, _, scores in per_image]
    boxes, classes, scores = (np.concatenate(part) for part in zip(*per_image, strict=True))
    return Detections(np.repeat(np.arange(len(lengths)), lengths), classes, boxes, scores)
