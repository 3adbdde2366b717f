"""R-FCN: every cell of a region votes with its own score map, and no layer follows the vote.

Region proposals, their matching to objects, losses and suppression are torchvision's, as for Faster
R-CNN; only the classification of regions differs. Each of a region's k x k cells is averaged over
its own map for each class, and the class score is the mean of these k x k votes; the same holds for
the four numbers that shift the box, which all classes share. [Dai, Li, He, Sun: R-FCN, 2016]
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
    """Score maps and the vote over them: class scores and shifts for features and regions.

    Args:
        classes: number of classes, including background.
        cells: k, the number of cells along a region's side.
        stride: image pixels per feature cell.
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
        maps: (images, answers * cells * cells, height, width); the maps of one answer are adjacent,
            with its cells in reading order.
        regions: for each image, (n, 4), xyxy in pixels.
        stride: image pixels per map cell.

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
    """Splits the votes into class scores and one shift of the box for all classes."""

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
        classes: number of classes, without background.
        backbone: family of the small classifier used as backbone, such as "resnet50".
        width: channels of the backbone's first stage; None: the family's own.
        cells: k, the number of cells along a region's side.
        side: shorter and longer side to which images are resized, in pixels.
        anchors: sides of the anchors, in pixels.
        proposals: number of regions that are voted on; in training, twice as many.

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
    """Return an untrained R-FCN, as its authors define it except for two details.

    Its score maps are computed from 1024 channels of the dilated last stage; regions are proposed
    from these as well, whereas the authors use the stage before. Regions are aligned, not rounded.

    Args:
        classes: number of classes, without background.
        backbone: a torchvision ResNet, such as "resnet101".
        cells: k, the number of cells along a region's side.
        shorter: shorter side to which images are resized, in pixels.
        longer: maximum length of the longer side, in pixels.
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
