"""Weather: snow, frost, fog and brightness [inc, sec. 3.2]."""

import torch
from jaxtyping import Float32, Int64

from robust_lib.corruptions import draws, hsv, motion, plasma, zoom
from robust_lib.corruptions.frost_textures import Textures, fitted, textures
from robust_lib.corruptions.levels import Images, exact_fractions, exact_levels, from_exact, scale

# Mean and spread of the noise, its enlargement, threshold, motion radius and sigma, picture share.
SNOW = (
    (0.1, 0.3, 3.0, 0.5, 10, 4, 0.8),
    (0.2, 0.3, 2.0, 0.5, 12, 4, 0.7),
    (0.55, 0.3, 4.0, 0.9, 12, 8, 0.7),
    (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)
FROST = ((1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75))  # weights: image, frost
FROST_DRAWN = 5  # of six: the benchmark's upper bound is excluded, so the last is never drawn
FOG = ((1.5, 2.0), (2.0, 2.0), (2.5, 1.7), (2.5, 1.5), (3.0, 1.4))  # strength, decay
BRIGHTNESS = (0.1, 0.2, 0.3, 0.4, 0.5)

Angles = Float32[torch.Tensor, " n"]
Whole = Int64[torch.Tensor, " n"]
Layer = Float32[torch.Tensor, "n tall wide"]


def draw_snow(stream: draws.Stream, images: Images, severity: int) -> tuple[Layer, Angles]:
    """Draw normal noise, for the part of the layer that enlargement shows, and a direction."""
    tall, wide = (zoom.middle(size, SNOW[severity - 1][2])[1] for size in images.shape[-2:])
    angles = draws.uniform(stream, "angle").mul_(90).sub_(135)
    return draws.normal(stream, "layer", tall, wide), angles


def snow(images: Images, severity: int, normals: Layer, angles: Angles) -> Images:
    """Whiten the image and add falling flakes, once upright and once rotated by 180 degrees."""
    _, _, _, _, radius, sigma, share = SNOW[severity - 1]
    factor = scale(*images.shape[-2:])
    flakes = snow_flakes(normals, severity, *images.shape[-2:])
    # The layer passes through 8-bit pictures on both sides of the motion blur.
    streaks = motion.blur(flakes[:, None], angles, radius * factor, sigma * factor)
    layer = streaks.round_().div_(255)
    weights = torch.tensor((0.299, 0.587, 0.114), device=images.device)
    grey = (images * weights[:, None, None]).sum(1, keepdim=True)
    white = torch.maximum(images, grey * 1.5 + 0.5)
    whitened = (images * share).add_(white, alpha=1 - share)
    return whitened.add_(layer).add_(layer.flip((-2, -1))).clamp_(0, 1)


def snow_flakes(
    normals: Layer, severity: int, height: int, width: int
) -> Float32[torch.Tensor, "n {height} {width}"]:
    """Return the flakes before they are blurred by motion, as whole 8-bit levels."""
    mean, spread, factor, threshold, _, _, _ = SNOW[severity - 1]
    # In doubles: a flake that crosses the threshold by a rounding error is a visible difference.
    noise = normals.double().mul_(spread).add_(mean)
    layer = zoom.enlarge(noise[:, None], factor, height, width)[:, 0]
    return layer.masked_fill(layer < threshold, 0).clamp_(0, 1).mul_(255).floor_().float()


def draw_frost(
    stream: draws.Stream, images: Images, severity: int, look: Textures | None = None
) -> tuple[Whole, Whole, Whole]:
    """Draw the texture, and the top row and left column of the cut-out."""
    height, width = images.shape[-2:]
    look = textures() if look is None else look
    index = draws.integers(stream, "texture", 0, FROST_DRAWN)
    sizes = torch.tensor(
        [fitted(look, i, height, width, images.device).shape[1:] for i in range(FROST_DRAWN)],
        device=images.device,
    )
    free = sizes[index] - torch.tensor([height, width], device=images.device)
    corner = draws.uniform(stream, "corner", 2).mul_(free).long()
    return index, corner[:, 0], corner[:, 1]


def frost(
    images: Images,
    severity: int,
    index: Whole,
    top: Whole,
    left: Whole,
    look: Textures | None = None,
) -> Images:
    """Overlay the image with a texture of ice crystals."""
    height, width = images.shape[-2:]
    look = textures() if look is None else look
    own, other = FROST[severity - 1]
    cuts = [
        fitted(look, i, height, width, images.device)[:, y : y + height, x : x + width]
        for i, y, x in zip(index.tolist(), top.tolist(), left.tolist(), strict=True)
    ]
    ice = torch.stack(cuts).double().mul_(other)
    return from_exact(exact_levels(images).mul_(own).add_(ice))


def draw_fog(stream: draws.Stream, images: Images, severity: int) -> tuple[plasma.Map]:
    """Draw the random offsets of the height map, uniform in [-1, 1)."""
    side = plasma.side(*images.shape[-2:])
    return (draws.uniform(stream, "wobbles", side, side).mul_(2).sub_(1),)


def fog(images: Images, severity: int, wobbles: plasma.Map) -> Images:
    """Add drifting fog, and darken so that the maximum possible value does not change."""
    strength, decay = FOG[severity - 1]
    height, width = images.shape[-2:]
    mist = plasma.fractal(wobbles, decay)[:, None, :height, :width]
    brightest = images.amax((1, 2, 3), keepdim=True)
    shown = brightest / (brightest + strength)
    return torch.add(images, mist, alpha=strength).mul_(shown).clamp_(0, 1)


def brightness(images: Images, severity: int) -> Images:
    """Raise the value of each colour; hue and saturation do not change."""
    hue, saturation, value = hsv.from_rgb(exact_fractions(images))
    value = value.add_(BRIGHTNESS[severity - 1]).clamp_(0, 1)
    return from_exact(hsv.to_rgb(hue, saturation, value).clamp_(0, 1).mul_(255))
