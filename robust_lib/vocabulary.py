"""The names of the corruptions, their families and their severities, free of any import weight."""

from types import MappingProxyType

NOISE = ("gaussian_noise", "shot_noise", "impulse_noise")
BLUR = ("defocus_blur", "glass_blur", "motion_blur", "zoom_blur")
WEATHER = ("snow", "frost", "fog", "brightness")
DIGITAL = ("contrast", "elastic_transform", "pixelate", "jpeg_compression")

COMMON = NOISE + BLUR + WEATHER + DIGITAL
"""The 15 corruptions that enter the mean corruption error [inc, sec. 3.2]."""

EXTRA = ("speckle_noise", "gaussian_blur", "spatter", "saturate")
"""Four more for validation; they never enter the mean corruption error."""

OCCLUSION = ("border", "obstruction")
"""The two occlusions of the overlap study [overlap, sec. 4]."""

NAMES = COMMON + EXTRA + OCCLUSION

SEVERITIES = (1, 2, 3, 4, 5)


def is_own(name: str) -> bool:
    """Return whether a name is that of a corruption of one's own: <file>.py:<function>.

    >>> is_own("fog"), is_own("rain.py:rain")
    (False, True)
    """
    return ".py:" in name


def is_corruption(name: str) -> bool:
    """Return whether a name can be that of a corruption."""
    return name in NAMES or is_own(name)


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
