"""Digital: contrast, pixelation and saturation [inc, sec. 3.2].

The elastic transform and JPEG compression have files of their own.
"""

import cv2
import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own convention
from PIL import Image

from robust_lib.corruptions import hsv
from robust_lib.corruptions.levels import Images, exact_levels, from_exact, to_levels

CONTRAST = (0.4, 0.3, 0.2, 0.1, 0.05)
PIXELATE = (0.6, 0.5, 0.4, 0.3, 0.25)
SATURATE = ((0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2))  # factor, offset


def contrast(images: Images, severity: int) -> Images:
    """Pull all values toward the mean of their channel."""
    mean = images.mean((2, 3), keepdim=True)
    return (images - mean).mul_(CONTRAST[severity - 1]).add_(mean).clamp_(0, 1)


def pixelate(images: Images, severity: int) -> Images:
    """Shrink and enlarge again, both by box averages, as Pillow does on 8-bit pictures."""
    share = PIXELATE[severity - 1]
    height, width = images.shape[-2:]
    small = (int(width * share), int(height * share))

    blocks = torch.empty(len(images), 3, *small[::-1], dtype=torch.uint8)
    for planes, out in zip(to_levels(images).cpu().numpy(), blocks.numpy(), strict=True):
        # OpenCV moves the colour axis in a tenth of NumPy's time.
        picture = Image.fromarray(cv2.merge(list(planes)))
        cv2.split(np.asarray(picture.resize(small, Image.Resampling.BOX)), list(out))
    # Box enlargement repeats whole pixels, and so does the nearest neighbour.
    shrunk = blocks.to(images.device).float().div_(255)
    return F.interpolate(shrunk, (height, width), mode="nearest-exact")


def saturate(images: Images, severity: int) -> Images:
    """Scale and shift the saturation of each colour, hue and value unchanged."""
    factor, offset = SATURATE[severity - 1]
    hue, saturation, value = hsv.from_rgb(exact_levels(images).div_(255))
    saturation = saturation.mul_(factor).add_(offset).clamp_(0, 1)
    return from_exact(hsv.to_rgb(hue, saturation, value).clamp_(0, 1).mul_(255))
