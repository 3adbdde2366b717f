"""The encoder and the decoder of adaptive instance normalisation, as in their public port.

The encoder is the normalised VGG-19 up to relu4_1, which takes RGB in [0, 1]; the decoder mirrors
it. Both are plain sequences, whose weights are named by the positions of their layers.
"""

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import nn

from robust_lib.style_transfer.adain import adain
from robust_lib.style_transfer.bands import Colours, Painting

ENCODER = "vgg_normalised.pth"
DECODER = "decoder.pth"
DOWN = (64, 64, "half", 128, 128, "half", 256, 256, 256, 256, "half", 512)
UP = (256, "twice", 256, 256, 256, 128, "twice", 128, 64, "twice", 64)
LAYERS = 31
"""Of the encoder's file, which goes on to relu5_4."""


def encoder() -> nn.Sequential:
    """Return the encoder with random weights.

    >>> len(encoder()), sorted(encoder().state_dict())[:2]
    (31, ['0.bias', '0.weight'])
    """
    return nn.Sequential(nn.Conv2d(3, 3, 1), *_layers(DOWN, 3))


def decoder() -> nn.Sequential:
    """Return the decoder with random weights.

    >>> len(decoder()), decoder()[28].weight.shape
    (29, torch.Size([3, 64, 3, 3]))
    """
    return nn.Sequential(*_layers(UP, 512), nn.ReflectionPad2d(1), nn.Conv2d(64, 3, 3))


def first_layers(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the part of the whole VGG-19's weights that the encoder uses.

    >>> list(first_layers({"29.bias": torch.zeros(1), "33.bias": torch.zeros(1)}))
    ['29.bias']
    """
    return {
        name: value
        for name, value in state.items()
        if not name.partition(".")[0].isdigit() or int(name.partition(".")[0]) < LAYERS
    }


@torch.no_grad()
def restyled(
    content: Colours, style: Painting, alpha: float, encode: nn.Module, decode: nn.Module
) -> Colours:
    """Return images in the style of equally many style images, clipped to [0, 1].

    Args:
        content: RGB in [0, 1], at least 16 pixels per side.
        alpha: 0 keeps the features, 1 gives them exactly the style's statistics.

    >>> pictures = torch.rand(1, 3, 20, 18)
    >>> restyled(pictures, torch.rand(1, 3, 16, 16), 0.5, encoder(), decoder()).shape
    torch.Size([1, 3, 20, 18])
    """
    painted: torch.Tensor = decode(adain(encode(content), encode(style), alpha))
    height, width = content.shape[2:]
    # Halving rounds up, so that a side that is no multiple of eight comes back longer.
    return painted[:, :, :height, :width].clamp(0, 1)


def _layers(plan: Sequence[int | str], channels: int) -> Iterator[nn.Module]:
    for step in plan:
        if step == "half":
            yield nn.MaxPool2d(2, 2, ceil_mode=True)
        elif step == "twice":
            yield nn.Upsample(scale_factor=2, mode="nearest")
        else:
            yield from (nn.ReflectionPad2d(1), nn.Conv2d(channels, int(step), 3), nn.ReLU())
            channels = int(step)
