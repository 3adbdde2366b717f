"""Stability training: a network learns to predict the same for a noisy and a clean image.

To the classification loss on clean images it adds, times a weight, the cross-entropy from the
softmax of the same image with noise to the softmax of the clean image [inc, sec. 3.4]:

    loss = CE(label, p(clean)) + weight * H(p(clean), p(noisy)),  H(p, q) = - sum_k p_k log q_k

Gradients flow through both softmaxes, as in the original method. The training loop itself does not
change: it gets an attack that makes pairs of images, and a network that takes pairs.
"""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from robust_lib.config.enhancements import Stability
from robust_lib.errors import InputError
from robust_lib.training.adversarial import uniform_noise
from robust_lib.training.loop import Attack


def pairs(noise: float, *, seed: int = 0) -> Attack:
    """Return an attack that appends a noisy version of each clean image to the batch.

    The noise is uniform, drawn again in each epoch, and keyed by id and epoch.

    Args:
        noise: maximum of the noise, a fraction of the full range of levels.

    Raises:
        InputError: a noise outside [0, 1], when it is called.
    """

    def paired(
        images: torch.Tensor, labels: torch.Tensor, ids: tuple[str, ...], epoch: int
    ) -> torch.Tensor:
        strengths = torch.full((len(images),), noise, device=images.device)
        return torch.cat([images, uniform_noise(images, strengths, ids, epoch, seed=seed)])

    return paired


class Stable(nn.Module):
    """A network in stability training, which returns logits for the clean images of pairs.

    Its logits carry the gradient of the noisy images' loss, so that training on them trains on
    both; the reported loss is that of the clean images alone. In evaluation, it is the network
    itself.

    Args:
        weight: weight of the noisy images' loss.
    """

    def __init__(self, network: nn.Module, weight: float) -> None:
        super().__init__()
        self.network = network
        self.weight = weight

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return logits: in training, of the clean first half of a batch of pairs."""
        if not self.training:
            logits: torch.Tensor = self.network(images)
            return logits
        if len(images) % 2:
            raise InputError(
                f"Expected every clean image with its noisy counterpart, but got {len(images)} "
                "images. Train it on what `pairs` makes."
            )
        # Apart, so that the noise does not move what the clean images are normalised by.
        clean, noisy = (self.network(half) for half in images.chunk(2))
        if clean.ndim != 2:
            raise InputError(
                f"Expected a network with one exit, but got logits of shape {tuple(clean.shape)}."
            )
        carried: torch.Tensor = _Carrying.apply(clean, self.weight * divergence(clean, noisy))
        return carried


def divergence(clean: torch.Tensor, noisy: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy from the noisy images' softmax to that of the clean ones.

    >>> even = torch.zeros(1, 4)
    >>> round(divergence(even, even).exp().item(), 6)  # as many nats as four equal classes have
    4.0
    """
    return cross_entropy(noisy, clean.softmax(1))


def learner(network: nn.Module, stability: Stability | None) -> nn.Module:
    """Return the module to train: a network in stability training, or else the network itself."""
    return network if stability is None else Stable(network, stability.weight)


class _Carrying(torch.autograd.Function):
    """Logits as they are; their gradient is passed on, and to a loss beside them its own, one."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx, logits: torch.Tensor, beside: torch.Tensor
    ) -> torch.Tensor:
        return logits.view_as(logits)

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, *gradients: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        (gradient,) = gradients
        return gradient, gradient.new_ones(())
