"""ResNeXt-101 as ported from Lua: its weights under torchvision's names.

The authors of [nae, sec. 5] took both ResNeXt-101 from Cadene's `pretrainedmodels`, which holds
Facebook's own weights. Lua numbered what torchvision names: a layer is its place in a tree.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

import torch

STEM: Mapping[str, str] = MappingProxyType({"0": "conv1", "1": "bn1"})

# A block is (branches, sum, ReLU); its branches are the convolutions and the shortcut.
BLOCK: Mapping[str, str] = MappingProxyType(
    {
        "0.0.0.0": "conv1",
        "0.0.0.1": "bn1",
        "0.0.0.3": "conv2",
        "0.0.0.4": "bn2",
        "0.0.1": "conv3",
        "0.0.2": "bn3",
        "0.1.0": "downsample.0",
        "0.1.1": "downsample.1",
    }
)
FIRST = 4  # place of the first of four stages, after convolution, normalisation, ReLU and pooling


def is_port(names: Mapping[str, torch.Tensor]) -> bool:
    """Return whether weights are named as those ports name them.

    >>> is_port({"last_linear.weight": torch.ones(1), "features.4.0.0.0.1.weight": torch.ones(1)})
    True
    """
    return "last_linear.weight" in names and any(
        name.startswith(f"features.{FIRST}.0.0.0.") for name in names
    )


def renamed(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the weights of a port by torchvision's and timm's names; others stay as they are."""
    if not is_port(state):
        return dict(state)
    return {torchvision_name(name): tensor for name, tensor in state.items()}


def torchvision_name(name: str) -> str:
    """Return torchvision's name of one tensor; a name that is none of a port's stays as it is.

    >>> torchvision_name("features.6.22.0.0.0.3.weight"), torchvision_name("features.1.bias")
    ('layer3.22.conv2.weight', 'bn1.bias')
    """
    place, _, what = name.rpartition(".")
    if place == "last_linear":
        return f"fc.{what}"
    path = place.removeprefix("features.")
    if path in STEM:
        return f"{STEM[path]}.{what}"
    found = re.fullmatch(r"(\d+)\.(\d+)\.(.+)", path)
    if found is None or found[3] not in BLOCK:
        return name
    return f"layer{int(found[1]) - FIRST + 1}.{found[2]}.{BLOCK[found[3]]}.{what}"
