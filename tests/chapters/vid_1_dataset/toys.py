"""Answers to frames that are right but for a neighbour of some sets, and a small review."""

import numpy as np

from robust_book.chapters.vid_1_dataset import falls
from robust_lib.miniworld.clip_review import ClipReview, Pair
from robust_lib.predict.predictions import Predictions
from tests.protocols.pm_k.toys import frame_sets

REVIEW = ClipReview(
    ("val/a", "val/b"),
    ("val/b",),
    (
        *(Pair("val/a", offset, ()) for offset in range(-10, 8) if offset),
        Pair("val/a", 8, (), "blur"),
        Pair("val/a", 9, ("blur",), "blur"),
        Pair("val/a", 10, ("overlap",)),
    ),
)
"""Two clips, one without a fair anchor; one of two faults is missed, one pair dropped harshly."""


def said_of_frames(wrong, sets, logit=1.0):
    """Answers to all frames; `wrong`: place of a set -> the offset at which the answer is another.

    The logit of the answer is `logit`, those of the other classes are 0.
    """
    said = np.array([labels[0] for labels in sets.labels])
    for place, offset in wrong.items():
        frame = sets.members[place][sets.offsets[place] == offset][0]
        said[frame] = (said[frame] + 1) % sets.classes
    logits = np.zeros((len(said), sets.classes), np.float32)
    logits[np.arange(len(said)), said] = logit
    labels = np.array([one[0] for one in sets.labels])
    return Predictions.from_logits(
        logits, ids=sets.frames, labels=labels, model="mine", dataset="toys"
    )


def watched(wrong, sets=10):
    """What such answers are worth; of so many sets of 21 frames, or of these."""
    sets = frame_sets(sets) if isinstance(sets, int) else sets
    return falls.watched(said_of_frames(wrong, sets), sets)
