"""Answers to the exercises on ImageNet-Vid-Robust."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from robust_book.course.answers import Exercise, choice, fixed, greatest, number
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.metrics.pm_k import pm_k_accuracy, pm_k_map
from robust_lib.miniworld.similarity import Similarity, box_overlap
from robust_lib.results.table import Results
from robust_lib.run.network import network_titles

RIGHT, ANCHORS, VIDEOS = 749, 1109, 1314
SIDE, MOVED = 30.0, 20.0
FRAME_RATE, FRAMES = 0.84, 21
BOX = np.array([10.0, 10.0, 50.0, 40.0])


def width(n: int) -> float:
    """Return the width of the exact interval for the exercise's share of n.

    >>> width(1109) > width(1314)
    True
    """
    low, high = clopper_pearson(round(RIGHT / ANCHORS * n), n)
    return high - low


def plain_half(n: int) -> float:
    """Return half of the interval's width."""
    return width(n) / 2


@lru_cache
def first_unlike(overlap: float) -> int:
    """Return the smallest shift in pixels at which two boxes overlap too little."""
    box = (0.0, 0.0, SIDE, SIDE)
    shared = (box_overlap(box, (float(x), 0.0, SIDE + x, SIDE)) for x in range(int(SIDE)))
    return next(x for x, share in enumerate(shared) if share < overlap)


def falls(rows: Results) -> dict[int, float]:
    """Return the drop in accuracy from k - 1 to k, averaged over the networks of a run."""
    by_k: dict[int, list[float]] = {}
    for row in rows.select(item="vid-fig4", metric="pm_accuracy").rows:
        if row.k is not None:
            by_k.setdefault(row.k, []).append(row.value)
    mean = {k: float(np.mean(found)) for k, found in by_k.items()}
    return {k: mean[k - 1] - mean[k] for k in sorted(mean) if k - 1 in mean}


def steepest(rows: Results) -> set[int] | None:
    """Return the distance k with the largest drop in accuracy, or several that tie."""
    found = falls(rows)
    if not found or max(found.values()) <= 0:
        return None
    return {k for k, fall in found.items() if np.isclose(fall, max(found.values()), atol=1e-6)}


@lru_cache
def lost_at() -> int:
    """Return the smallest k at which the exercise's frame set counts as wrong."""
    correct = np.array([False, True, True])
    frames, offsets = np.array([[0, 1, 2]]), np.array([[-2, 0, 1]])
    return int(np.flatnonzero(pm_k_accuracy(correct, frames, offsets, k=3) == 0)[0])


def drops(rows: Results) -> dict[str, float]:
    """Return detector -> the drop of its localisation in a run."""
    found = rows.select(metric="localization_map_drop").rows
    return {str(row.model): row.value for row in found}


@lru_cache
def pm_10(*, localization: bool) -> float:
    """Return the pm-10 mAP for the fox that is labelled as a sheep three frames later."""
    both = np.array([BOX, BOX])
    truth = Truth(np.array([0, 1]), np.array([7, 7]), both)
    said = Detections(np.array([0, 1]), np.array([7, 3]), both, np.array([0.9, 0.9]))
    sets = np.array([[0, 1]]), np.array([[0, 3]])
    return float(pm_k_map(truth, said, *sets, localization=localization).values[-1])


def overlap() -> float:
    """Return the overlap of a box and the same box moved by twenty pixels."""
    moved = BOX + np.array([MOVED, 0.0, MOVED, 0.0])
    return box_overlap(tuple(BOX), tuple(moved))


