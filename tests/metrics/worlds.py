"""Accuracies of networks that are trained with a corruption each, for tests of their overlap."""

import numpy as np

from robust_lib import seeds


def world(case, corruptions=5):
    """Accuracies as networks have them: training with a corruption helps most against itself."""
    rng = seeds.generator("overlap", case)
    clean = rng.uniform(0.7, 1.0, corruptions + 1)
    standard = rng.uniform(0.1, 0.4, corruptions)
    trained = standard + rng.uniform(-0.1, 0.25, (corruptions, corruptions))
    np.fill_diagonal(trained, standard + rng.uniform(0.2, 0.3, corruptions))
    return np.concatenate([standard[None], np.maximum(trained, 0)]), clean


def useless(gain, corruption=2):
    """Training with one corruption gains so much, in parts of the clean accuracy, against it."""
    accuracy, clean = world(0)
    accuracy[corruption + 1, corruption] = clean[corruption + 1] * (
        accuracy[0, corruption] / clean[0] + gain
    )
    return accuracy, clean
