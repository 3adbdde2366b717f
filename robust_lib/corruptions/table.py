"""The parts of each corruption: a step that draws random numbers, and one that applies them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch

from robust_lib.corruptions import (
    blur,
    digital,
    elastic,
    jpeg,
    noise,
    occlusion,
    pixelate,
    spatter,
    weather,
)
from robust_lib.corruptions.draws import Stream
from robust_lib.corruptions.levels import Images

Draw = Callable[[Stream, Images, int], tuple[torch.Tensor, ...]]


def draw_nothing(stream: Stream, images: Images, severity: int) -> tuple[torch.Tensor, ...]:
    """Draw no numbers, for a deterministic corruption."""
    return ()


@dataclass(frozen=True)
class Corruption:
    """One corruption: apply(images, severity, *draw(stream, images, severity))."""

    apply: Callable[..., Images]
    draw: Draw = draw_nothing

    @property
    def random(self) -> bool:
        """Whether two keys give two different results."""
        return self.draw is not draw_nothing


CORRUPTIONS: Mapping[str, Corruption] = MappingProxyType(
    {
        "gaussian_noise": Corruption(noise.gaussian_noise, noise.draw_normals),
        "shot_noise": Corruption(noise.shot_noise, noise.draw_counts),
        "impulse_noise": Corruption(noise.impulse_noise, noise.draw_chances),
        "defocus_blur": Corruption(blur.defocus_blur),
        "glass_blur": Corruption(blur.glass_blur, blur.draw_glass),
        "motion_blur": Corruption(blur.motion_blur, blur.draw_angle),
        "zoom_blur": Corruption(blur.zoom_blur),
        "snow": Corruption(weather.snow, weather.draw_snow),
        "frost": Corruption(weather.frost, weather.draw_frost),
        "fog": Corruption(weather.fog, weather.draw_fog),
        "brightness": Corruption(weather.brightness),
        "contrast": Corruption(digital.contrast),
        "elastic_transform": Corruption(elastic.elastic_transform, elastic.draw),
        "pixelate": Corruption(pixelate.pixelate),
        "jpeg_compression": Corruption(jpeg.jpeg_compression),
        "speckle_noise": Corruption(noise.speckle_noise, noise.draw_normals),
        "gaussian_blur": Corruption(blur.gaussian_blur),
        "spatter": Corruption(spatter.spatter, spatter.draw),
        "saturate": Corruption(digital.saturate),
        "border": Corruption(occlusion.border, occlusion.draw_border),
        "obstruction": Corruption(occlusion.obstruction, occlusion.draw_obstruction),
    }
)
