"""A feature space without training: opponent colours at several scales, exactly invertible.

A band holds the part of an image that is lost if it is halved and enlarged again (a Laplacian
pyramid). The sum of all bands is the image.
"""

import torch
from jaxtyping import Float
from torch.nn.functional import avg_pool2d, interpolate

from robust_lib.style_transfer.adain import adain

LEVELS = 4
_ROOTS = (3**-0.5, 2**-0.5, 6**-0.5)
OPPONENT = torch.tensor(
    [
        [_ROOTS[0], _ROOTS[0], _ROOTS[0]],
        [_ROOTS[1], -_ROOTS[1], 0],
        [_ROOTS[2], _ROOTS[2], -2 * _ROOTS[2]],
    ],
    dtype=torch.float64,
)
"""Light, red against green, and yellow against blue: an orthonormal basis of the colours."""

Band = Float[torch.Tensor, "n 3 _ _"]  # each is of its own size
Colours = Float[torch.Tensor, "n 3 height width"]
Painting = Float[torch.Tensor, "n 3 rows columns"]  # of another size


def restyled(content: Colours, style: Painting, alpha: float) -> Colours:
    """Return images whose bands have the statistics of as many style images, clipped to [0, 1].

    Args:
        content: RGB in [0, 1].
        alpha: 0 keeps the images, 1 gives them exactly the style's statistics.

    >>> grey, red = torch.full((1, 3, 8, 8), 0.5), torch.tensor([0.9, 0.1, 0.1])
    >>> found = restyled(grey, red[None, :, None, None].expand(1, 3, 8, 8), 1.0)
    >>> torch.allclose(found[0, :, 0, 0], red)
    True
    """
    levels = min(_halvings(content), _halvings(style))
    pairs = zip(bands(content, levels), bands(style, levels), strict=True)
    found = together([adain(one, other, alpha) for one, other in pairs])
    return found.clamp(0, 1).to(content.dtype)


def bands(pictures: Colours, levels: int = LEVELS) -> list[Band]:
    """Return the bands of images in opponent colours, the finest first.

    Args:
        pictures: RGB.
        levels: maximum number of halvings.

    >>> [tuple(band.shape[2:]) for band in bands(torch.rand(1, 3, 8, 6))]
    [(8, 6), (4, 3), (2, 1)]
    """
    rest = torch.einsum("ij,njhw->nihw", OPPONENT.to(pictures.device), pictures.double())
    found = []
    for _ in range(min(levels, _halvings(pictures))):
        coarse = avg_pool2d(rest, 2)
        found.append(rest - _enlarged(coarse, rest))
        rest = coarse
    return [*found, rest]


def together(pyramid: list[Band]) -> Band:
    """Return the images with the given bands: the inverse of `bands`.

    >>> pictures = torch.rand(1, 3, 9, 6, dtype=torch.float64)
    >>> torch.allclose(together(bands(pictures)), pictures)
    True
    """
    *finer, rest = pyramid
    for band in reversed(finer):
        rest = band + _enlarged(rest, band)
    return torch.einsum("ji,njhw->nihw", OPPONENT.to(rest.device), rest)


def _halvings(pictures: Band) -> int:
    """Return how often images can be halved, `LEVELS` times at most."""
    return min(LEVELS, min(pictures.shape[2:]).bit_length() - 1)


def _enlarged(coarse: Band, like: Band) -> Band:
    return interpolate(coarse, size=like.shape[2:], mode="bilinear", align_corners=False)
