"""Adaptive instance normalisation: features get the mean and spread of a style image's features.

The arithmetic is that of Huang and Belongie, Arbitrary Style Transfer in Real-time with Adaptive
Instance Normalization, ICCV 2017, equation 8; the blend is their equation 14.
"""

import torch
from jaxtyping import Float

EPSILON = 1e-5
"""Added to variances, so that a channel without any can be divided by its spread."""

Features = Float[torch.Tensor, "n channels height width"]
Others = Float[torch.Tensor, "n channels rows columns"]  # of another size
Moment = Float[torch.Tensor, "n channels 1 1"]


def adain(content: Features, style: Others, alpha: float) -> Features:
    """Return features whose channels have the style's mean and spread, blended with their own.

    Args:
        style: features of equally many style images, of any size.
        alpha: 0 keeps the features, 1 gives them exactly the style's statistics.

    >>> content, style = torch.tensor([[[[0.0, 2.0]]]]), torch.tensor([[[[10.0, 14.0, 18.0]]]])
    >>> [round(one) for one in adain(content, style, 1.0).flatten().tolist()]
    [11, 17]
    >>> adain(content, style, 0.0).flatten().tolist()
    [0.0, 2.0]
    """
    mean, deviation = moments(content)
    wanted, spread = moments(style)
    restyled = (content - mean) / deviation * spread + wanted
    return alpha * restyled + (1 - alpha) * content


def moments(features: Features) -> tuple[Moment, Moment]:
    """Return mean and standard deviation of each channel; the variance divides by n - 1.

    >>> [round(one.item(), 3) for one in moments(torch.tensor([[[[1.0, 2.0, 3.0]]]]))]
    [2.0, 1.0]
    """
    mean = features.mean((2, 3), keepdim=True)
    variance = features.var((2, 3), keepdim=True, correction=1 if _several(features) else 0)
    return mean, (variance + EPSILON).sqrt()


def _several(features: Features) -> bool:
    return features.shape[2] * features.shape[3] > 1
