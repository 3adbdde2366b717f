"""The package imagecorruptions 1.1.2, made to run on today's libraries.

It imports pkg_resources (gone from setuptools), uses np.float_ (gone from NumPy 2) and passes
multichannel= to scikit-image (gone, too); these three are put back around it, nothing else.
"""

import importlib
import importlib.util
import sys
import types
import warnings
from pathlib import Path

import numpy as np


def load():
    """Return its module of corruption functions: (PIL image, severity) -> levels, not truncated."""
    stand_in = types.ModuleType("pkg_resources")
    stand_in.resource_filename = lambda name, path: str(
        Path(sys.modules[name].__file__).parent / path
    )
    before = sys.modules.get("pkg_resources")
    sys.modules["pkg_resources"] = stand_in
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = importlib.import_module("imagecorruptions.corruptions")
    finally:
        if before is None:
            del sys.modules["pkg_resources"]
        else:
            sys.modules["pkg_resources"] = before
    if "with_multichannel" not in module.gaussian.__name__:
        module.gaussian = with_multichannel(module.gaussian)
    module.np = NumPy1(np)
    return module


def frost_folder():
    """Return where the package keeps the six frost textures; None where it is not installed."""
    spec = importlib.util.find_spec("imagecorruptions")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "frost"


def with_multichannel(gaussian):
    """Let the old argument mean what it meant."""

    def with_multichannel_gaussian(image, *args, multichannel=False, **kwargs):
        return gaussian(image, *args, channel_axis=-1 if multichannel else None, **kwargs)

    return with_multichannel_gaussian


class NumPy1:
    """NumPy, with the one old name that is missed."""

    float_ = np.float64

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)
