"""Integrated gradients: the contribution of every pixel to a network's outputs.

Along the straight path from a baseline, such as black, to the image, gradients are averaged and
multiplied by the difference of the two. The contributions of all pixels then add up to the
difference between the two outputs: the method is complete, and the error of the sum shows how
accurately the path was integrated [Sundararajan, Taly, Yan: Axiomatic attribution, 2017; nao, sec.
4.5].
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32

from robust_lib import devices
from robust_lib.errors import InputError

Image = Float32[torch.Tensor, "3 height width"]
Asked = Callable[[torch.Tensor], torch.Tensor]
"""Maps images (n, 3, h, w) to the numbers that are attributed, (n, outputs)."""

Heat = Float[np.ndarray, "height width"]
Mask = Bool[np.ndarray, "height width"]

STEPS = 16
BATCH = 16


@dataclass(frozen=True, eq=False)
class Attribution:
    """The contribution of every pixel to some outputs of a network.

    Attributes:
        values: (outputs, 3, height, width), the contribution of each colour channel of each pixel.
        change: (outputs,), the output for the image minus that for the baseline.
    """

    values: Float32[np.ndarray, "outputs 3 height width"]
    change: Float32[np.ndarray, " outputs"]
    steps: int

    @property
    def heat(self) -> Float32[np.ndarray, "outputs height width"]:
        """Return each pixel's contribution, summed over the colour channels."""
        summed: np.ndarray = self.values.sum(1)
        return summed

    @property
    def error(self) -> Float32[np.ndarray, " outputs"]:
        """Return the relative error of the contributions' sum as an estimate of the change."""
        missed: np.ndarray = np.abs(self.values.sum((1, 2, 3)) - self.change)
        least = np.float32(np.finfo(np.float32).tiny)
        return np.asarray(missed / np.maximum(np.abs(self.change), least), np.float32)


def integrated_gradients(
    asked: Asked,
    image: Image,
    *,
    baseline: float | torch.Tensor = 0.0,
    steps: int = STEPS,
    batch: int = BATCH,
) -> Attribution:
    """Return the contribution of every pixel of an image to the chosen outputs.

    The path is sampled at Gauss-Legendre nodes: if the output changes smoothly, a few steps are as
    good as hundreds of equal ones.

    Args:
        asked: function from images (n, 3, h, w) to outputs (n, outputs); differentiable, and
            independent of the other images.
        image: (3, h, w) in [0, 1].
        baseline: start of the path: a grey level, 0 for black, or an image.
        batch: number of images on the path per batch; fewer if memory is too small.

    Raises:
        InputError: no steps, no batch, or a baseline of a different shape.
        ModelError: not even a single image fits into memory.
    """
    if min(steps, batch) < 1:
        raise InputError(f"Expected steps and batch of at least 1, but got {steps} and {batch}.")
    begin = torch.full_like(image, baseline) if isinstance(baseline, int | float) else baseline
    if begin.shape != image.shape:
        raise InputError(
            f"Expected a baseline of the image's shape {tuple(image.shape)}, but got "
            f"{tuple(begin.shape)}."
        )
    nodes, weights = np.polynomial.legendre.leggauss(steps)
    along = torch.as_tensor((nodes + 1) / 2).to(image)
    weigh = torch.as_tensor(weights / 2).to(image)
    fits: dict[str, int] = {}

    def gradients(part: torch.Tensor) -> torch.Tensor:
        pictures = begin + along[part, None, None, None] * (image - begin)
        return _weighted(asked, pictures, weigh[part])

    total = sum(
        one
        for first in range(0, steps, batch)
        for one in devices.in_parts(
            gradients, torch.arange(steps)[first : first + batch], fits, "an image's path"
        )
    )
    with torch.no_grad():
        ends = asked(torch.stack([begin, image]))
    return Attribution(
        (total * (image - begin)).cpu().numpy(), (ends[1] - ends[0]).cpu().numpy(), steps
    )


def within(
    asked: Asked,
    image: Image,
    *,
    tolerance: float = 0.05,
    steps: int = STEPS,
    most: int = 8 * STEPS,
    baseline: float | torch.Tensor = 0.0,
    batch: int = BATCH,
) -> Attribution:
    """Return integrated gradients with a bounded error, or those of the maximum number of steps.

    Steps are doubled until the sum differs from the change by at most the tolerance. Networks with
    rectified units have kinks at many points, so some images need more steps than others.

    Args:
        image: (3, h, w) in [0, 1].
        tolerance: maximum error of every output, a fraction.
        steps: initial number of steps.
        most: maximum number of steps.
    """
    while True:
        found = integrated_gradients(asked, image, baseline=baseline, steps=steps, batch=batch)
        if (found.error <= tolerance).all() or 2 * steps > most:
            return found
        steps *= 2


def share_inside(heat: Heat, box: Mask, others: Mask, *, signed: bool = False) -> float:
    """Return the share of an attribution that is in a box; NaN if the attribution is zero.

    Pixels in the boxes of other objects of the class count neither as inside nor as outside
    [nao, sec. 4.5].

    Args:
        box: which pixels are in the object's box.
        others: which pixels are in other objects' boxes.
        signed: whether negative contributions are subtracted; the share may then be outside [0, 1].
            Otherwise, absolute values are summed.

    >>> heat = np.array([[2.0, -1.0], [1.0, 4.0]])
    >>> left, corner = np.array([[True, False]] * 2), np.array([[False, False], [False, True]])
    >>> share_inside(heat, left, corner), share_inside(heat, left, corner, signed=True)
    (0.75, 1.5)
    """
    counted = np.where(others, 0.0, heat if signed else np.abs(heat))
    total = float(counted.sum())
    return float(counted[box].sum()) / total if total else float("nan")


def pixels_of(box: Float[np.ndarray, "4"], height: int, width: int) -> Mask:
    """Return which pixels of an image have their centre in a box, xyxy."""
    y, x = np.mgrid[:height, :width] + 0.5
    left, top, right, bottom = box
    return np.asarray((x >= left) & (x <= right) & (y >= top) & (y <= bottom), bool)


def elsewhere(
    box: Float[np.ndarray, "4"], height: int, width: int, rng: np.random.Generator
) -> Float[np.ndarray, "4"]:
    """Return a box of the same size at a random position in the image."""
    sides = np.minimum(box[2:] - box[:2], (width, height))
    corner = rng.random(2) * (np.array([width, height]) - sides)
    return np.concatenate([corner, corner + sides])


def _weighted(asked: Asked, pictures: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return (outputs, 3, h, w): each output's gradients, weighted and summed over the images.

    Images are answered once for all outputs.
    """
    pictures = pictures.detach().requires_grad_()
    with torch.enable_grad():
        answers = asked(pictures)
    summed = []
    for place in range(answers.shape[1]):
        is_last = place + 1 == answers.shape[1]
        (gradient,) = torch.autograd.grad(
            answers[:, place].sum(), pictures, retain_graph=not is_last
        )
        summed.append(torch.tensordot(weights, gradient, dims=1))
    return torch.stack(summed)
