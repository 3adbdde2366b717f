"""Faster R-CNN: torchvision's, with a ResNet and a feature pyramid, and small versions of it.

These are the networks of [vid, sec. 4.2]. The small ones are for frames of 128 pixels: they have
three pyramid levels, one anchor shape, few proposals, and a head of two narrow layers.
"""

from collections.abc import Sequence

from torch import nn
from torchvision.models.detection import FasterRCNN
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.ops import MultiScaleRoIAlign

from robust_lib.models.detectors.backbones import Pyramid, SmallBody

LEAST_SCORE = 0.01
MOST = 100


def small(
    classes: int,
    backbone: str,
    *,
    width: int | None = None,
    channels: int = 64,
    hidden: int = 128,
    side: int = 128,
    anchors: Sequence[int] = (32, 64, 96),
    proposals: int = 64,
    sampled: int = 32,
) -> nn.Module:
    """Return an untrained small Faster R-CNN.

    Args:
        classes: number of classes, without background.
        backbone: family of the small classifier used as backbone, such as "resnet50".
        width: channels of the backbone's first stage; None: the family's own.
        side: shorter and longer side to which images are resized, in pixels.
        anchors: side of the anchors of each level, in pixels.
        proposals: number of regions that the head classifies; in training, twice as many.

    >>> network = small(3, "resnet50", width=8, channels=16, hidden=16, side=64)
    >>> network.roi_heads.box_predictor.cls_score.out_features
    4
    """
    cells, body = 5, SmallBody(backbone, width)
    network: nn.Module = FasterRCNN(
        Pyramid(body, body.channels, channels),
        min_size=side,
        max_size=side,
        image_mean=(0.5, 0.5, 0.5),
        image_std=(0.25, 0.25, 0.25),
        rpn_anchor_generator=AnchorGenerator(
            tuple((one,) for one in anchors), ((1.0,),) * len(anchors)
        ),
        rpn_pre_nms_top_n_train=4 * proposals,
        rpn_pre_nms_top_n_test=2 * proposals,
        rpn_post_nms_top_n_train=2 * proposals,
        rpn_post_nms_top_n_test=proposals,
        rpn_batch_size_per_image=2 * sampled,
        box_roi_pool=MultiScaleRoIAlign(["0", "1", "2"], output_size=cells, sampling_ratio=2),
        box_head=TwoMLPHead(channels * cells**2, hidden),
        box_predictor=FastRCNNPredictor(hidden, classes + 1),
        box_score_thresh=LEAST_SCORE,
        box_detections_per_img=MOST,
        box_batch_size_per_image=sampled,
    )
    return network


def real(classes: int, backbone: str, *, shorter: int = 800, longer: int = 1333) -> nn.Module:
    """Return torchvision's Faster R-CNN with a ResNet and a feature pyramid, untrained.

    Batch normalisation is frozen and the first stages are not trained, since the backbone is meant
    to start from a classifier's weights.

    Args:
        classes: number of classes, without background.
        backbone: a torchvision ResNet, such as "resnet50".
        shorter: shorter side to which images are resized, in pixels.
        longer: maximum length of the longer side, in pixels.
    """
    network: nn.Module = FasterRCNN(
        resnet_fpn_backbone(backbone_name=backbone, weights=None, trainable_layers=3),
        num_classes=classes + 1,
        min_size=shorter,
        max_size=longer,
        box_score_thresh=LEAST_SCORE,
        box_detections_per_img=MOST,
    )
    return network
