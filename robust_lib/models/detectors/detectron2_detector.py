"""Adapter for detectron2's detectors, which use dictionaries, BGR levels and their own image sizes.

Nothing here imports detectron2. A model only has to follow the interface of all its detectors: it
maps a list of dictionaries with `image`, `height` and `width` to dictionaries with `instances`. The
user builds the model; weights are not read here, since detectron2 publishes them as pickles, and
reading a pickle runs the code in it.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from PIL import Image as Pictures
from torch import nn

from robust_lib.config import class_lists
from robust_lib.errors import InputError, ModelError
from robust_lib.models.detectors.contract import Image
from robust_lib.models.detectors.labels import by_name
from robust_lib.models.detectors.torch_detector import TorchDetector

Colours = Literal["BGR", "RGB"]


class Detectron2(nn.Module):
    """A detectron2 model behind torchvision's detection interface.

    It gets the same input as from detectron2's own reader: an 8-bit image, resized by Pillow, as
    levels from 0 to 255, blue first.

    Args:
        model: the model, which maps dictionaries to `instances` in evaluation mode, which have
            `pred_boxes.tensor` (xyxy pixels of `width` x `height`), `scores` and `pred_classes`
            (from 0).
        shorter: size of the shorter side after resizing, in pixels; None does not resize.
        longer: maximum size of the longer side, in pixels.
        colours: order of the colours, detectron2's INPUT.FORMAT.
    """

    def __init__(
        self,
        model: nn.Module,
        *,
        shorter: int | None = 800,
        longer: int = 1333,
        colours: Colours = "BGR",
    ) -> None:
        super().__init__()
        self.model = model
        self.shorter, self.longer, self.colours = shorter, longer, colours

    def forward(self, images: Sequence[Image]) -> list[dict[str, torch.Tensor]]:
        """Return `boxes`, `scores` and `labels` (from 1) of each image."""
        asked = [
            {"image": self.levels(image), "height": image.shape[1], "width": image.shape[2]}
            for image in images
        ]
        return [_of_image(said) for said in self.model(asked)]

    def levels(self, image: Image) -> torch.Tensor:
        """Return an image as the model's input: levels from 0 to 255, resized."""
        pixels = (image.detach().cpu() * 255).round().to(torch.uint8).permute(1, 2, 0).numpy()
        height, width = self._sides(*pixels.shape[:2])
        if (height, width) != pixels.shape[:2]:
            resized = Pictures.fromarray(pixels).resize(
                (width, height), Pictures.Resampling.BILINEAR
            )
            pixels = np.asarray(resized)
        ordered = pixels[:, :, ::-1] if self.colours == "BGR" else pixels
        levels = torch.from_numpy(np.ascontiguousarray(ordered.transpose(2, 0, 1)))
        return levels.to(image.device, torch.float32)

    def _sides(self, height: int, width: int) -> tuple[int, int]:
        """Return the sides of an image after detectron2's ResizeShortestEdge."""
        if self.shorter is None:
            return height, width
        scale = self.shorter / min(height, width)
        sides = (height * scale, width * scale)
        scale = min(1.0, self.longer / max(sides))
        return int(sides[0] * scale + 0.5), int(sides[1] * scale + 0.5)


def wrap_detectron2(
    model: nn.Module,
    name: str,
    classes: str,
    *,
    outputs: int | None = None,
    categories: Sequence[str] | None = None,
    shorter: int | None = 800,
    longer: int = 1333,
    colours: Colours = "BGR",
    least_score: float = 0.05,
    most: int = 100,
    device: str = "cpu",
) -> TorchDetector:
    """Return a model built with detectron2 as a `Detector`.

    Args:
        model: from detectron2's `build_model` or `instantiate`, with its weights loaded.
        classes: label space: a list in data_manifests/classes, such as "coco", or your own.
        outputs: number of classes; None: that of the list.
        categories: names of the model's own classes in its order, as in detectron2's metadata
            (`thing_classes`); None: they are those of the list.
        shorter: size of the shorter side in pixels, INPUT.MIN_SIZE_TEST; None does not resize.
        longer: maximum size of the longer side in pixels, INPUT.MAX_SIZE_TEST.
        colours: order of the colours, INPUT.FORMAT.
        least_score: minimum score of a box, SCORE_THRESH_TEST of the model's heads.
        most: maximum number of boxes per image, TEST.DETECTIONS_PER_IMAGE.
        device: device of the model, the same as MODEL.DEVICE.

    Raises:
        InputError: something other than a module, such as a file of weights; an unknown list; a
            class that is not among the categories.
    """
    if not isinstance(model, nn.Module):
        raise InputError(
            f"Expected {name} to be a model built by detectron2, a torch.nn.Module, but got "
            f"{type(model).__name__}. Build it and load its weights with detectron2 itself; "
            "pickled weights are never read here, since reading them executes code."
        )
    known = outputs is None or categories is not None
    names = class_lists.load_classes(classes).names if known else ()
    return TorchDetector(
        module=Detectron2(model, shorter=shorter, longer=longer, colours=colours),
        name=name,
        classes=classes,
        outputs=len(names) if outputs is None else outputs,
        labels=None if categories is None else by_name(["background", *categories], names),
        least_score=least_score,
        most=most,
        device=device,
    )


def _of_image(said: Any) -> dict[str, torch.Tensor]:
    try:
        found = said["instances"]
        return {
            "boxes": found.pred_boxes.tensor,
            "scores": found.scores,
            "labels": found.pred_classes + 1,
        }
    except (TypeError, KeyError, AttributeError) as error:
        raise ModelError(
            "Expected a model of detectron2 to return one dictionary per image, with `instances` "
            f"that have pred_boxes, scores and pred_classes, but got {type(said).__name__} "
            f"({type(error).__name__}: {error}). Models without boxes are not detectors."
        ) from error