EXERCISES: Mapping[str, Mapping[int, Exercise]] = {
    "vid_1_dataset": {
        2: Exercise(
            tuple(
                number(
                    name,
                    "a fraction, the width of the interval",
                    fixed(width, n),
                    "The upper end of the exact interval minus its lower end.",
                    {
                        "it is half of the width.": fixed(plain_half, n),
                        other: fixed(width, m),
                    },
                )
                for name, n, m, other in (
                    ("of_anchors", ANCHORS, VIDEOS, "this is the interval with more videos."),
                    (
                        "of_videos",
                        VIDEOS,
                        ANCHORS,
                        "this is the interval for the anchors: use the same share of the videos.",
                    ),
                )
            )
        ),
        3: Exercise(
            (
                choice(
                    "pixels",
                    "the first whole number of pixels at which it is not similar",
                    first_unlike(Similarity().overlap),
                    "Divide the intersection of the two boxes by their union.",
                    {
                        "there the frames are still similar: add one.": first_unlike(
                            Similarity().overlap
                        )
                        - 1,
                        "the frames are dissimilar before that: subtract one.": first_unlike(
                            Similarity().overlap
                        )
                        + 1,
                        "the intersection was divided by the area of one box, not by the "
                        "union.": int(SIDE * (1 - Similarity().overlap)) + 1,
                        "a frame moves by whole pixels.": Similarity().reach * SIDE,
                    },
                ),
            )
        ),
    },
    "vid_2_classification": {
        1: Exercise(
            (
                choice(
                    "falls_most_at",
                    "the larger of the two distances, averaged over this run's networks",
                    steepest,
                    "Subtract each value from the one before.",
                    {
                        "that is the smaller of the two distances.": (
                            lambda rows: {k - 1 for k in steepest(rows) or ()}
                        )
                    },
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                choice(
                    "lost_at",
                    "the smallest k",
                    lost_at(),
                    "Which frames are within k of the anchor, before and after it?",
                    {
                        "at this k, the wrong frame is not yet included.": {0, 1},
                        "it is the frame's offset: k counts in both directions.": -lost_at(),
                        "it counts as wrong earlier.": {3, 4},
                    },
                ),
            )
        ),
        3: Exercise(
            (
                number(
                    "alone",
                    "a fraction, with an average of 84 %",
                    FRAME_RATE**FRAMES,
                    "All of them have to be classified correctly, one after the other.",
                    {
                        "that is the average itself: a set has many frames.": FRAME_RATE,
                        "the anchor is also one of the frames.": FRAME_RATE ** (FRAMES - 1),
                        "that is the chance that all frames are wrong.": (1 - FRAME_RATE) ** FRAMES,
                        "that is the chance that the frames of one side are right.": FRAME_RATE
                        ** (FRAMES // 2),
                    },
                    tolerance=0.03,
                ),
            )
        ),
    },
    "vid_3_detection": {
        1: Exercise(
            (
                choice(
                    "detector_that_loses",
                    "the name of a detector",
                    lambda rows: greatest(drops(rows)),
                    "Use the column with the drop in localisation.",
                    among=lambda rows: list(network_titles(drops(rows)).values()),
                    shown=lambda rows: {v: k for k, v in network_titles(drops(rows)).items()},
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                number(
                    "pm_map",
                    "a fraction",
                    lambda rows: pm_10(localization=False),
                    "Which frame of the set is the worst, and what is right in it?",
                    {
                        "that is the mean of the two frames: the worst one counts.": 0.5,
                        "that is the best frame: the worst one counts.": 1.0,
                    },
                ),
                number(
                    "pm_localization",
                    "a fraction",
                    lambda rows: pm_10(localization=True),
                    "What must a box satisfy if its label does not count?",
                    {
                        "labels do not count here.": 0.0,
                        "that is the mean of the two frames: the worst one counts.": 0.5,
                    },
                ),
            )
        ),
        3: Exercise(
            (
                number(
                    "overlap",
                    "a fraction: the largest IoU that the moved box still has",
                    overlap(),
                    "Divide the intersection of the two boxes by their union.",
                    {
                        "the intersection was divided by the area of one box, not by the union.": 1
                        - MOVED / (BOX[2] - BOX[0]),
                        "the area outside the other box was divided: use the intersection.": 2
                        * MOVED
                        / (BOX[2] - BOX[0] + MOVED),
                    },
                ),
            )
        ),
    },
}
