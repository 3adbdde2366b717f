"""Columns named after corruptions, under the families in which the papers print them."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from robust_lib.vocabulary import BLUR, DIGITAL, NOISE, WEATHER

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"Noise": NOISE, "Blur": BLUR, "Weather": WEATHER, "Digital": DIGITAL}
)

# As Table 1 of [inc] has them: what the heading above says is not said again.
_SHORT = {
    "gaussian_noise": "Gauss.",
    "brightness": "Bright",
    "elastic_transform": "Elastic",
    "pixelate": "Pixel",
    "jpeg_compression": "JPEG",
}


def grouped(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns of the fifteen common corruptions have short, grouped names.

    A column may be named by the corruption (`gaussian_noise`) or as figures do ("Gaussian noise").

    >>> list(grouped(pd.DataFrame(columns=["Network", "Gaussian noise", "fog", "Spatter"])))
    ['Network', 'Noise|Gauss.', 'Weather|Fog', 'Spatter']
    """
    names = {
        spelling: f"{family}|{short(name, family)}"
        for family, members in FAMILIES.items()
        for name in members
        for spelling in (name, _label(name), short(name, family))
    }
    return frame.rename(columns=names)


def short(name: str, family: str) -> str:
    """Return the name of a corruption below the name of its family.

    >>> short("motion_blur", "Blur"), short("jpeg_compression", "Digital")
    ('Motion', 'JPEG')
    """
    return _SHORT.get(name) or _label(name).removesuffix(f" {family.lower()}")


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()
