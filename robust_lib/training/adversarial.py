"""Attacks inside a small ball, for adversarial training.

A network is trained on images that were made harder for it, with each value changed by at most a
strength eps [nae, sec. 5.1]: by uniform noise, by one step along the sign of the gradient (FGSM),
or by ten smaller ones (PGD). The strength for each image is drawn again in each epoch, between zero
and a maximum, so that the network is trained on all strengths. The paper's formula starts from the
image itself, not from a random point in its ball, and so does PGD here.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Float32, Int64

from robust_lib import seeds
from robust_lib.errors import InputError, one_of
from robust_lib.training.loop import Attack

EPSILON = 8 / 255  # the largest strength
STEPS = 10  # of PGD
ATTACKS = ("uniform_noise", "fgsm", "pgd")

Images = Float32[torch.Tensor, "n 3 height width"]
Strengths = Float[torch.Tensor, " n"]
Truth = Int64[torch.Tensor, " n"]
Logits = Callable[[torch.Tensor], torch.Tensor]
"""Images in [0, 1] -> logits (n, classes), or (exits, n, classes), the last of which answers."""


def strengths(
    ids: tuple[str, ...], epoch: int, *, epsilon: float = EPSILON, seed: int = 0
) -> Strengths:
    """Return how far each image may be changed: `epsilon` times a number drawn from [0, 1).

    Raises:
        InputError: an `epsilon` outside [0, 1].
    """
    _require_strength(torch.tensor([epsilon]))
    drawn = [seeds.generator("strength", seed, epoch, item).random() for item in ids]
    return torch.tensor(drawn, dtype=torch.float32) * epsilon


def uniform_noise(
    images: Images, eps: Strengths, ids: tuple[str, ...], epoch: int, *, seed: int = 0
) -> Images:
    """Return images with noise drawn uniformly from [-eps, eps]: an attack without a network.

    Args:
        images: in [0, 1].
        ids: one per image; with epoch and seed they key the noise.

    Raises:
        InputError: a strength outside [0, 1].
    """
    _require_strength(eps)
    noise = torch.empty_like(images)
    for item, place in zip(ids, noise, strict=True):
        rng = seeds.generator("uniform noise", seed, epoch, item)
        place.copy_(torch.from_numpy(rng.uniform(-1, 1, tuple(place.shape))))
    return (images + _each(eps, images) * noise).clamp_(0, 1)


def fgsm(logits: Logits, images: Images, labels: Truth, eps: Strengths) -> Images:
    """Return images after one step of size eps along the sign of the gradient of the loss.

    Args:
        logits: the network, including normalisation.
        images: in [0, 1].

    Raises:
        InputError: a strength outside [0, 1].

    >>> darker = fgsm(lambda x: x.mean((2, 3)), torch.full((1, 3, 2, 2), 0.5), torch.tensor([0]),
    ...               torch.tensor([0.1]))
    >>> [round(value, 2) for value in darker[0, :, 0, 0].tolist()]
    [0.4, 0.6, 0.6]
    """
    return _climb(logits, images, labels, eps, step=eps, steps=1)


def pgd(
    logits: Logits, images: Images, labels: Truth, eps: Strengths, *, steps: int = STEPS
) -> Images:
    """Return images after steps of size eps / sqrt(steps), each projected back into the ball.

    Arguments are those of `fgsm`, and the number of steps; the paper uses ten.

    Raises:
        InputError: a strength outside [0, 1], or no steps.
    """
    if steps < 1:
        raise InputError(f"Expected at least one step of the attack, but got {steps}.")
    return _climb(logits, images, labels, eps, step=eps / math.sqrt(steps), steps=steps)


def against(
    module: torch.nn.Module,
    name: str,
    *,
    mean: tuple[float, float, float],
    std: tuple[float, float, float],
    epsilon: float = EPSILON,
    seed: int = 0,
) -> Attack:
    """Return an attack on a network in the form that the training loop calls.

    The network is attacked in evaluation mode, as it is used later, and left unchanged: the
    gradients of its parameters, its running means and the mode of each part.

    Args:
        name: one of `ATTACKS`.
        epsilon: the maximum strength.

    Returns:
        (images in [0, 1], labels, ids, epoch) -> harder images in [0, 1].

    Raises:
        InputError: an unknown attack, or an `epsilon` outside [0, 1].
    """
    if name not in ATTACKS:
        raise InputError(one_of("attack", name, ATTACKS))
    _require_strength(torch.tensor([epsilon]))

    def attack(
        images: torch.Tensor, labels: torch.Tensor, ids: tuple[str, ...], epoch: int
    ) -> torch.Tensor:
        eps = strengths(ids, epoch, epsilon=epsilon, seed=seed).to(images.device)
        if name == "uniform_noise":
            return uniform_noise(images, eps, ids, epoch, seed=seed)
        centre, spread = (
            torch.tensor(value, device=images.device).view(1, 3, 1, 1) for value in (mean, std)
        )

        def logits(shown: torch.Tensor) -> torch.Tensor:
            normal = (shown - centre) / spread
            answer: torch.Tensor = module(normal.contiguous(memory_format=torch.channels_last))
            return answer

        with evaluating(module):
            return (fgsm if name == "fgsm" else pgd)(logits, images, labels, eps)

    return attack


@contextmanager
def evaluating(module: torch.nn.Module) -> Iterator[None]:
    """Keep a network in evaluation mode; afterwards, each part returns to its earlier mode."""
    before = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, mode in before:
            part.training = mode


def _climb(
    logits: Logits,
    images: Images,
    labels: Truth,
    eps: Strengths,
    *,
    step: Strengths,
    steps: int,
) -> Images:
    _require_strength(eps)
    ball, stride = _each(eps, images), _each(step, images)
    lowest, highest = (images - ball).clamp_min_(0), (images + ball).clamp_max_(1)
    climbed = images
    for _ in range(steps):
        tried = climbed.detach().requires_grad_()
        with torch.enable_grad():
            answer = logits(tried)
            answer = answer[-1] if answer.ndim == 3 else answer
            # Summed, not averaged: an image's gradient does not depend on its batch.
            loss = torch.nn.functional.cross_entropy(answer, labels, reduction="sum")
        # Of the images alone; the parameters' own gradients stay as they are.
        (slope,) = torch.autograd.grad(loss, tried)
        climbed = torch.clamp(climbed + stride * slope.sign(), lowest, highest)
    return climbed.detach()


def _each(values: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
    return values.to(images).view(-1, 1, 1, 1)


def _require_strength(eps: torch.Tensor) -> None:
    if not bool(((eps >= 0) & (eps <= 1)).all()):  # so that NaN is refused, too
        raise InputError(
            "Expected the strengths of an attack between 0 and 1, as fractions of the full range "
            f"of levels, but got {eps.tolist()}. The paper's largest is 8/255."
        )
