"""Areas of one colour, where the last bit of the benchmark's arithmetic decides the stored level.

The benchmark filters and then truncates. In an area of one level, the filtered value equals this
level except for its last bit, and that bit decides between the level and the one below. Our last
bits differ, so the result for each of the 256 levels is computed beforehand, in the benchmark's
order of operations, and used wherever a filtered value is a whole level.
"""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float32, Float64, Int64

from robust_lib.corruptions.levels import from_exact

Levels = Float64[torch.Tensor, "256"]

# Levels:
_BELOW = 1e-4  # what falls short of a whole one, below any meaning
_NEAR = 1e-4  # far above float32's error
_WHOLE = 1e-9  # far above a double's error after a filter


def settled(
    levels: Float64[torch.Tensor, "n 3 h w"], becomes: Levels
) -> Float32[torch.Tensor, "n 3 h w"]:
    """Return `levels.from_exact` of filtered levels, with whole levels replaced by their result.

    Only the few values so close to a whole level that float32 may move them across it are checked.

    >>> levels = torch.tensor([7.0, 7.5]).double().expand(1, 3, 1, 2)
    >>> darker = torch.arange(256).double() - 1e-4
    >>> (settled(levels, darker)[0, 0, 0] * 255).int().tolist()
    [6, 7]
    """
    fractions = levels.float().clamp_(0, 255)
    places = _in_doubt(fractions)
    exact = levels.reshape(-1)[places]
    nearest = exact.round().clamp_(0, 255)
    whole = (exact - nearest).abs_() < _WHOLE
    exact = torch.where(whole, becomes.to(levels.device)[nearest.long()], exact)
    fractions.div_(255).view(-1)[places] = from_exact(exact)
    return fractions


def _in_doubt(levels: Float32[torch.Tensor, "..."]) -> Int64[torch.Tensor, " places"]:
    apart = levels.round().sub_(levels).abs_().view(-1)
    if levels.device.type != "cpu":
        return (apart < _NEAR).nonzero().view(-1)
    return torch.from_numpy(np.flatnonzero(apart.numpy() < _NEAR))  # four times as fast


@lru_cache(maxsize=64)
def after_gaussian(sigma: float) -> Levels:
    """Return the result of scikit-image's Gaussian for each level: the level, or slightly less.

    >>> (after_gaussian(1.0) < torch.arange(256)).nonzero().view(-1).tolist()
    [91, 181, 182, 249]
    """
    reach = int(4 * sigma + 0.5)
    # Not `filters.gaussian`: its last bits are others.
    weights = np.exp(-0.5 / (sigma * sigma) * np.arange(-reach, reach + 1) ** 2)
    weights = weights / weights.sum()
    values = np.arange(256) / 255.0
    for _ in range(2):
        total = values * weights[reach]
        for weight in weights[:reach]:
            total = total + (values + values) * weight
        values = total
    return _lowered(values * 255)


def _lowered(levels: np.ndarray) -> Levels:
    """Return whole levels, or a trifle less where truncation gives the level below."""
    whole = np.arange(256.0)
    return torch.from_numpy(np.where(levels < whole, whole - _BELOW, whole))
