"""Images made easier for a network: denoised, or with their contrast equalised.

These are the paper's two attempts at better inputs [inc, sec. 3.4 and 3.5]; it states no settings
for either.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import torch
from jaxtyping import Float

from robust_lib.config.enhancements import Wrapper
from robust_lib.errors import InputError, one_of
from robust_lib.models.contract import Images
from robust_lib.types import Picture

# High-pass filter of the Daubechies wavelet with two vanishing moments: blind to linear shading.
DAUBECHIES = np.array([1 - 3**0.5, -(3 - 3**0.5), 3 + 3**0.5, -(1 + 3**0.5)]) / (4 * 2**0.5)
NORMAL_MEDIAN = 0.6745  # median of |N(0, 1)|
LEAST = 2e-4  # strength below which there is nothing to take away: far less than one grey level


def equalise(picture: Picture, limit: float = 2.0, tiles: int = 8) -> Picture:
    """Return an image whose lightness is equalised tile by tile, with limited contrast."""
    import cv2

    lab = cv2.cvtColor(picture, cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(limit, (tiles, tiles)).apply(lab[..., 0])
    equalised: Picture = cv2.cvtColor(lab, cv2.COLOR_LAB2RGB)
    return equalised


def denoise(picture: Picture, strength: float = 0.8, patch: int = 5, distance: int = 6) -> Picture:
    """Return an image smoothed by non-local means, with a strength that depends on its own noise.

    It is scikit-image's fast version: patches are compared as a whole, and the part of their
    difference that is due to noise is subtracted.
    """
    from skimage.restoration import denoise_nl_means  # slow to import

    sigma = noise_level(picture / 255)
    if strength * sigma < LEAST:
        return picture.copy()
    smoothed = denoise_nl_means(
        picture.astype(np.float32) / 255,
        patch_size=patch,
        patch_distance=distance,
        h=strength * sigma,
        sigma=sigma,
        fast_mode=True,
        channel_axis=-1,
    )
    return np.asarray((255 * smoothed).clip(0, 255).round().astype(np.uint8))


def noise_level(picture: Float[np.ndarray, "height width channels"]) -> float:
    """Return the standard deviation of an image's noise, as estimated by Donoho and Johnstone.

    The finest diagonal wavelet coefficients of a photograph are mostly noise; their median absolute
    value, divided by that of a standard normal variable, is the standard deviation of the noise. It
    is averaged over channels.

    >>> noisy = 0.5 + 0.1 * np.random.default_rng(0).standard_normal((64, 64, 3))
    >>> round(noise_level(noisy), 2)
    0.1
    """
    rows = np.lib.stride_tricks.sliding_window_view(picture, 4, axis=0)[::2] @ DAUBECHIES
    diagonal = np.lib.stride_tricks.sliding_window_view(rows, 4, axis=1)[:, ::2] @ DAUBECHIES
    return float((np.median(np.abs(diagonal), axis=(0, 1)) / NORMAL_MEDIAN).mean())


def changed(images: Images, wrapper: Wrapper) -> Images:
    """Return images as the network behind a wrapper receives them.

    Raises:
        InputError: a wrapper that does not change images, or a setting that it does not have.
    """
    if wrapper.name not in CHANGES:
        raise InputError(one_of("a wrapper that changes pictures", wrapper.name, CHANGES))
    change = CHANGES[wrapper.name]
    try:
        return each(images, lambda picture: change(picture, **wrapper.arguments))
    except TypeError as error:
        raise unknown_setting(wrapper, error) from error


def each(images: Images, change: Callable[[Picture], Picture]) -> Images:
    """Return images after a change is applied to each as an 8-bit image.

    >>> each(torch.zeros(1, 3, 2, 2), lambda picture: 255 - picture)[0, 0].tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    eight = (images * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
    found = np.stack([change(np.ascontiguousarray(picture)) for picture in eight])
    back = torch.from_numpy(found).permute(0, 3, 1, 2).contiguous().float() / 255
    return back.to(images.device)


def unknown_setting(wrapper: Wrapper, error: TypeError) -> InputError:
    """Return the error for a row with a setting that its wrapper does not have.

    >>> print(unknown_setting(Wrapper(name="clahe", arguments={"tile": 4}), TypeError("no tile")))
    Expected settings that clahe has, but got {'tile': 4}: no tile.
    """
    return InputError(
        f"Expected settings that {wrapper.name} has, but got {wrapper.arguments}: {error}."
    )


CHANGES: Mapping[str, Callable[..., Picture]] = MappingProxyType(
    {"clahe": equalise, "nlm_denoise": denoise}
)
"""Those that change pictures, and how."""
