"""Ten sets of 21 frames, of two classes, and networks that are right up to a distance."""

import numpy as np

from robust_lib.datasets.frame_sets import from_names
from robust_lib.protocols.pm_k.answers import Answers

SETS = 10


def frame_sets(sets=SETS, label=lambda place: [place % 2]):
    """Sets of 21 frames each; the label of a set's place is that of all its frames."""
    names = {}
    labels = {}
    for place in range(sets):
        frames = [f"val/clip_{place:04d}/{number:06d}.JPEG" for number in range(21)]
        names[frames[10]] = frames[:10] + frames[11:]
        labels |= dict.fromkeys(frames, label(place))
    return from_names(labels, names, classes=2)


def answers(right, sets=None, **settings):
    """`right`: network -> (on how many of the sets it is right to the last, on how many anchors).

    The sets that it loses it loses at the neighbour three frames later.
    """
    sets = sets or frame_sets()
    truth = np.array([labels[0] for labels in sets.labels])
    by_network = {}
    for network, (whole, anchors) in right.items():
        predicted = truth.copy()
        for place, (row, offsets) in enumerate(zip(sets.members, sets.offsets, strict=True)):
            if place >= whole:
                predicted[row[offsets == 3]] ^= 1
            if place >= anchors:
                predicted[row[offsets == 0]] ^= 1
        by_network[network] = (predicted,)
    return Answers("toys", sets, by_network, "all 2 outputs", **settings)
