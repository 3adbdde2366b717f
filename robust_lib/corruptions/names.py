"""The names of the corruptions, their severities and their families; free of heavy imports."""

from types import MappingProxyType

NOISE = ("gaussian_noise", "shot_noise", "impulse_noise")
BLUR = ("defocus_blur", "glass_blur", "motion_blur", "zoom_blur")
WEATHER = ("snow", "frost", "fog", "brightness")
DIGITAL = ("contrast", "elastic_transform", "pixelate", "jpeg_compression")

COMMON = NOISE + BLUR + WEATHER + DIGITAL
"""The 15 that enter the mean corruption error [inc, sec. 3.2]."""

EXTRA = ("speckle_noise", "gaussian_blur", "spatter", "saturate")
"""Four more for validation; they never enter the mean corruption error."""

OCCLUSION = ("border", "obstruction")
"""The two occlusions of the overlap study [overlap, sec. 4]."""

NAMES = COMMON + EXTRA + OCCLUSION

SEVERITIES = (1, 2, 3, 4, 5)

CATEGORIES = MappingProxyType(
    {
        "noise": NOISE,
        "blur": BLUR,
        "weather": WEATHER,
        "digital": DIGITAL,
        "extra": EXTRA,
        "occlusion": OCCLUSION,
    }
)
"""Family -> names; the first five are also the archives of the published data set."""
