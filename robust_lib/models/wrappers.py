"""Wrappers: a classifier from a classifier, by other views or other inputs.

They sit between [0, 1] and the model, where corruptions have already happened.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float32

from robust_lib.errors import InputError
from robust_lib.models.contract import Classifier, Images, ModelLogits
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture

Crops = Float32[torch.Tensor, "images 3 side side"]
Views = Float32[torch.Tensor, "10 images 3 side side"]

# High-pass filter of the Daubechies wavelet with two vanishing moments: blind to linear shading.
DAUBECHIES = np.array([1 - 3**0.5, -(3 - 3**0.5), 3 + 3**0.5, -(1 + 3**0.5)]) / (4 * 2**0.5)
CENTRE = 4  # of the ten crops, the one in the middle
NORMAL_MEDIAN = 0.6745  # median of |N(0, 1)|


@dataclass(frozen=True, kw_only=True, eq=False)
class Derived:
    """A classifier that asks another one; `recipe` says in words what it does differently."""

    model: Classifier
    recipe: str
    answer: Callable[[Images], ModelLogits]
    name: str
    classes: str
    outputs: int
    preprocessing: Preprocessing

    @property
    def fingerprint(self) -> str:
        """Digest of the recipe and of the fingerprint of the model that is asked."""
        return hashlib.sha256(f"{self.recipe}\n{self.model.fingerprint}".encode()).hexdigest()

    def __call__(self, images: Images) -> ModelLogits:
        """Return the logits of a batch."""
        return self.answer(images)


def ten_crop(model: Classifier, *, crop: int | None = None, name: str | None = None) -> Derived:
    """Return a model that averages its probabilities over ten crops [inc, app. D].

    The corners and the centre of the resized picture are cropped, and each is mirrored. Its logits
    are the logarithms of the mean probabilities.

    Args:
        model: the model to ask.
        crop: side of a crop in pixels; None takes the model's own.
        name: of the new model; None appends "_tencrop".

    Raises:
        InputError: crops as large as the picture, which would be ten times the same.

    >>> from robust_lib.models.adapter import wrap_callable
    >>> model = wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(9, 8))
    >>> ten_crop(model).name, ten_crop(model).preprocessing.crop
    ('mean_tencrop', 9)
    """
    own = model.preprocessing
    frame, side = own.frame or own.crop, crop or own.crop
    if frame is None or side is None or side >= frame:
        raise InputError(
            f"Expected crops smaller than the picture, but {model.name} sees pictures of {frame} "
            f"pixels and the crops would have {side}. Pass a smaller crop."
        )

    def answer(images: Images) -> ModelLogits:
        probabilities = [model(one_crop(images, side, at)).softmax(1) for at in range(10)]
        # Below float32's smallest number a logarithm would be minus infinity.
        return torch.stack(probabilities).mean(0).clamp_min(1e-38).log()

    return Derived(
        model=model,
        recipe=f"mean probability of ten crops of {side} pixels",
        answer=answer,
        name=name or f"{model.name}_tencrop",
        classes=model.classes,
        outputs=model.outputs,
        preprocessing=Preprocessing(own.resize, frame, own.interpolation),
    )


def ten_crops(images: Images, side: int) -> Views:
    """Return four corners and the centre of each image, then the same five mirrored.

    >>> ten_crops(torch.zeros(2, 3, 64, 64), 56).shape
    torch.Size([10, 2, 3, 56, 56])
    """
    return torch.stack([one_crop(images, side, number) for number in range(10)])


def one_crop(images: Images, side: int, number: int) -> Crops:
    """Return one of the ten crops of each image: 0 to 3 the corners, 4 the centre, 5 to 9 mirrored.

    >>> one_crop(torch.zeros(2, 3, 64, 64), 56, CENTRE).shape
    torch.Size([2, 3, 56, 56])

    Raises:
        InputError: a crop larger than the image.
    """
    height, width = images.shape[2:]
    if not 1 <= side <= min(height, width):
        raise InputError(f"Expected crops of at most {min(height, width)} pixels, but got {side}.")
    bottom, right = height - side, width - side
    # Rounded as torchvision rounds the place of a centre crop.
    places = [(0, 0), (0, right), (bottom, 0), (bottom, right)]
    places.append((round(bottom / 2.0), round(right / 2.0)))
    y, x = places[number % 5]
    crop = images[..., y : y + side, x : x + side]
    return crop if number < 5 else crop.flip(-1)


def clahe(
    model: Classifier, *, limit: float = 2.0, tiles: int = 8, name: str | None = None
) -> Derived:
    """Return a model that sees pictures after adaptive histogram equalisation [inc, sec. 3.5].

    The lightness of the 8-bit picture is equalised, its colour kept. The paper names no settings;
    these are OpenCV's usual ones.

    Args:
        model: the model to ask.
        limit: how far contrast may rise, as a multiple of a flat histogram.
        tiles: tiles a side, each equalised by its own histogram.
        name: of the new model; None appends "_clahe".

    >>> from robust_lib.models.adapter import wrap_callable
    >>> model = wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(9, 8))
    >>> clahe(model).name
    'mean_clahe'
    """
    return _seeing(
        model,
        lambda picture: equalise(picture, limit, tiles),
        f"CLAHE with limit {limit} on {tiles} x {tiles} tiles",
        name or f"{model.name}_clahe",
    )


def nlm_denoise(model: Classifier, *, strength: float = 1.0, name: str | None = None) -> Derived:
    """Return a model that sees pictures denoised by non-local means [inc, sec. 3.4].

    How much is smoothed follows from each picture's own noise, see `noise_level`.

    Args:
        model: the model to ask.
        strength: filter strength as a multiple of the noise level; the paper names none.
        name: of the new model; None appends "_nlm".

    >>> from robust_lib.models.adapter import wrap_callable
    >>> model = wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(9, 8))
    >>> nlm_denoise(model, strength=0.5).recipe
    'non-local means of strength 0.5'
    """
    return _seeing(
        model,
        lambda picture: denoise(picture, strength),
        f"non-local means of strength {strength}",
        name or f"{model.name}_nlm",
    )


def equalise(picture: Picture, limit: float = 2.0, tiles: int = 8) -> Picture:
    """Return a picture with its lightness equalised tile by tile, contrast limited.

    >>> flat = np.linspace(100, 130, 64 * 64).reshape(64, 64, 1).repeat(3, 2).astype(np.uint8)
    >>> bool(equalise(flat).std() > flat.std())
    True
    """
    import cv2

    lab = cv2.cvtColor(picture, cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(limit, (tiles, tiles)).apply(lab[..., 0])
    equalised: Picture = cv2.cvtColor(lab, cv2.COLOR_LAB2RGB)
    return equalised


def denoise(picture: Picture, strength: float = 1.0) -> Picture:
    """Return a picture smoothed by non-local means, as strongly as its own noise asks for.

    >>> noisy = np.random.default_rng(0).integers(96, 160, (32, 32, 3), dtype=np.uint8)
    >>> bool(denoise(noisy).std() < noisy.std())
    True
    """
    import cv2

    h = strength * 255 * noise_level(picture / 255)
    if h < 0.05:  # far below one grey level: OpenCV's weights would be 0 / 0
        return picture.copy()
    smoothed: Picture = cv2.fastNlMeansDenoising(
        picture, h=h, templateWindowSize=7, searchWindowSize=21
    )
    return smoothed


def noise_level(picture: Float[np.ndarray, "height width channels"]) -> float:
    """Return the standard deviation of a picture's noise, as Donoho and Johnstone estimate it.

    The finest diagonal wavelet coefficients of a photograph are mostly noise; their median absolute
    value over that of a normal deviate is the noise's deviation. Averaged over channels.

    >>> noisy = 0.5 + 0.1 * np.random.default_rng(0).standard_normal((64, 64, 3))
    >>> round(noise_level(noisy), 2)
    0.1
    """
    rows = np.lib.stride_tricks.sliding_window_view(picture, 4, axis=0)[::2] @ DAUBECHIES
    diagonal = np.lib.stride_tricks.sliding_window_view(rows, 4, axis=1)[:, ::2] @ DAUBECHIES
    return float((np.median(np.abs(diagonal), axis=(0, 1)) / NORMAL_MEDIAN).mean())


def _seeing(
    model: Classifier, change: Callable[[Picture], Picture], recipe: str, name: str
) -> Derived:
    """Return a model that is shown changed 8-bit pictures."""

    def answer(images: Images) -> ModelLogits:
        eight = (images * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
        changed = np.stack([change(np.ascontiguousarray(picture)) for picture in eight])
        back = torch.from_numpy(changed).permute(0, 3, 1, 2).contiguous().float() / 255
        return model(back.to(images.device))

    return Derived(
        model=model,
        recipe=recipe,
        answer=answer,
        name=name,
        classes=model.classes,
        outputs=model.outputs,
        preprocessing=model.preprocessing,
    )
