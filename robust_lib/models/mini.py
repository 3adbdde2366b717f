"""Small networks of the papers' families, for images of about 64 pixels.

Each keeps what characterises its family: AlexNet's large first filters, overlapping pools and
dropout head; SqueezeNet's fire modules and global average pool; VGG's stacks of 3x3 convolutions
between pools, with and without batch normalisation. Those with shortcuts, from ResNet to dual-path
networks, are in `mini_shortcuts`. Width is reduced fourfold, to multiples of the 16 channels that a
processor handles at once, and the first layer has a stride, so that training on one core handles
hundreds of images per second. The families are those of [inc, table 1], [overlap, sec. 4] and [nae,
sec. 5].
"""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType

import torch
from torch import nn
from torchvision.models.resnet import Bottleneck
from torchvision.models.squeezenet import Fire
from torchvision.models.vgg import cfgs as vgg_layouts
from torchvision.models.vgg import make_layers
from torchvision.ops import SqueezeExcitation

from robust_lib.errors import InputError, one_of
from robust_lib.models import mini_shortcuts as shortcuts

OPEN = 3.0  # of which the sigmoid is 0.95


def build(family: str, classes: int, width: int | None = None) -> nn.Module:
    """Return an untrained network of a family, with weights from torch's global generator.

    Args:
        family: a key of `FAMILIES`.
        width: channels of the first stage; None: the family's own. All others scale with it.

    Raises:
        InputError: for an unknown family, or less than one class or channel.
    """
    if family not in FAMILIES:
        raise InputError(one_of("family", family, FAMILIES))
    make, own_width = FAMILIES[family]
    width = own_width if width is None else width
    if classes < 1 or width < 1:
        raise InputError(
            f"Expected at least one class and one channel, but got classes={classes} and "
            f"width={width}."
        )
    network = make(classes, width)
    _initialise(network)
    if make in (vgg11, vgg19, vgg19_bn):
        _begin_shallow(network)
    return network


def alexnet(classes: int, width: int) -> nn.Module:
    """Return a network like AlexNet: five convolutions, overlapping max-pools, a dropout head.

    Its first filters are large and have a stride of four, like AlexNet's. The last of AlexNet's
    pools is omitted: of 64 pixels, three are left before it.
    """
    pool = nn.MaxPool2d(kernel_size=3, stride=2)
    return nn.Sequential(
        *_conv(3, width, 11, stride=4),
        pool,
        *_conv(width, 3 * width, 5),
        pool,
        *_conv(3 * width, 6 * width, 3),
        *_conv(6 * width, 4 * width, 3),
        *_conv(4 * width, 4 * width, 3),
        nn.AdaptiveAvgPool2d(3),
        nn.Flatten(),
        *_dropout_head(4 * width * 9, 16 * width, classes),
    )


