"""Linear filters: OpenCV on the CPU; elsewhere, shifted sums or, for many taps, spectra.

Shifted sums are plain additions and spectra are doubles, so a GPU's reduced-precision matrix and
convolution modes (TF32) cannot enter; on the CPU OpenCV's filters are several times faster than
convolutions.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import cv2
import numpy as np
import torch
from jaxtyping import Float, Float32, Int64
from scipy.fft import next_fast_len

Planes = Float[torch.Tensor, "n c h w"]
Taps = Float[np.ndarray, " taps"]
Border = Literal["nearest", "mirror", "reflect"]
"""Beyond the edge: nearest = aaa|abc, mirror = cb|abc (OpenCV's default), reflect = ba|abc."""

_OPENCV_BORDER = {
    "nearest": cv2.BORDER_REPLICATE,
    "mirror": cv2.BORDER_REFLECT_101,
    "reflect": cv2.BORDER_REFLECT,
}


_FEW = 15  # taps; with more, sums pass over a GPU's memory more often than spectra do


@lru_cache(maxsize=64)
def gaussian(sigma: float, truncate: float = 4.0) -> Taps:
    """Return the sampled Gaussian that scikit-image uses, truncated at `truncate` sigmas.

    Below 0.7 px (smaller than any constant at 224 px), a sampled Gaussian no longer has the right
    variance and soon has no effect; three taps with the right variance are used instead.
    """
    if sigma < 0.7:
        side = sigma * sigma / 2
        taps = np.array([side, 1 - 2 * side, side])
    else:
        reach = int(truncate * sigma + 0.5)
        taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return _frozen(taps / taps.sum())


@lru_cache(maxsize=64)
def disk(radius: float, alias_sigma: float, factor: float = 1.0) -> Float32[np.ndarray, "k k"]:
    """Return the defocus kernel: a disk of equal weights, slightly smoothed.

    The benchmark smooths on a grid that ends at 8 px (or at the radius, if larger), and mirrors
    it there: for radius 8 and 10 the weights sum to 1.013 and 1.011, and the image gets a little
    brighter. We keep this.

    Args:
        radius: pixels, a whole number.
        alias_sigma: sigma of the smoothing, pixels.
        factor: factor of both for images of sizes other than 224 px. A pixel is then weighted by
            the share that the disk covers, so that severities remain distinct on small images.
    """
    reach, side = (8, 3) if radius <= 8 else (int(radius), 5)
    steps = np.arange(-reach, reach + 1)
    inside = (steps[:, None] ** 2 + steps**2 <= radius**2).astype(np.float32)
    kernel = cv2.GaussianBlur(inside / inside.sum(), (side, side), alias_sigma)
    if factor != 1:
        gain = kernel.sum()
        inside = _coverage(radius * factor) if radius * factor > 0.6 else _dot(radius * factor)
        kernel = cv2.GaussianBlur(inside, (side, side), alias_sigma * factor)
        kernel *= gain / kernel.sum()
    kept = np.flatnonzero(kernel.any(axis=0))
    return _frozen(kernel[kept[0] : kept[-1] + 1, kept[0] : kept[-1] + 1])


def _coverage(radius: float) -> Float32[np.ndarray, "k k"]:
    """Return the share of each pixel inside a disk, with two empty pixels around it."""
    side = 2 * int(np.ceil(radius)) + 5
    fine = (np.arange(16 * side) + 0.5) / 16 - side / 2
    covered = fine[:, None] ** 2 + fine**2 <= radius**2
    return np.asarray(covered.reshape(side, 16, side, 16).mean(axis=(1, 3)), np.float32)


def _dot(radius: float) -> Float32[np.ndarray, "3 3"]:
    """Return the nine pixels with the spread of a disk that is smaller than its pixel."""
    side = radius * radius / 8
    row = np.array([side, 1 - 2 * side, side], np.float32)
    return np.outer(row, row)


def smooth(images: Planes, taps: Taps, border: Border = "nearest") -> Planes:
    """Filter rows and columns with the same taps."""
    if images.device.type != "cpu":
        if len(taps) > _FEW:
            return correlate_by_spectra(images, np.outer(taps, taps), border)
        return smooth_by_shifts(images, taps, border)
    mode = _OPENCV_BORDER[border]
    return _each_plane(
        images, lambda plane, out: cv2.sepFilter2D(plane, -1, taps, taps, out, borderType=mode)
    )


def smooth_by_shifts(images: Planes, taps: Taps, border: Border = "nearest") -> Planes:
    """Filter rows and columns with the same taps, by shifted sums."""
    height, width = images.shape[-2:]
    reach = len(taps) // 2
    tall = pad(images, (reach, reach, 0, 0), border)
    rows = sum_shifted(
        [(tall[:, :, i : i + height], float(weight)) for i, weight in enumerate(taps)]
    )
    wide = pad(rows, (0, 0, reach, reach), border)
    return sum_shifted([(wide[..., i : i + width], float(weight)) for i, weight in enumerate(taps)])


def correlate(images: Planes, kernel: Float32[np.ndarray, "k k"]) -> Planes:
    """Filter each plane with a square kernel, mirrored at the edges."""
    if images.device.type != "cpu":
        return correlate_by_spectra(images, kernel, "mirror")
    return _each_plane(images, lambda plane, out: cv2.filter2D(plane, -1, kernel, out))


def correlate_by_spectra(
    images: Planes, kernel: Float[np.ndarray, "k k"], border: Border
) -> Planes:
    """Filter each plane with a square kernel, as a product of spectra in double precision."""
    height, width = images.shape[-2:]
    reach = len(kernel) // 2
    padded = pad(images, (reach, reach, reach, reach), border).double()
    size = [next_fast_len(side, real=True) for side in padded.shape[-2:]]
    response = torch.fft.rfft2(torch.from_numpy(kernel.astype(np.float64)), size).conj()
    spectra = torch.fft.rfft2(padded, size).mul_(response.resolve_conj().to(images.device))
    # Sums that wrap around lie beyond the picture.
    made: torch.Tensor = torch.fft.irfft2(spectra, size)
    return made[..., :height, :width].to(images.dtype).contiguous()


def sum_shifted(parts: list[tuple[Planes, float]]) -> Planes:
    """Return the weighted sum of equally large views."""
    total = parts[0][0] * parts[0][1]
    for view, weight in parts[1:]:
        total.add_(view, alpha=weight)
    return total


def pad(
    images: Planes, sides: tuple[int, int, int, int], border: Border
) -> Float[torch.Tensor, "n c tall wide"]:
    """Extend planes beyond top, bottom, left and right by any number of pixels."""
    top, bottom, left, right = sides
    height, width = images.shape[-2:]
    if top or bottom:
        rows = torch.tensor(_border_index(height, top, bottom, border), device=images.device)
        images = images.index_select(-2, rows)
    if left or right:
        columns = torch.tensor(_border_index(width, left, right, border), device=images.device)
        images = images.index_select(-1, columns)
    return images


@lru_cache(maxsize=256)
def _border_index(size: int, before: int, after: int, border: Border) -> np.ndarray:
    places = torch.arange(-before, size + after)
    return _frozen(folded(places, size, border).numpy())


def folded(
    places: Int64[torch.Tensor, "..."], size: int, border: Border
) -> Int64[torch.Tensor, "..."]:
    """Return which pixel of a row of the given size is at each position, also beyond its ends."""
    if border == "nearest":
        return places.clamp(0, size - 1)
    # Both reflections repeat: there and back, with or without the edge pixel twice.
    turn = 2 * size - 2 if border == "mirror" else 2 * size
    there = places.remainder(turn)
    back = (turn if border == "mirror" else turn - 1) - there
    return torch.minimum(there, back)


def transposed(plane: Float[torch.Tensor, "rows columns"]) -> Float[torch.Tensor, "columns rows"]:
    """Return a plane with rows and columns exchanged, contiguous in memory."""
    if plane.device.type != "cpu":
        return plane.t().contiguous()
    return torch.from_numpy(cv2.transpose(plane.numpy()))  # several times as fast as torch's


def _each_plane(images: Planes, function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Planes:
    images = images.contiguous()
    result = torch.empty_like(images)
    height, width = images.shape[-2:]
    planes = images.view(-1, height, width).numpy()
    outputs = result.view(-1, height, width).numpy()
    for plane, out in zip(planes, outputs, strict=True):
        function(plane, out)
    return result


def _frozen(array: np.ndarray) -> np.ndarray:
    """Make a cached array read-only: every caller gets the same one."""
    array.setflags(write=False)
    return array
