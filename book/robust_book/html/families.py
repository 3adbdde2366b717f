"""Columns named after corruptions, grouped under the papers' families."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from robust_lib.vocabulary import CATEGORIES, COMMON, corruption_heading, corruption_label

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        family.capitalize(): names
        for family, names in CATEGORIES.items()
        if set(names) <= set(COMMON)
    }
)
"""Title of a family -> its corruptions, of the fifteen common ones."""


def grouped(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns of the fifteen common corruptions have short, grouped names.

    A column may be named by the corruption (`gaussian_noise`) or as figures do ("Gaussian noise").

    >>> list(grouped(pd.DataFrame(columns=["Network", "Gaussian noise", "fog", "Spatter"])))
    ['Network', 'Noise|Gauss.', 'Weather|Fog', 'Spatter']
    """
    names = {
        spelling: f"{family}|{corruption_heading(name)}"
        for family, members in FAMILIES.items()
        for name in members
        for spelling in (name, corruption_label(name), corruption_heading(name))
    }
    return frame.rename(columns=names)
