"""A grid of two networks whose every answer is known, and its rows."""

import numpy as np

from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error import normaliser
from robust_lib.vocabulary import COMMON
from tests import toys

MODELS = ("alexnet_mini", "resnet18_mini")
STEPS = dict(zip(MODELS, (4, 2), strict=True))


def grid(corruptions=COMMON, severities=(1, 3), clean=18):
    """AlexNet loses four of 20 answers a severity, ResNet two; fog costs AlexNet nothing."""

    def right(model, name, severity, _):
        lost = 0 if (model, name) == (MODELS[0], "fog") else STEPS[model] * severity
        return np.arange(20) < clean - lost

    settings = {"dataset": "scenes_val", "storage": "jpeg85"}
    return toys.grid(right, MODELS, corruptions, severities, **settings)


def results(**changes):
    made = grid(**changes)
    return corruption_error.results(made, normaliser.measured(made, MODELS[0]), samples=100)
