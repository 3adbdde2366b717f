"""torchvision's own detectors, built so that published weights give torchvision's results."""

from typing import Any

from torch import nn
from torchvision import models
from torchvision.ops import FrozenBatchNorm2d


def real(outputs: int, name: str, *, epsilon: float | None = None, **settings: Any) -> nn.Module:
    """Return one of torchvision's detectors, untrained.

    torchvision freezes batch normalisation only if it loads weights itself, and for old weights it
    adds nothing to the variances, as was usual when they were trained; `epsilon` does the same
    here.

    Args:
        outputs: number of labels, including the background.
        name: torchvision's name, such as "maskrcnn_resnet50_fpn".
        epsilon: constant that the backbone's batch normalisation adds to variances; None:
            torchvision's.
        settings: further settings, such as `box_score_thresh`.
    """
    network: nn.Module = models.get_model(
        name, weights=None, weights_backbone=None, num_classes=outputs, **settings
    )
    if epsilon is not None:
        for part in network.modules():
            if isinstance(part, nn.BatchNorm2d | FrozenBatchNorm2d):
                part.eps = epsilon
    return network


def categories(name: str, weights: str) -> tuple[str, ...] | None:
    """Return the name of each label of published weights; "N/A" for unused labels.

    None for other weights, such as a user's file, which does not state what its labels mean.

    >>> named = categories("fcos_resnet50_fpn", "COCO_V1")
    >>> named[:2], named[12], len(named)
    (('__background__', 'person'), 'N/A', 91)
    >>> categories("fcos_resnet50_fpn", "file:mine.pth") is None
    True
    """
    published = models.get_model_weights(name).__members__
    return tuple(published[weights].meta["categories"]) if weights in published else None
