"""R-FCN: every cell of a region votes with its own score map; no layer follows the vote.

Region proposals, their matching to objects, losses and suppression are torchvision's, as for Faster
R-CNN; what differs is what is asked of a region. Of k x k cells, each is averaged over its own map
of each class, and the class's score is the mean of its k x k votes; so it is for the four numbers
that move the box, the same for all classes. [Dai, Li, He, Sun: R-FCN, 2016]
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import nn
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.generalized_rcnn import GeneralizedRCNN
from torchvision.models.detection.roi_heads import RoIHeads
from torchvision.models.detection.rpn import RegionProposalNetwork, RPNHead
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.ops import ps_roi_align

from robust_lib.models.adapter import IMAGENET_MEAN, IMAGENET_STD
from robust_lib.models.detectors.backbones import OneLevel, SmallBody, dilated_resnet
from robust_lib.models.detectors.faster_rcnn import LEAST_SCORE, MOST

BOX = 4  # numbers that move a box


class PositionSensitiveVote(nn.Module):
    """Score maps and the vote over them: features and regions become classes' scores and shifts.

    Args:
        classes: with background.
        cells: k, of a region's side.
        stride: pixels of the picture to one of the features.
    """

    def __init__(self, channels: int, classes: int, cells: int, stride: int) -> None:
        super().__init__()
        self.maps = nn.Conv2d(channels, (classes + BOX) * cells**2, kernel_size=1)
        nn.init.normal_(self.maps.weight, std=0.01)
        nn.init.zeros_(cast(nn.Parameter, self.maps.bias))
        self.cells, self.stride = cells, stride

    def forward(
        self,
        features: dict[str, torch.Tensor],
        regions: list[torch.Tensor],
        image_shapes: list[tuple[int, int]],
    ) -> torch.Tensor:
        """Return (regions, classes + 4): the mean vote of each region's cells."""
        return vote(self.maps(features["0"]), regions, self.cells, self.stride)


def vote(maps: torch.Tensor, regions: list[torch.Tensor], cells: int, stride: int) -> torch.Tensor:
    """Return the mean vote of a region's cells, each read from its own map.

    Args:
        maps: (images, answers * cells * cells, height, width); those of an answer stand together,
            its cells in reading order.
        regions: of each image, (n, 4) xyxy pixels.
        stride: pixels of the picture to one of the maps.

    Returns:
        (regions, answers).

    >>> maps = torch.tensor([1.0, 2.0, 3.0, 6.0]).view(1, 4, 1, 1).expand(1, 4, 8, 8)
    >>> vote(maps, [torch.tensor([[0.0, 0.0, 8.0, 8.0]])], 2, 1).item()
    3.0
    """
    # There is no such operation in bfloat16.
    maps = maps.float() if maps.dtype == torch.bfloat16 else maps
    asked = [one.to(maps.dtype) for one in regions]
    voted: torch.Tensor = ps_roi_align(maps, asked, cells, 1 / stride, sampling_ratio=2)
    return voted.mean((2, 3))


class ClassesAndShifts(nn.Module):
    """Splits what was voted for into class scores and the shift of the box, one for all classes."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.classes = classes

    def forward(self, voted: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (regions, classes) scores and (regions, classes * 4) shifts."""
        scores, shift = voted[:, : self.classes], voted[:, self.classes :]
        return scores, shift.repeat(1, self.classes)


def small(
    classes: int,
    backbone: str,
    *,
    width: int | None = None,
    channels: int = 256,
    cells: int = 3,
    side: int = 128,
    anchors: Sequence[int] = (40, 56, 76, 100),
    proposals: int = 64,
    sampled: int = 32,
) -> nn.Module:
    """Return an untrained small R-FCN for frames of 128 pixels.

    Args:
        classes: without background.
        backbone: family of the small classifier that it looks with, such as "resnet50".
        width: channels of the backbone's first stage; None: the family's own.
        cells: k, of a region's side.
        side: pixels of the shorter and the longer side that pictures are brought to.
        anchors: their sides, pixels.
        proposals: regions that are voted on, in training twice as many.

    >>> small(3, "resnet50", width=8, channels=16).roi_heads.box_roi_pool.maps.out_channels
    72
    """
    body = SmallBody(backbone, width, dilated=True)
    return _assembled(
        OneLevel(body, body.channels[-1], channels),
        classes,
        cells=cells,
        anchors=AnchorGenerator((tuple(anchors),), ((1.0,),)),
        proposals=(2 * proposals, proposals),
        sampled=(2 * sampled, sampled),
        transform=GeneralizedRCNNTransform(side, side, (0.5,) * 3, (0.25,) * 3),
    )


def real(
    classes: int, backbone: str, *, cells: int = 7, shorter: int = 600, longer: int = 1000
) -> nn.Module:
    """Return R-FCN as its authors have it, but for two things, untrained.

    Its score maps lie on 1024 channels made of the last stage, dilated; regions are proposed from
    these, too, where the authors take those of the stage before. Regions are aligned, not rounded.

    Args:
        classes: without background.
        backbone: a ResNet of torchvision's, such as "resnet101".
        cells: k, of a region's side.
        shorter: pixels of the shorter side that pictures are brought to.
        longer: most pixels of the longer side.
    """
    return _assembled(
        OneLevel(dilated_resnet(backbone), 2048, 1024),
        classes,
        cells=cells,
        anchors=AnchorGenerator(((128, 256, 512),), ((0.5, 1.0, 2.0),)),
        proposals=(2000, 300),
        sampled=(256, 128),
        transform=GeneralizedRCNNTransform(shorter, longer, IMAGENET_MEAN, IMAGENET_STD),
    )


def _assembled(
    backbone: OneLevel,
    classes: int,
    *,
    cells: int,
    anchors: AnchorGenerator,
    proposals: tuple[int, int],
    sampled: tuple[int, int],
    transform: nn.Module,
) -> nn.Module:
    """Put together a network.

    `proposals` are those in training and in use; `sampled` are those of an image that the network
    of proposals learns from, and the vote.
    """
    training, testing = proposals
    channels = backbone.out_channels
    rpn = RegionProposalNetwork(
        anchors,
        RPNHead(channels, anchors.num_anchors_per_location()[0]),
        fg_iou_thresh=0.7,
        bg_iou_thresh=0.3,
        batch_size_per_image=sampled[0],
        positive_fraction=0.5,
        pre_nms_top_n={"training": 2 * training, "testing": 2 * testing},
        post_nms_top_n={"training": training, "testing": testing},
        nms_thresh=0.7,
    )
    heads = RoIHeads(
        PositionSensitiveVote(channels, classes + 1, cells, stride=16),
        nn.Identity(),
        ClassesAndShifts(classes + 1),
        fg_iou_thresh=0.5,
        bg_iou_thresh=0.5,
        batch_size_per_image=sampled[1],
        positive_fraction=0.25,
        bbox_reg_weights=None,
        score_thresh=LEAST_SCORE,
        nms_thresh=0.5,
        detections_per_img=MOST,
    )
    network: nn.Module = GeneralizedRCNN(backbone, rpn, heads, transform)
    return network