def squeezenet(classes: int, width: int) -> nn.Module:
    """Return a network like SqueezeNet 1.1: fire modules, a convolution as head, a global mean.

    It has the simple bypass that SqueezeNet's authors describe, and squeezes twofold instead of
    eightfold: with an eighth of so few channels, it did not learn.
    """
    pool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)

    def fires(inputs: int, expand: int) -> tuple[nn.Module, nn.Module]:
        squeeze, outputs = expand * width, 2 * expand * width
        return (
            Fire(inputs * width, squeeze, squeeze, squeeze),
            Bypass(Fire(outputs, squeeze, squeeze, squeeze)),
        )

    return nn.Sequential(
        *_conv(3, 2 * width, 3, stride=2),
        pool,
        *fires(2, 1),
        pool,
        *fires(2, 2),
        pool,
        *fires(4, 3),
        *fires(6, 4),
        nn.Dropout(0.2),
        nn.Conv2d(8 * width, classes, kernel_size=1),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


def vgg11(classes: int, width: int) -> nn.Module:
    """Return a network like VGG-11: eight 3x3 convolutions in five stages."""
    return _vgg("A", classes, width, batch_norm=False)


def vgg19(classes: int, width: int) -> nn.Module:
    """Return a network like VGG-19: sixteen 3x3 convolutions in five stages."""
    return _vgg("E", classes, width, batch_norm=False)


def vgg19_bn(classes: int, width: int) -> nn.Module:
    """Return a network like VGG-19 with batch normalisation after every convolution."""
    return _vgg("E", classes, width, batch_norm=True)


FAMILIES = MappingProxyType[str, tuple[Callable[[int, int], nn.Module], int]](
    {
        "alexnet": (alexnet, 16),
        "squeezenet": (squeezenet, 16),
        "vgg11": (vgg11, 16),
        "vgg19": (vgg19, 16),
        "vgg19_bn": (vgg19_bn, 16),
        "resnet18": (shortcuts.resnet18, 16),
        "resnet34": (shortcuts.resnet34, 16),
        "resnet50": (shortcuts.resnet50, 16),
        "resnet152": (shortcuts.resnet152, 16),
        "resnet152_se": (partial(shortcuts.resnet152, se=True), 16),
        "resnext50_32x4d": (shortcuts.resnext50, 16),
        "resnext101_32x4d": (shortcuts.resnext101, 16),
        "resnext101_32x4d_se": (partial(shortcuts.resnext101, se=True), 16),
        "resnext101_64x4d": (partial(shortcuts.resnext101, groups=8), 16),
        "densenet121": (shortcuts.densenet121, 16),
        "dpn68": (shortcuts.dpn68, 16),
        "dpn98": (shortcuts.dpn98, 16),
    }
)


class Bypass(nn.Module):
    """A fire module with its input added to its output."""

    def __init__(self, fire: Fire) -> None:
        super().__init__()
        self.fire = fire

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the features plus the output of the fire module."""
        added: torch.Tensor = features + self.fire(features)
        return added


def _vgg(layout: str, classes: int, width: int, *, batch_norm: bool) -> nn.Module:
    scaled = [layer if layer == "M" else int(layer) * width // 64 for layer in vgg_layouts[layout]]
    layers = make_layers(scaled, batch_norm=batch_norm)
    layers[0] = nn.Conv2d(3, width, kernel_size=3, stride=2, padding=1)
    for layer in layers:
        if isinstance(layer, nn.MaxPool2d):
            layer.ceil_mode = True  # five halvings leave something of 32 pixels, too
    return nn.Sequential(
        layers,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        *_dropout_head(8 * width, 16 * width, classes),
    )


def _conv(inputs: int, outputs: int, kernel: int, stride: int = 1) -> tuple[nn.Module, nn.Module]:
    return (
        nn.Conv2d(inputs, outputs, kernel, stride=stride, padding=kernel // 2),
        nn.ReLU(inplace=True),
    )


def _dropout_head(inputs: int, hidden: int, classes: int) -> tuple[nn.Module, ...]:
    return (
        nn.Linear(inputs, hidden),
        nn.ReLU(inplace=True),
        nn.Dropout(0.2),
        nn.Linear(hidden, classes),
    )


def _initialise(network: nn.Module) -> None:
    """Scale every weight to its fan (Kaiming): sixteen plain layers do not learn without it.

    The last layer starts near zero, so that all classes are equally likely at first, and what is
    added to a bypass starts small, so that features do not double at each. Bottlenecks and the
    residual part of dual paths start as the identity, which halves the epochs that fifty layers
    need; squeeze-and-excitation starts by letting all channels through.
    """
    layers = [part for part in network.modules() if isinstance(part, nn.Conv2d | nn.Linear)]
    for layer in layers:
        nn.init.kaiming_normal_(layer.weight, mode="fan_in", nonlinearity="relu")
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)
    nn.init.normal_(layers[-1].weight, std=0.01)
    for part in network.modules():
        if isinstance(part, Bottleneck):
            # With squeeze-and-excitation, more than the last normalisation bears that name.
            for last in (own for own in part.bn3.modules() if isinstance(own, nn.BatchNorm2d)):
                nn.init.zeros_(last.weight)
        if isinstance(part, shortcuts.DualPath):
            nn.init.zeros_(part.body[-1].get_parameter("weight")[: part.kept])
        if isinstance(part, SqueezeExcitation):
            nn.init.zeros_(part.fc2.weight)
            nn.init.constant_(part.fc2.bias, OPEN)
        if isinstance(part, Bypass):
            for expand in (part.fire.expand1x1, part.fire.expand3x3):
                expand.weight.data *= 0.1


def _begin_shallow(network: nn.Module) -> None:
    """Let convolutions that keep their width begin near the identity.

    VGG's authors began the deep networks with the layers of a trained shallow one, for they did
    not learn otherwise; beginning as one's own shallow version is the same thought in one step.
    """
    for module in network.modules():
        if isinstance(module, nn.Conv2d) and module.in_channels == module.out_channels:
            identity = nn.init.dirac_(torch.empty_like(module.weight))
            with torch.no_grad():
                module.weight.mul_(0.3).add_(identity)
