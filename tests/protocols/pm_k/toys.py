"""Ten sets of 21 frames, of two classes, and networks that are right up to a distance."""

import numpy as np

from robust_lib.datasets import vid_boxes
from robust_lib.datasets.frame_sets import from_names
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.metrics.boxes import Detections
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.pm_k import detection
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from tests.toys import Swatches

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
    return FramePredictions("toys", sets, by_network, "all 2 outputs", **settings)


BOX = (4.0, 4.0, 20.0, 20.0)


def annotations(sets):
    """One object a frame, of the frame's class, always at the same place."""
    none = np.zeros(1, bool)
    return tuple(
        Annotation(
            24, 24, np.array([BOX], np.float32), np.array(labels), np.zeros(1, int), none, none
        )
        for labels in sets.labels
    )


def flat(sets):
    """Frame, class and box of each object."""
    return vid_boxes.flat(annotations(sets))


def swatch_frames(sets):
    """Pictures of those frames, called by them."""

    class Frames(Swatches):
        ids = sets.frames

    return Frames(count=len(sets.frames), side=24, class_names=("lion", "monkey", "neither"))


def boxes(right, sets=None, *, lost="class"):
    """What detectors find: a box a frame, right as for `answers`.

    Where one is wrong it names the other class, or with lost="place" puts the box elsewhere.
    """
    sets = sets or frame_sets()
    said = answers(right, sets)
    truth = np.array([labels[0] for labels in sets.labels])
    found = {}
    for network, (predicted,) in said.by_network.items():
        wrong = predicted != truth
        placed = np.repeat(np.array([BOX]), len(truth), 0)
        if lost == "place":
            placed[wrong] -= 4.0
            placed[wrong, 2:] -= 8.0
            predicted = truth
        scores = np.linspace(0.6, 0.9, len(truth))
        detections = Detections(np.arange(len(truth)), predicted, placed, scores)
        found[network] = FoundBoxes(network, "toys", sets.frames, detections, 0.05, 100)
    return found


def scored(right, sets=None, *, lost="class", **settings):
    """Their mAP by distance."""
    sets = sets or frame_sets()
    given = detection.Settings(**{"samples": 50} | settings)
    truth = detection.truth_of(annotations(sets))
    return {
        network: detection.scored([one], sets, truth, given)
        for network, one in boxes(right, sets, lost=lost).items()
    }
