"""Wrappers: classifiers that pass several views or enhanced images to an inner classifier.

They take images in [0, 1] that may already be corrupted.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float32

from robust_lib.config.enhancements import Wrapper
from robust_lib.errors import InputError
from robust_lib.models import enhance, own_code
from robust_lib.models.contract import Classifier, Images, ModelLogits, fingerprint_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture

Crops = Float32[torch.Tensor, "images 3 side side"]
Views = Float32[torch.Tensor, "10 images 3 side side"]

CENTRE = 4  # of the ten crops, the one in the middle


@dataclass(frozen=True, kw_only=True, eq=False)
class Derived:
    """A classifier that calls an inner one; `recipe` describes the difference."""

    model: Classifier
    recipe: str
    answer: Callable[[Images], ModelLogits]
    name: str
    classes: str
    outputs: int
    preprocessing: Preprocessing

    @property
    def fingerprint(self) -> str:
        """Digest of the recipe and of the inner model's fingerprint."""
        own = own_code.of_function(self.answer)  # nothing for the library's own wrappers
        said = f"{self.recipe}\n{fingerprint_of(self.model)}{own}"
        return hashlib.sha256(said.encode()).hexdigest()

    def __call__(self, images: Images) -> ModelLogits:
        """Return the logits of a batch."""
        return self.answer(images)


def ten_crop(
    model: Classifier,
    *,
    crop: int | None = None,
    within: int | None = None,
    name: str | None = None,
) -> Derived:
    """Return a model that averages its probabilities over ten crops [inc, app. D].

    The corners and the centre of the resized image are cropped, and each is mirrored. Its logits
    are the logarithms of the mean probabilities.

    Args:
        crop: side of a crop in pixels; None: the model's own.
        within: side of the central square from which crops are taken, in pixels; None: the whole
            resized image. Images that are stored cropped, such as those of ImageNet-C, have no more
            than the model's own crop.
        name: name of the new model; None appends "_tencrop".

    Raises:
        InputError: crops as large as the image, which would all be the same.
    """
    frame, side = _cut(model, crop, within)

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
        preprocessing=_framed(model, frame),
    )


def centre_crop(
    model: Classifier,
    *,
    crop: int | None = None,
    within: int | None = None,
    name: str | None = None,
) -> Derived:
    """Return a model that uses only the central one of the ten crops.

    The gain from ten views is measured relative to this model, since both see the same part of an
    image at once.

    Args:
        crop: see `ten_crop`.
        within: see `ten_crop`.
        name: name of the new model; None appends "_centre".

    Raises:
        InputError: crops as large as the image.
    """
    frame, side = _cut(model, crop, within)
    return Derived(
        model=model,
        recipe=f"central crop of {side} pixels",
        answer=lambda images: model(one_crop(images, side, CENTRE)),
        name=name or f"{model.name}_centre",
        classes=model.classes,
        outputs=model.outputs,
        preprocessing=_framed(model, frame),
    )


def _cut(model: Classifier, crop: int | None, within: int | None) -> tuple[int, int]:
    """Return the sides of the square that is cropped and of a crop, pixels."""
    own = model.preprocessing
    frame, side = within or own.frame or own.crop, crop or own.crop
    if frame is None or side is None or side >= frame:
        raise InputError(
            f"Expected crops smaller than the image, but {model.name} receives images of {frame} "
            f"pixels and the crops would have {side}. Pass a smaller crop."
        )
    return frame, side


def _framed(model: Classifier, frame: int) -> Preprocessing:
    own = model.preprocessing
    return Preprocessing(own.resize, frame, own.interpolation)


def ten_crops(images: Images, side: int) -> Views:
    """Return the four corners and the centre of each image, then the same five crops mirrored."""
    return torch.stack([one_crop(images, side, number) for number in range(10)])


def one_crop(images: Images, side: int, number: int) -> Crops:
    """Return one of the ten crops of each image: 0 to 3 corners, 4 the centre, 5 to 9 mirrored.

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
    """Return a model that applies adaptive histogram equalisation to its input [inc, sec. 3.5].

    The lightness of the 8-bit image is equalised; its colour is kept. The paper states no settings;
    these are OpenCV's usual ones.

    Args:
        limit: limit of the contrast, as a multiple of a flat histogram.
        tiles: number of tiles per side, each equalised with its own histogram.
        name: name of the new model; None appends "_clahe".
    """
    return _seeing(
        model,
        lambda picture: enhance.equalise(picture, limit, tiles),
        f"CLAHE with limit {limit} on {tiles} x {tiles} tiles",
        name or f"{model.name}_clahe",
    )


def nlm_denoise(
    model: Classifier,
    *,
    strength: float = 0.8,
    patch: int = 5,
    distance: int = 6,
    name: str | None = None,
) -> Derived:
    """Return a model that denoises its input by non-local means [inc, sec. 3.4].

    The amount of smoothing depends on each image's own noise; see `enhance.noise_level`. The paper
    states no settings; these are from scikit-image's own example, for larger images.

    Args:
        strength: filter strength as a multiple of the noise level.
        patch: side of the compared patches in pixels.
        distance: maximum distance of compared patches in pixels.
        name: name of the new model; None appends "_nlm".
    """
    return _seeing(
        model,
        lambda picture: enhance.denoise(picture, strength, patch, distance),
        f"non-local means of strength {strength} on patches of {patch} pixels up to {distance} "
        "pixels away",
        name or f"{model.name}_nlm",
    )


def wrapped(model: Classifier, wrapper: Wrapper, name: str) -> Derived:
    """Return a model behind the wrapper that a row of data_manifests/models specifies.

    Raises:
        InputError: a setting that the wrapper does not have.
    """
    try:
        return WRAPPERS[wrapper.name](model, name=name, **wrapper.arguments)
    except TypeError as error:
        raise enhance.unknown_setting(wrapper, error) from error


def _seeing(
    model: Classifier, change: Callable[[Picture], Picture], recipe: str, name: str
) -> Derived:
    """Return a model that is shown changed 8-bit images."""
    return Derived(
        model=model,
        recipe=recipe,
        answer=lambda images: model(enhance.each(images, change)),
        name=name,
        classes=model.classes,
        outputs=model.outputs,
        preprocessing=model.preprocessing,
    )


WRAPPERS: Mapping[str, Callable[..., Derived]] = MappingProxyType(
    {"ten_crop": ten_crop, "centre_crop": centre_crop, "clahe": clahe, "nlm_denoise": nlm_denoise}
)
