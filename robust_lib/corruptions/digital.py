"""Digital corruptions: contrast and saturation [inc, sec. 3.2].

The elastic transform, pixelation and JPEG compression have files of their own.
"""

from robust_lib.corruptions import hsv
from robust_lib.corruptions.levels import Images, exact_fractions, from_exact

CONTRAST = (0.4, 0.3, 0.2, 0.1, 0.05)
SATURATE = ((0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2))  # factor, offset


def contrast(images: Images, severity: int) -> Images:
    """Pull all values towards the mean of their channel."""
    mean = images.mean((2, 3), keepdim=True)
    return (images - mean).mul_(CONTRAST[severity - 1]).add_(mean).clamp_(0, 1)


def saturate(images: Images, severity: int) -> Images:
    """Scale and shift the saturation of each colour; hue and value do not change."""
    factor, offset = SATURATE[severity - 1]
    hue, saturation, value = hsv.from_rgb(exact_fractions(images))
    saturation = saturation.mul_(factor).add_(offset).clamp_(0, 1)
    return from_exact(hsv.to_rgb(hue, saturation, value).clamp_(0, 1).mul_(255))
