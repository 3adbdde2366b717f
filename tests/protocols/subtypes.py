"""Networks asked about seen and unseen subtypes: predictions of which one knows how many fail."""

import numpy as np

from robust_lib.datasets.hold_outs import some_a_class
from robust_lib.predict.predictions import Predictions
from tests.protocols.icons import BIRD, HAT, ICONS

NETWORK = "wrn40_2_mini"


def unseen(icons, numbers=(1, 2)):
    """Which icons each setting holds out."""
    return {
        number: np.isin(np.arange(len(icons)), some_a_class(icons.icons, number).test)
        for number in numbers
    }


def said(icons, wrong, model=NETWORK):
    """Predictions of a network that takes some icons for the other class."""
    labels = icons.labels
    other = np.where(labels == BIRD, HAT, BIRD)
    sure = np.full(len(labels), 0.9, np.float32)
    predicted = np.where(wrong, other, labels)
    return Predictions(model, icons.name, icons.ids, labels, None, predicted, sure)


def subtypes(*, seen_wrong, unseen_wrong, seeds=1, icons=ICONS):
    """A network that errs on so many eighths of the seen and so many fourths of the unseen icons.

    Of three subtypes a class one and two are held out. The second of several seeds errs nowhere.
    """
    held = unseen(icons)
    by_number = {}
    for number, mask in held.items():
        wrong = np.zeros(len(icons), bool)
        wrong[np.flatnonzero(~mask)[: (seen_wrong * (~mask).sum()) // 8]] = True
        wrong[np.flatnonzero(mask)[: (unseen_wrong * mask.sum()) // 4]] = True
        others = [said(icons, np.zeros(len(icons), bool)) for _ in range(seeds - 1)]
        by_number[number] = {NETWORK: (said(icons, wrong), *others)}
    return by_number, held
