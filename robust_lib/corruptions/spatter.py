"""Spatter: drops of rain or mud on the lens (one of the four extra corruptions).

The drops are computed by OpenCV (edges, distances, histogram equalisation) on the host, whatever
the device of the images; for a GPU, by several threads.
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
    """Draw one normal number for each pixel of the image, at the benchmark's scale."""
    factor = scale(*images.shape[-2:])
    tall, wide = (round(side / factor) for side in images.shape[-2:])
    return (draws.normal(stream, "layer", tall, wide),)


def spatter(images: Images, severity: int, normals: Layer) -> Images:
    """Add transparent drops (rain) or opaque ones (mud) to the image.

    The mask is made at the scale of 224 px images and then resized to the image's own: at that
    scale drops of mud are a few pixels large, and a coarser grid could not show them.
    """
    layers = liquid(normals.to(images.device), severity)
    if severity >= FIRST_MUD:
        colour, masks = MUD, _mud(layers, severity)
    else:
        drops = devices.on_host(partial(_rain, severity=severity), layers.cpu(), images.device)
        colour, masks = RAIN, torch.from_numpy(np.stack(drops))
    mask = _resized(masks, *images.shape[-2:]).to(images.device)[:, None]
    shade = mask * torch.tensor(colour, device=images.device)[:, None, None]
    under = images * (1 - mask) if severity >= FIRST_MUD else images
    return (under + shade).clamp_(0, 1)


def liquid(normals: Layer, severity: int) -> Float64[torch.Tensor, "n tall wide"]:
    """Return where the lens is wet: smooth noise, set to zero below the threshold.

    It is in double precision, since later steps truncate it to 8 bits and detect edges in it.
    """
    mean, spread, sigma, threshold, _ = SPATTER[severity - 1]
    noise = normals.double().mul_(spread).add_(mean)
    layer = filters.smooth(noise[:, None], filters.gaussian(sigma))[:, 0]
    return layer.masked_fill_(layer < threshold, 0)


def _rain(layer: Float64[torch.Tensor, "tall wide"], severity: int) -> Mask:
    """Return how much of the rain's colour each pixel of one image gets."""
    strength = SPATTER[severity - 1][4]
    wet = (layer.numpy() * 255).astype(np.uint8)
    away = cv2.distanceTransform(255 - cv2.Canny(wet, 50, 150), cv2.DIST_L2, 5)
    smooth = cv2.blur(np.minimum(away, FARTHEST), (3, 3)).astype(np.uint8)
    relief = cv2.filter2D(cv2.equalizeHist(smooth), cv2.CV_8U, EMBOSS)
    mask = wet * cv2.blur(relief, (3, 3)).astype(np.float32)
    highest = mask.max()
    # A picture without a drop stays dry; the benchmark divides by zero there.
    return mask / highest * np.float32(strength) if highest > 0 else mask


def _mud(layers: Float64[torch.Tensor, "n tall wide"], severity: int) -> Layer:
    """Return the mud's opacity: blurred drops, cut off below 0.8."""
    _, _, _, threshold, sigma = SPATTER[severity - 1]
    drops = (layers > threshold).float()
    soft = filters.smooth(drops[:, None], filters.gaussian(sigma))[:, 0]
    return soft.masked_fill_(soft < 0.8, 0)


def _resized(masks: Layer, height: int, width: int) -> Float32[torch.Tensor, "n h w"]:
    if masks.shape[1:] == (height, width):
        return masks
    way = cv2.INTER_AREA if height < masks.shape[1] else cv2.INTER_LINEAR
    planes = [cv2.resize(mask, (width, height), interpolation=way) for mask in masks.cpu().numpy()]
    return torch.from_numpy(np.stack(planes))
