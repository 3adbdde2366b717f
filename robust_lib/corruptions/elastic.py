"""Elastic transform: a random affine warp, then random small displacements [inc, sec. 3.2].

The constants are the benchmark's own, written for 244 px where 224 was meant; its authors kept
them, and so do we. Severities 1 and 2 have long waves, 3 to 5 short ones, so severity 3 is easier
than 2.
"""

from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own convention
from jaxtyping import Float32, Float64

from robust_lib.corruptions import draws, filters
from robust_lib.corruptions.levels import Images, scale
from robust_lib.corruptions.resample import between_pixels

SIDE = 244  # not 224
# Displacement strength, its smoothing sigma and the corners' jitter, as shares of SIDE.
ELASTIC = (
    (2, 0.7, 0.1),
    (2, 0.08, 0.2),
    (0.05, 0.01, 0.02),
    (0.07, 0.01, 0.02),
    (0.12, 0.01, 0.02),
)

Jitter = Float32[torch.Tensor, "n 3 2"]
Fields = Float32[torch.Tensor, "n 2 h w"]

_LONGEST = 65  # taps; beyond it one product with a matrix beats two passes of a filter


def draw(stream: draws.Stream, images: Images, severity: int) -> tuple[Jitter, Fields]:
    """Draw the jitter of three points and two fields of noise, all uniform in [-1, 1)."""
    jitter = draws.uniform(stream, "affine", 3, 2).mul_(2).sub_(1)
    fields = draws.uniform(stream, "fields", 2, *images.shape[-2:]).mul_(2).sub_(1)
    return jitter, fields


def elastic_transform(images: Images, severity: int, jitter: Jitter, fields: Fields) -> Images:
    """Warp the image by an affine map, then by smooth random displacements (x and y)."""
    height, width = images.shape[-2:]
    factor = scale(height, width)
    warped = _warp_affine(images, jitter * (SIDE * ELASTIC[severity - 1][2] * factor))
    moved = displacements(fields, severity)
    columns = torch.arange(width, device=images.device) + moved[:, 0].double()
    rows = torch.arange(height, device=images.device)[:, None] + moved[:, 1].double()
    return between_pixels(warped, columns, rows, "reflect").clamp_(0, 1)


def displacements(fields: Fields, severity: int) -> Fields:
    """Return the offset from which each pixel's value is taken, in pixels (x and y)."""
    factor = scale(*fields.shape[-2:])
    alpha, sigma, _ = (SIDE * share * factor for share in ELASTIC[severity - 1])
    # White noise seen on a coarser grid is weaker: its strength is a length too.
    return _smooth(fields, sigma).mul_(alpha * factor)


def _warp_affine(images: Images, shifts: Jitter) -> Images:
    """Move three points of the image by the shifts; the edges are mirrored."""
    height, width = images.shape[-2:]
    arm = min(height, width) // 3
    x, y = width // 2, height // 2
    corners = [[x + arm, y + arm], [x + arm, y - arm], [x - arm, y - arm]]
    start = torch.tensor(corners, dtype=torch.float64, device=images.device)
    end = F.pad((start + shifts).float().double(), (0, 1), value=1)
    back = torch.linalg.solve(end, start.expand(len(images), 3, 2))
    columns = torch.arange(width, dtype=torch.float64, device=images.device)
    rows = torch.arange(height, dtype=torch.float64, device=images.device)[:, None]
    to_x, to_y = (
        rows * back[:, 1, i, None, None]
        + (columns * back[:, 0, i, None, None] + back[:, 2, i, None, None])
        for i in (0, 1)
    )
    return between_pixels(images, to_x, to_y, "mirror")


def _smooth(fields: Fields, sigma: float) -> Fields:
    taps = filters.gaussian(sigma, truncate=3.0)
    if len(taps) > _LONGEST:
        return smooth_by_matrix(fields, sigma)
    return filters.smooth(fields, taps, "reflect")


def smooth_by_matrix(fields: Fields, sigma: float) -> Fields:
    """Filter rows and columns with a Gaussian of any width, with reflected edges."""
    height, width = fields.shape[-2:]
    # A GPU's single-precision products may be of reduced precision: doubles there.
    kind = torch.float32 if fields.device.type == "cpu" else torch.float64
    down, across = (
        torch.tensor(_smoothing_matrix(size, sigma), dtype=kind, device=fields.device)
        for size in (height, width)
    )
    return (down @ fields.to(kind) @ across.T).float()


@lru_cache(maxsize=16)
def _smoothing_matrix(size: int, sigma: float) -> Float64[np.ndarray, "size size"]:
    """Return the filter as a matrix, what falls beyond the edges folded back as often as needed."""
    taps = filters.gaussian(sigma, truncate=3.0)
    reach = len(taps) // 2
    matrix = np.zeros((size, size))
    target = np.repeat(np.arange(size), len(taps))
    source = (target + np.tile(np.arange(-reach, reach + 1), size)) % (2 * size)
    np.add.at(matrix, (target, np.minimum(source, 2 * size - 1 - source)), np.tile(taps, size))
    return matrix
