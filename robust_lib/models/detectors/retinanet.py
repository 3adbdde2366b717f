"""A small version of torchvision's RetinaNet: all anchors are classified, without proposals.

The focal loss keeps the many anchors on background from outweighing the few on objects. The small
networks are for images of 128 pixels: they have three pyramid levels, and narrow heads of two
layers instead of four. [Lin, Goyal, Girshick, He, Dollár: Focal loss, 2017]
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
        classes: number of classes, without background.
        backbone: family of the small classifier used as backbone, such as "resnet50".
        width: channels of the backbone's first stage; None: the family's own.
        side: shorter and longer side to which images are resized, in pixels.
        anchors: sides of the anchors of each level, in pixels.
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
