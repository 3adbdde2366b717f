"""Attacks the slow way: one image after the other, one step after the other, value by value."""

import math

import numpy as np
import torch


def attacked(logits, images, labels, eps, *, step, steps):
    """Return images after `steps` steps of `step`, never further than `eps` from where they began.

    Args:
        logits: images (1, 3, h, w) in [0, 1] -> (1, classes).
        images: tensor (n, 3, h, w).
        labels: one an image.
        eps: largest change of a value, one an image.
        step: change in one step, one an image.
        steps: how many.
    """
    made = []
    for image, label, most, change in zip(images, labels, eps.tolist(), step.tolist(), strict=True):
        begun = image.numpy().astype(np.float64)
        values = begun.copy()
        for _ in range(steps):
            shown = torch.tensor(values, dtype=torch.float32)[None].requires_grad_()
            answer = logits(shown)[0]
            # The cross-entropy written out.
            loss = torch.log(torch.exp(answer).sum()) - answer[int(label)]
            loss.backward()
            slope = shown.grad[0].numpy()
            for place in np.ndindex(values.shape):
                value = values[place] + change * np.sign(slope[place])
                value = min(max(value, begun[place] - most), begun[place] + most)
                values[place] = min(max(value, 0.0), 1.0)
        made.append(values)
    return np.stack(made)


def pgd_step(eps, steps=10):
    """Return PGD's step: the paper's eps / sqrt(10) for its ten."""
    return eps / math.sqrt(steps)
