"""Adversarial filtration, slow and obvious: one picture, one crop at a time, no short cut."""

import numpy as np
import torch

from robust_lib import datasets
from robust_lib.preprocessing import Preprocessing


def crops(image, side):
    """The four corners, the centre, and their mirrors, of an image (3, height, width)."""
    _, height, width = image.shape
    found = []
    for top, left in (
        (0, 0),
        (0, width - side),
        (height - side, 0),
        (height - side, width - side),
        (round((height - side) / 2), round((width - side) / 2)),
    ):
        crop = image[:, top : top + side, left : left + side]
        found += [crop, torch.flip(crop, [2])]
    return found


def probabilities(model, image):
    scores = [float(score) for score in model(image[None])[0]]
    powers = [np.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def imagenet_a(candidates, models, side, confidence=0.15, most=15):
    """The step at which each candidate falls."""
    steps, kept = [], {}
    for place in range(len(candidates)):
        truth = int(candidates.labels[place])
        means, right = [], False
        for model in models:
            own = model.preprocessing
            frame = Preprocessing(own.resize, own.resize or own.crop, own.interpolation)
            image = datasets.batch(candidates, [place], frame)[0]
            said = [probabilities(model, crop) for crop in crops(image, side)]
            right = right or any(int(np.argmax(one)) == truth for one in said)
            means.append([sum(column) / 10 for column in zip(*said, strict=True)])
        pair = (truth, int(np.argmax(means[0])))
        if right:
            steps.append("correct")
        elif any(mean[truth] > confidence for mean in means):
            steps.append("confident")
        elif kept.get(pair, 0) == most:
            steps.append("confusion")
        else:
            kept[pair] = kept.get(pair, 0) + 1
            steps.append("shortlisted")
    return steps


def fleiss_kappa(counts):
    """Kappa over all ordered pairs of votes, one by one."""
    alike = pairs = 0
    everything = []
    for row in counts:
        votes = [at for at, count in enumerate(row) for _ in range(count)]
        everything += votes
        for one in range(len(votes)):
            for other in range(len(votes)):
                if one != other:
                    alike += votes[one] == votes[other]
                    pairs += 1
    chance = sum((everything.count(at) / len(everything)) ** 2 for at in set(everything))
    return (alike / pairs - chance) / (1 - chance)
