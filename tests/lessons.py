"""A lesson that is learnt in a second: pictures, a network and a recipe, for tests of training."""

import numpy as np
import torch

from robust_lib.training.loop import TrainingSet
from robust_lib.training.recipes import Recipe
from tests.toys import Swatches


def swatches(count=48):
    """Pictures whose label is their brightest channel."""
    data = Swatches(count=count)
    pictures = np.stack([data.read(i, None) for i in range(count)])
    return TrainingSet(pictures, data.labels, data.ids, (0.4,) * 3, (0.2,) * 3)


def network(seed=0, dropout=0.0):
    """A small network with all that training may disturb: normalisation, dropout, a plain head."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1),
            torch.nn.BatchNorm2d(8),
            torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(2),
            torch.nn.Flatten(),
            torch.nn.Dropout(dropout),
            torch.nn.Linear(32, 3),
        )


def recipe(**changes):
    return Recipe(**{"epochs": 3, "batch": 8, "rate": 0.05, "padding": 2} | changes)


def bits(module):
    """Return all that a network has learnt, as bytes."""
    return b"".join(value.numpy().tobytes() for value in module.state_dict().values())
