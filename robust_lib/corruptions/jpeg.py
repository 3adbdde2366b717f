"""JPEG round trips: the corruption "JPEG compression", and the storage format of the archive.

OpenCV's codec and Pillow's are the same library with the same settings (4:2:0 colour, accurate
transforms), so the pixels are equal; OpenCV's call is faster. On a GPU the same arithmetic
is done without the codec: see jpeg_arithmetic.py.
"""

import cv2
import numpy as np
import torch
from jaxtyping import UInt8

from robust_lib.corruptions import jpeg_arithmetic
from robust_lib.corruptions.levels import Images, to_levels, truncate

Pictures = UInt8[torch.Tensor, "n 3 h w"]

QUALITY = (25, 18, 15, 10, 7)
ARCHIVE_QUALITY = 85


def jpeg_compression(images: Images, severity: int) -> Images:
    """Compress as JPEG and decode again."""
    return round_trip(to_levels(images), QUALITY[severity - 1]).float().div_(255)


def as_stored(images: Images) -> Images:
    """Return corrupted images as stored in the published archive: truncated, JPEG quality 85."""
    return round_trip(truncate(images), ARCHIVE_QUALITY).float().div_(255)


def round_trip(pictures: Pictures, quality: int) -> Pictures:
    """Return images after saving them as JPEG and reading them back."""
    if pictures.device.type == "cuda":
        return jpeg_arithmetic.round_trip(pictures, quality)
    settings = [
        *(cv2.IMWRITE_JPEG_QUALITY, quality),
        *(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420),
    ]
    result = torch.empty(pictures.shape, dtype=torch.uint8)
    for planes, out in zip(pictures.cpu().numpy(), result.numpy(), strict=True):
        # OpenCV's pictures are blue first, colours last; merge and split do both at once.
        _, file = cv2.imencode(".jpg", cv2.merge(list(planes[::-1])), settings)
        picture = np.asarray(cv2.imdecode(file, cv2.IMREAD_COLOR))
        cv2.split(picture, list(out[::-1]))
    return result.to(pictures.device)
