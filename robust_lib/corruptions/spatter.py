"""Spatter: drops of rain or mud on the lens (one of the four extra corruptions).

The drops are OpenCV's work (edges, distances, histogram equalisation), on the host, on whatever
device the pictures are; for a GPU, by several threads.
"""

from functools import partial

import cv2
import numpy as np
import torch
from jaxtyping import Float32, Float64

from robust_lib import devices
from robust_lib.corruptions import draws, filters
from robust_lib.corruptions.levels import Images, scale

# Mean and spread of the noise, its smoothing sigma, threshold, strength (rain) or sigma (mud).
SPATTER = (
    (0.65, 0.3, 4.0, 0.69, 0.6),
    (0.65, 0.3, 3.0, 0.68, 0.6),
    (0.65, 0.3, 2.0, 0.68, 0.5),
    (0.65, 0.3, 1.0, 0.65, 1.5),
    (0.67, 0.4, 1.0, 0.65, 1.5),
)
FIRST_MUD = 4  # severities 1 to 3 are rain, 4 and 5 mud
RAIN = (175 / 255, 238 / 255, 238 / 255)
MUD = (63 / 255, 42 / 255, 20 / 255)
EMBOSS = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
FARTHEST = 20  # pixels from an edge at which a drop's relief ends


Layer = Float32[torch.Tensor, "n tall wide"]
Mask = Float32[np.ndarray, "_ _"]


def draw(stream: draws.Stream, images: Images, severity: int) -> tuple[Layer]:
    """Draw one normal number for each pixel of the picture at the benchmark's scale."""
    factor = scale(*images.shape[-2:])
    tall, wide = (round(side / factor) for side in images.shape[-2:])
    return (draws.normal(stream, "layer", tall, wide),)


def spatter(images: Images, severity: int, normals: Layer) -> Images:
    """Put transparent drops (rain) or opaque ones (mud) on the picture.

    The mask is made at the scale of 224 px pictures and then resized to the picture's own: drops
    of mud are a few pixels large there and could not be drawn on a coarser grid.
    """
    height, width = images.shape[-2:]
    colour = MUD if severity >= FIRST_MUD else RAIN
    covered = partial(_mask, severity=severity, height=height, width=width)
    masks = devices.on_host(covered, normals.cpu(), images.device)
    mask = torch.from_numpy(np.stack(masks)).to(images.device)[:, None]
    shade = mask * torch.tensor(colour, device=images.device)[:, None, None]
    under = images * (1 - mask) if severity >= FIRST_MUD else images
    return (under + shade).clamp_(0, 1)


def liquid(normals: Layer, severity: int) -> Float64[np.ndarray, "n tall wide"]:
    """Return where the lens is wet: smooth noise, zero below the threshold.

    In doubles: what follows truncates it to 8 bits and looks for edges in it.
    """
    mean, spread, sigma, threshold, _ = SPATTER[severity - 1]
    noise = normals.cpu().double().mul_(spread).add_(mean)
    layer = filters.smooth(noise[:, None], filters.gaussian(sigma))[:, 0]
    return layer.masked_fill_(layer < threshold, 0).numpy()


def _mask(
    normals: Float32[torch.Tensor, "tall wide"], severity: int, height: int, width: int
) -> Mask:
    """Return how much of the colour each pixel of one picture gets."""
    (layer,) = liquid(normals[None], severity)
    make = _mud if severity >= FIRST_MUD else _rain
    return _resized(make(layer, severity), height, width)


def _rain(layer: Float64[np.ndarray, "tall wide"], severity: int) -> Mask:
    """Return how much of the rain's colour each pixel gets."""
    strength = SPATTER[severity - 1][4]
    wet = (layer * 255).astype(np.uint8)
    away = cv2.distanceTransform(255 - cv2.Canny(wet, 50, 150), cv2.DIST_L2, 5)
    smooth = cv2.blur(np.minimum(away, FARTHEST), (3, 3)).astype(np.uint8)
    relief = cv2.filter2D(cv2.equalizeHist(smooth), cv2.CV_8U, EMBOSS)
    mask = wet * cv2.blur(relief, (3, 3)).astype(np.float32)
    highest = mask.max()
    # A picture without a drop stays dry; the benchmark divides by zero there.
    return mask / highest * np.float32(strength) if highest > 0 else mask


def _mud(layer: Float64[np.ndarray, "tall wide"], severity: int) -> Mask:
    """Return the mud's opacity: blurred drops, cut off below 0.8."""
    sigma = SPATTER[severity - 1][4]
    drops = torch.from_numpy((layer > SPATTER[severity - 1][3]).astype(np.float32))
    soft = filters.smooth(drops[None, None], filters.gaussian(sigma))[0, 0]
    return soft.masked_fill_(soft < 0.8, 0).numpy()


def _resized(mask: Mask, height: int, width: int) -> Mask:
    if mask.shape == (height, width):
        return mask
    way = cv2.INTER_AREA if height < len(mask) else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(mask, (width, height), interpolation=way), np.float32)
