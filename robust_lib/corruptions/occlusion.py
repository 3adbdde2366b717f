"""The two occlusions of the overlap study: a border and a square [overlap, sec. 4].

The paper states one distribution for each and no severities: every severity draws from the same
one. We fix what it leaves open: the value is a grey, ends are included, and the square is
completely inside the image.
"""

import torch
from jaxtyping import Float32

from robust_lib.corruptions import draws
from robust_lib.corruptions.levels import Images, scale

BORDER_THICKNESS = (10, 45)  # pixels at 224
OBSTRUCTION_SIDE = (50, 120)  # pixels at 224

Sizes = Float32[torch.Tensor, " n"]
Greys = Float32[torch.Tensor, " n"]
Corners = Float32[torch.Tensor, "n 2"]


def draw_border(stream: draws.Stream, images: Images, severity: int) -> tuple[Sizes, Greys]:
    """Draw a thickness in pixels and a grey."""
    thickness = _draw_length(stream, "thickness", BORDER_THICKNESS, images)
    return thickness, draws.uniform(stream, "grey")


def border(images: Images, severity: int, thickness: Sizes, greys: Greys) -> Images:
    """Paint the edge pixels in one grey."""
    height, width = images.shape[-2:]
    rows = torch.arange(height, device=images.device)
    columns = torch.arange(width, device=images.device)
    row_depth = torch.minimum(rows, height - 1 - rows)[:, None]
    depth = torch.minimum(row_depth, torch.minimum(columns, width - 1 - columns))
    return _paint(images, depth < thickness[:, None, None], greys)


def draw_obstruction(
    stream: draws.Stream, images: Images, severity: int
) -> tuple[Sizes, Corners, Greys]:
    """Draw a side in pixels, a position (fractions of the free range, x and y) and a grey."""
    side = _draw_length(stream, "side", OBSTRUCTION_SIDE, images)
    return side, draws.uniform(stream, "corner", 2), draws.uniform(stream, "grey")


def obstruction(
    images: Images, severity: int, side: Sizes, corners: Corners, greys: Greys
) -> Images:
    """Paint a square inside the image in one grey."""
    height, width = images.shape[-2:]
    rows = torch.arange(height, device=images.device)[:, None]
    columns = torch.arange(width, device=images.device)
    side = side[:, None, None]
    left = ((width - side + 1) * corners[:, 0, None, None]).floor()
    top = ((height - side + 1) * corners[:, 1, None, None]).floor()
    inside = (columns >= left) & (columns < left + side) & (rows >= top) & (rows < top + side)
    return _paint(images, inside, greys)


def _draw_length(
    stream: draws.Stream, purpose: str, ends: tuple[int, int], images: Images
) -> Sizes:
    low, high = ends
    length = draws.integers(stream, purpose, low, high + 1)
    return (length * scale(*images.shape[-2:])).round().clamp(min=1).float()


def _paint(images: Images, where: torch.Tensor, greys: Greys) -> Images:
    return torch.where(where[:, None], greys[:, None, None, None], images)
