"""A small version of torchvision's Mask R-CNN: a Faster R-CNN that also predicts masks.

It is trained with the masks of the objects, so the data set must have masks.
[He, Gkioxari, Dollár, Girshick: Mask R-CNN, 2017]
"""

from typing import Any

from torch import nn
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.ops import MultiScaleRoIAlign

from robust_lib.models.detectors import faster_rcnn

CELLS = 8
"""Of a region's side, that the mask is drawn from; the mask has twice as many."""


def small(
    classes: int, backbone: str, *, channels: int = 64, drawing: int = 32, **settings: Any
) -> nn.Module:
    """Return an untrained small Mask R-CNN.

    Args:
        classes: number of classes, without background.
        backbone: family of the small classifier used as backbone, such as "resnet50".
        drawing: number of channels of the two layers that predict masks.
        settings: as for `faster_rcnn.small`.
    """
    network = faster_rcnn.small(classes, backbone, channels=channels, **settings)
    heads: Any = network.roi_heads
    heads.mask_roi_pool = MultiScaleRoIAlign(["0", "1", "2"], output_size=CELLS, sampling_ratio=2)
    heads.mask_head = MaskRCNNHeads(channels, (drawing, drawing), dilation=1)
    heads.mask_predictor = MaskRCNNPredictor(drawing, drawing, classes + 1)
    return network
