"""A deep plain network is initialised with a trained shallow one, as VGG's authors did.

Sixteen plain layers learn slowly from random weights. Here the deep network takes over the
convolutions of a shallow one of its family, stage by stage, and its further convolutions start as
the identity: with rectifiers between them, the deep network at first outputs the same as the
shallow one.
"""

from collections.abc import Iterator

import torch
from torch import nn

_PLAIN = (
    *(nn.Conv2d, nn.Linear, nn.ReLU, nn.Dropout, nn.Flatten),
    *(nn.MaxPool2d, nn.AdaptiveAvgPool2d),
)


def deepened(shallow: nn.Module, deep: nn.Module) -> dict[str, torch.Tensor]:
    """Return weights that let a deep network compute what a shallow one of its family does.

    Args:
        shallow: convolutions in stages that end with a max-pool, each convolution followed by a
            rectifier; then any layers.
        deep: the same, with at least as many convolutions in each stage, all of the stage's width.

    >>> one = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.ReLU())
    >>> two = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.ReLU(), nn.Conv2d(2, 2, 3, padding=1))
    >>> sorted(deepened(one, two))
    ['0.bias', '0.weight', '2.bias', '2.weight']
    """
    own, taken = deep.state_dict(), shallow.state_dict()
    state: dict[str, torch.Tensor] = {}
    for theirs, ours in zip(_stages(shallow), _stages(deep), strict=True):
        for place, name in enumerate(ours):
            if place < len(theirs):
                parts = {part: taken[f"{theirs[place]}.{part}"] for part in ("weight", "bias")}
            else:
                weight = nn.init.dirac_(torch.empty_like(own[f"{name}.weight"]))
                parts = {"weight": weight, "bias": torch.zeros_like(own[f"{name}.bias"])}
            state |= {f"{name}.{part}": value for part, value in parts.items()}
    rest = [name for name in own if name not in state]
    last = list(taken)[len(taken) - len(rest) :]
    return state | {ours: taken[theirs] for ours, theirs in zip(rest, last, strict=True)}


def is_deeper(deep: nn.Module, shallow: nn.Module) -> bool:
    """Return whether two plain networks have the same stages, the first with more convolutions."""
    if not all(map(_is_plain, (deep, shallow))):
        return False
    ours, theirs = list(_stages(deep)), list(_stages(shallow))
    longer = [len(one) - len(other) for one, other in zip(ours, theirs, strict=False)]
    return len(ours) == len(theirs) and min(longer) >= 0 < max(longer)


def _is_plain(network: nn.Module) -> bool:
    """Return whether a network is layer after layer, with nothing that normalises or bypasses."""
    return all(isinstance(part, (nn.Sequential, *_PLAIN)) for part in network.modules())


def _stages(network: nn.Module) -> Iterator[list[str]]:
    """Yield the names of the convolutions before each max-pool, and of those after the last."""
    names: list[str] = []
    for name, module in network.named_modules(remove_duplicate=False):
        if isinstance(module, nn.MaxPool2d):
            yield names
            names = []
        elif isinstance(module, nn.Conv2d):
            names.append(name)
    yield names
