"""RetinaNet: torchvision's, in small; all anchors of a pyramid are classified, none proposed.

The focal loss keeps the many anchors on nothing from drowning the few on objects. The small ones
see pictures of 128 pixels: three levels of a pyramid, and thin heads of two layers where
torchvision's have four. [Lin, Goyal, Girshick, He, Dollár: Focal loss, 2017]
"""

from collections.abc import Sequence

from torch import nn
from torchvision.models.detection import RetinaNet
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.retinanet import RetinaNetHead

from robust_lib.models.detectors.backbones import Pyramid, SmallBody
from robust_lib.models.detectors.faster_rcnn import LEAST_SCORE, MOST


def small(
    classes: int,
    backbone: str,
    *,
    width: int | None = None,
    channels: int = 64,
    layers: int = 2,
    side: int = 128,
    anchors: Sequence[Sequence[int]] = ((24, 36), (48, 64), (80, 104)),
) -> nn.Module:
    """Return an untrained small RetinaNet.

    Args:
        classes: without background.
        backbone: family of the small classifier that it looks with, such as "resnet50".
        width: channels of the backbone's first stage; None: the family's own.
        side: pixels of the shorter and the longer side that pictures are brought to.
        anchors: sides of the anchors of each level, pixels.
    """
    body = SmallBody(backbone, width)
    head = RetinaNetHead(channels, len(anchors[0]), classes + 1)
    for part in (head.classification_head, head.regression_head):
        part.conv = part.conv[:layers]
    network: nn.Module = RetinaNet(
        Pyramid(body, body.channels, channels),
        num_classes=classes + 1,
        min_size=side,
        max_size=side,
        image_mean=(0.5, 0.5, 0.5),
        image_std=(0.25, 0.25, 0.25),
        anchor_generator=AnchorGenerator(
            tuple(tuple(level) for level in anchors), ((1.0,),) * len(anchors)
        ),
        head=head,
        score_thresh=LEAST_SCORE,
        detections_per_img=MOST,
    )
    return network
