"""The contract of detectors, and its check.

A detector takes whole images in [0, 1] and returns boxes in their pixels: if it resizes an image,
it converts its boxes back. Background is not among the predicted classes.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float32
from typing_extensions import Protocol, runtime_checkable

from robust_lib import seeds
from robust_lib.code_digest import foreign
from robust_lib.errors import ModelError
from robust_lib.metrics.boxes import OfImage
from robust_lib.models import contract
from robust_lib.models.contract import Model

Image = Float32[torch.Tensor, "3 _ _"]

TOLERANCE = 1e-3
"""The allowed difference of two predictions: pixels for boxes of a thousand, fractions for scores.
"""


@runtime_checkable
class Detector(Model, Protocol):
    """Anything that maps float32 images (3, h, w) in [0, 1] RGB, of any sizes, to boxes.

    It leaves out boxes with scores below `least_score`, and all but the `most` most confident boxes
    of an image.
    """

    @property
    def least_score(self) -> float:
        """The minimum score of its boxes, a fraction."""
        ...

    @property
    def most(self) -> int:
        """The maximum number of boxes per image."""
        ...

    def __call__(self, images: Sequence[Image]) -> Sequence[OfImage]:
        """Return (boxes, classes, scores) of each image.

        Boxes are (n, 4), xyxy in pixels of the image as it was given; classes count from 0.
        """
        ...


def check_detector(model: Detector) -> None:
    """Raise ModelError if a model violates the contract of `Detector`.

    Four synthetic images of two shapes are passed together, again, and one by one. Every output
    must consist of boxes of the promised form inside the image, in its pixels, and be the same each
    time; the images must stay unchanged; no part of a torch module may be in training mode.
    """
    for problem in _problems(model):
        raise ModelError(problem)


def probe_images() -> list[Image]:
    """Return four synthetic images of two shapes: smooth colours with some noise."""
    rng = seeds.generator("detector", "probe")
    return [_probe(rng, shape) for shape in (*[(96, 128)] * 3, (128, 96))]


def wrong_answer(found: object, outputs: int, shape: tuple[int, int]) -> str | None:
    """Return the fault of an output for one image, as text that follows "got"; None if it has none.

    >>> nothing = (np.zeros((0, 4)), np.zeros(0, int), np.zeros(0))
    >>> wrong_answer(nothing, 3, (64, 64)) is None
    True
    >>> wrong_answer((np.array([[0.0, 0.0, 9.0, 9.0]]), np.array([3]), np.array([0.5])), 3, (9, 9))
    'class 3, which is not one of 0 to 2'
    """
    if not isinstance(found, tuple | list) or len(found) != 3:
        return f"{type(found).__name__} in place of (boxes, classes, scores)"
    if not all(isinstance(part, np.ndarray) for part in found):
        return f"{', '.join(type(part).__name__ for part in found)} in place of NumPy arrays"
    boxes, classes, scores = found
    shapes = (boxes.shape, classes.shape, scores.shape)
    if shapes != ((len(scores), 4), (len(scores),), (len(scores),)):
        return f"boxes {shapes[0]}, classes {shapes[1]} and scores {shapes[2]}"
    if classes.dtype.kind not in "iu":
        return f"classes of {classes.dtype}"
    if not (np.isfinite(boxes).all() and np.isfinite(scores).all()):
        return "NaN or infinity"
    beyond = classes[(classes < 0) | (classes >= outputs)]
    if len(beyond):
        return f"class {beyond[0]}, which is not one of 0 to {outputs - 1}"
    if ((scores < 0) | (scores > 1)).any():
        return f"a score of {scores[(scores < 0) | (scores > 1)][0]:g}, which is not a fraction"
    edge = np.array([*shape[::-1], *shape[::-1]]) + 1.0
    outside = (boxes[:, 2:] < boxes[:, :2]).any(1) | (boxes < -1).any(1) | (boxes > edge).any(1)
    if outside.any():
        listed = ", ".join(f"{corner:g}" for corner in boxes[outside][0])
        return f"the box ({listed}), which is not inside {shape[1]} x {shape[0]} pixels"
    return None


def _probe(rng: np.random.Generator, shape: tuple[int, int]) -> Image:
    coarse = torch.from_numpy(rng.random((1, 3, 4, 4), dtype=np.float32))
    smooth = torch.nn.functional.interpolate(coarse, size=shape, mode="bilinear")[0]
    noise = torch.from_numpy(rng.standard_normal((3, *shape), dtype=np.float32))
    return (smooth + 0.05 * noise).clamp(0, 1)


def _problems(model: Detector) -> Iterator[str]:
    """Yield what is wrong, the most telling first; later checks rely on earlier ones."""
    yield from contract.lacking(
        model,
        "detector",
        ("name", "classes", "outputs", "fingerprint", "least_score", "most", "__call__"),
        "Wrap a torch module in TorchDetector.",
    )
    yield from contract.wrong_classes(
        model, "Background does not count; set `classes` to the label space of its training."
    )
    yield from contract.in_training(model, "where it returns losses")
    images = probe_images()
    before = [image.clone() for image in images]
    with foreign(f"{model.name} to find boxes in four synthetic images"):
        together = model(images)
    yield from _wrong_answers(model, together, images)
    yield from contract.unsteady(
        model.name,
        kept=all(map(torch.equal, images, before)),
        again=lambda: _close(model(images), together),
        alone=lambda: _close([model([image])[0] for image in images], together),
        cure="Do not pad images to a common size, and freeze batch normalisation.",
    )


def _wrong_answers(model: Detector, found: object, images: Sequence[Image]) -> Iterator[str]:
    if not isinstance(found, Sequence) or len(found) != len(images):
        many = len(found) if isinstance(found, Sequence) else type(found).__name__
        yield (
            f"Expected {model.name} to return one prediction per image, {len(images)}, but got "
            f"{many}."
        )
        return
    for one, image in zip(found, images, strict=True):
        height, width = image.shape[1:]
        if (wrong := wrong_answer(one, model.outputs, (height, width))) is not None:
            yield (
                f"Expected {model.name} to return boxes (n, 4), classes (n,) and scores (n,) of an "
                f"image, but got {wrong}. Boxes are xyxy pixels of the given image."
            )
        elif len(one[2]) > model.most or (one[2] < model.least_score).any():
            yield (
                f"Expected {model.name} to return at most {model.most} boxes of an image, with "
                f"scores of {model.least_score:g} or more, but got {len(one[2])}, the lowest score "
                f"being {one[2].min():g}."
            )
    every = np.concatenate([one[0] for one in found]) if len(found) else np.zeros((0, 4))
    if len(every) and (every <= 1).all():
        yield (
            f"Expected {model.name} to return boxes in pixels, but all of its {len(every)} are in "
            "[0, 1]: they look like fractions of the image. Multiply them by its sides."
        )


def _close(one: Sequence[OfImage], other: Sequence[OfImage]) -> bool:
    """Return whether answers agree; boxes of nearly equal scores may change places."""
    return all(
        a.shape == b.shape and np.allclose(_sorted(a), _sorted(b), rtol=TOLERANCE, atol=TOLERANCE)
        for mine, its in zip(one, other, strict=True)
        for a, b in zip(mine, its, strict=True)
    )


def _sorted(numbers: np.ndarray) -> np.ndarray:
    return np.sort(numbers, axis=0)
