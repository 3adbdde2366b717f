"""Digital: contrast, pixelation, compression and saturation [inc, sec. 3.2].

The elastic transform has a file of its own.
"""

from collections.abc import Callable

import cv2
import numpy as np
import torch
from PIL import Image

from robust_lib.corruptions import hsv
from robust_lib.corruptions.levels import Images, exact_levels, from_exact, to_levels
from robust_lib.types import Picture

CONTRAST = (0.4, 0.3, 0.2, 0.1, 0.05)
PIXELATE = (0.6, 0.5, 0.4, 0.3, 0.25)
JPEG_QUALITY = (25, 18, 15, 10, 7)
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

    def blocks(picture: Picture) -> Picture:
        shrunk = Image.fromarray(picture).resize(small, Image.Resampling.BOX)
        # Box enlargement repeats pixels, and that is what NEAREST does at less cost.
        return np.asarray(shrunk.resize((width, height), Image.Resampling.NEAREST))

    return _on_host(images, blocks)


def jpeg_compression(images: Images, severity: int) -> Images:
    """Compress as JPEG and read back."""
    quality = JPEG_QUALITY[severity - 1]
    return _on_host(images, lambda picture: recompressed(picture, quality))


def recompressed(picture: Picture, quality: int) -> Picture:
    """Return the picture after a JPEG round trip, as Pillow would make it but in half the time."""
    settings = [
        *(cv2.IMWRITE_JPEG_QUALITY, quality),
        *(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420),
    ]
    _, file = cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), settings)
    return np.asarray(cv2.imdecode(file, cv2.IMREAD_COLOR_RGB), dtype=np.uint8)


def _on_host(images: Images, function: Callable[[Picture], Picture]) -> Images:
    """Apply a function of one 8-bit picture to each image; host memory on every device."""
    levels = to_levels(images).cpu().numpy()
    result = torch.empty(images.shape, dtype=torch.uint8)
    # OpenCV moves the colour axis in a tenth of NumPy's time.
    for planes, out in zip(levels, result.numpy(), strict=True):
        cv2.split(function(cv2.merge(list(planes))), list(out))
    return result.to(images.device).float().div_(255)


def saturate(images: Images, severity: int) -> Images:
    """Scale and shift the saturation of each colour, hue and value unchanged."""
    factor, offset = SATURATE[severity - 1]
    hue, saturation, value = hsv.from_rgb(exact_levels(images).div_(255))
    saturation = saturation.mul_(factor).add_(offset).clamp_(0, 1)
    return from_exact(hsv.to_rgb(hue, saturation, value).clamp_(0, 1).mul_(255))
