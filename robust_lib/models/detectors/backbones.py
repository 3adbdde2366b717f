"""Backbones of detectors: residual classifiers without their last layer.

Their parts have the classifier's names, so that a detector can start from its weights, as the
detectors of [vid, sec. 4.2] start from ImageNet weights.
"""

from collections import OrderedDict
from collections.abc import Sequence

import torch
from torch import nn
from torchvision.models.resnet import BasicBlock, Bottleneck
from torchvision.ops import FeaturePyramidNetwork, FrozenBatchNorm2d

from robust_lib.errors import InputError
from robust_lib.models import mini


class SmallBody(nn.Sequential):
    """The layers of a small classifier: features at an eighth of the image's size or coarser.

    Args:
        family: family of a small residual network, a key of `mini.FAMILIES`.
        width: channels of the first stage; None takes the family's own.
        dilated: whether the last stage keeps the resolution of the third, with dilated filters, as
            in R-FCN: at 128 pixels, one more halving leaves too little of an object.

    Raises:
        InputError: a family without stages of residual blocks.

    >>> levels = SmallBody("resnet50", 8)(torch.zeros(1, 3, 64, 64))
    >>> [tuple(one.shape[1:]) for one in levels.values()]
    [(64, 8, 8), (128, 4, 4), (256, 2, 2)]
    """

    def __init__(self, family: str, width: int | None = None, *, dilated: bool = False) -> None:
        layers = [*mini.build(family, 1, width).children()]
        blocks = {at: one for at, one in enumerate(layers) if isinstance(one, _BLOCKS)}
        begins = [at for at, one in blocks.items() if _stride(one) == 2]
        if len(begins) != 3:
            raise InputError(
                f"Expected a family of four stages of residual blocks, but {family} is none. Name "
                "a ResNet, such as resnet50."
            )
        super().__init__(*layers[: max(blocks) + 1])
        self.ends = (begins[1] - 1, begins[2] - 1, max(blocks))
        self.channels = tuple(_channels(blocks[at]) for at in self.ends)
        if dilated:
            for at in range(begins[2], max(blocks) + 1):
                _dilate(blocks[at])

    def forward(self, images: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the features of the second, third and fourth stage as "0", "1" and "2"."""
        levels, features = OrderedDict[str, torch.Tensor](), images
        for at, layer in enumerate(self):
            features = layer(features)
            if at in self.ends:
                levels[str(self.ends.index(at))] = features
        return levels


class Pyramid(nn.Module):
    """A body with a feature pyramid: levels of equal width, with coarse ones added to fine ones."""

    def __init__(self, body: nn.Module, inputs: Sequence[int], channels: int) -> None:
        super().__init__()
        self.body = body
        self.fpn = FeaturePyramidNetwork(list(inputs), channels)
        self.out_channels = channels

    def forward(self, images: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the features of every level."""
        levels: dict[str, torch.Tensor] = self.fpn(self.body(images))
        return levels


class OneLevel(nn.Module):
    """A body reduced to its last features, with fewer channels."""

    def __init__(self, body: nn.Module, inputs: int, channels: int) -> None:
        super().__init__()
        self.body = body
        self.reduce = nn.Sequential(nn.Conv2d(inputs, channels, 1), nn.ReLU(inplace=True))
        nn.init.kaiming_normal_(self.reduce[0].get_parameter("weight"), nonlinearity="relu")
        self.out_channels = channels

    def forward(self, images: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the last features under the name "0"."""
        *_, last = self.body(images).values()
        return OrderedDict([("0", self.reduce(last))])


def dilated_resnet(name: str) -> nn.Module:
    """Return torchvision's network up to its last stage, at a sixteenth of the image's size.

    Batch normalisation is frozen and the first two stages are not trained, as is usual if a
    detector starts from a classifier and has few images per batch.
    """
    from torchvision import models
    from torchvision.models._utils import IntermediateLayerGetter

    network = models.get_model(
        name,
        weights=None,
        norm_layer=FrozenBatchNorm2d,
        replace_stride_with_dilation=[False, False, True],
    )
    for part, parameter in network.named_parameters():
        parameter.requires_grad_(part.startswith(("layer2", "layer3", "layer4")))
    body: nn.Module = IntermediateLayerGetter(network, {"layer4": "0"})
    return body


_BLOCKS = (BasicBlock, Bottleneck)


def _stride(block: BasicBlock | Bottleneck) -> int:
    strided = block.conv2 if isinstance(block, Bottleneck) else block.conv1
    return int(strided.stride[0])


def _channels(block: BasicBlock | Bottleneck) -> int:
    last = block.conv3 if isinstance(block, Bottleneck) else block.conv2
    return int(last.out_channels)


def _dilate(block: BasicBlock | Bottleneck) -> None:
    """Dilate a block's filters, so that it sees as far at twice the resolution."""
    for part in block.modules():
        if isinstance(part, nn.Conv2d):
            part.stride = (1, 1)
            if part.kernel_size == (3, 3):
                part.dilation = part.padding = (2, 2)
