"""Accuracies with given overlaps, and grids of predictions that are right as often."""

from dataclasses import replace

import numpy as np

from robust_lib import seeds
from robust_lib.protocols.overlap import ceiling as ceiling
from robust_lib.protocols.overlap import judged, results
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.accuracies import from_grid as from_grid
from robust_lib.protocols.overlap.convention import PAPER
from robust_lib.vocabulary import BLUR, COMMON, NOISE, OCCLUSION
from tests import toys

NAMES = (*COMMON, *OCCLUSION)

BLURRED = (*BLUR, "pixelate")


def likeness(one, other):
    """The overlap that a pair is given: two blocks, jpeg between, and two that nothing covers."""
    if one == other:
        return 1.0
    if {one, other} & set(OCCLUSION):
        return 0.0
    for block, score in ((NOISE, 0.9), (BLURRED, 0.8)):
        if one in block and other in block:
            return score
    if one in NOISE + BLURRED + ("jpeg_compression",) and other in (
        *NOISE, *BLURRED, "jpeg_compression",
    ):  # fmt: skip
        return 0.35
    return 0.1


def alike(names=NAMES):
    return np.array([[likeness(one, other) for other in names] for one in names])


def table(scores=None, names=NAMES, *, seeds_of=(0.0,), clean=0.9, **changes):
    """Accuracies with given overlaps; a seed adds its number to all of them but the diagonal."""
    scores = alike(names) if scores is None else scores
    each = []
    for shift in seeds_of:
        moved = np.where(np.eye(len(names)) == 1, 1, scores + shift)
        each.append(np.concatenate([np.full((1, len(names)), 0.2), 0.2 + 0.5 * moved]))
    settings = {
        "dataset": "toys",
        "corruptions": tuple(names),
        "accuracy": clean * np.stack(each),
        "clean": np.full((len(seeds_of), len(names) + 1), clean),
        "n": 100,
        "n_full": 100,
        "words": "memory",
    }
    return Accuracies(**settings | changes)


def overlaps(tables=None, convention=PAPER, *, samples=100):
    """The overlaps of each architecture, and which are judged."""
    given = {"resnet18": table()} if tables is None else tables
    return judged(given, convention, samples=samples)


def numbers(tables=None, convention=PAPER, *, permutations=199, samples=100, seed=0):
    found = overlaps(tables, convention, samples=samples)
    return results(found, permutations=permutations, seed=seed)


def one(scores=None, **settings):
    """The overlaps of a single architecture."""
    return overlaps({"resnet18": table(scores, **settings)})["resnet18"]


def unscored(one):
    """The corruptions that have no overlaps."""
    return tuple(np.array(one.table.corruptions)[~one.judged.corruptions])


def weak(name="brightness", gain=-0.01, **settings):
    """A table in which training with a corruption does not gain against it."""
    one = table(**settings)
    accuracy = one.accuracy.copy()
    place = one.corruptions.index(name)
    accuracy[0, place + 1, place] = accuracy[0, 0, place] + 0.9 * gain
    return replace(one, accuracy=accuracy)


def collapsed(name="fog", lost=0.1, **settings):
    """A table in which training with a corruption costs clean accuracy, and no robustness."""
    one = table(**settings)
    place = one.corruptions.index(name) + 1
    shrunk = np.ones(len(one.corruptions) + 1)
    shrunk[place] = 1 - lost / one.clean[0, place]
    return replace(one, clean=one.clean * shrunk, accuracy=one.accuracy * shrunk[:, None])


def noisy(key, amount):
    noise = seeds.generator("noise", key).normal(0, amount, (17, 17))
    return np.clip(alike() + np.triu(noise, 1) + np.triu(noise, 1).T, 0, None)


IMAGES = 400

SEVERITIES = (1, 3, 5)

FEW = ("gaussian_noise", "shot_noise", "fog", "border")


def grid(images=IMAGES, runs=1):
    """Predictions that are right as often as a table says, hard images being hard everywhere."""
    one = table(names=FEW)
    names = ["net", *(f"net_{name}" for name in FEW)]
    hard = [seeds.generator("hard", run).permutation(images) / images for run in range(runs)]

    def right(model, name, severity, run):
        place = names.index(model)
        if name is None:
            return hard[run] < one.clean[0, place]
        return hard[run] < one.accuracy[0, place, FEW.index(name)] + (3 - severity) * 0.02

    return toys.grid(right, names, FEW, SEVERITIES, seeds=runs, storage="jpeg85")


TRAINED = {name: f"net_{name}" for name in FEW}
