"""The numbers of videos, anchors, frames and neighbours of frame sets [vid, sec. 2]."""

from statistics import median_low

from robust_lib.datasets import vid_robust
from robust_lib.datasets.frame_sets import FARTHEST, FrameSets, parse_frame
from robust_lib.miniworld.clip_motion import FRAMES
from robust_lib.miniworld.clip_review import Counts
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "vid-dataset"
BEFORE = "before review"
"""The name of a data set's group of images before its review."""


def counts(sets: FrameSets, dataset: str, *, narrow: int | None = None) -> Results:
    """Return the counts of a data set of frame sets, and the pairs within each distance.

    The median is the lower of the two middle values, so that it is a count.

    Args:
        narrow: number of an ordinary classifier's classes that belong to the sets' classes; None if
            unknown.

    >>> rows = counts(toys.answers({}).sets, "toys")  # ten sets of 21 frames
    >>> [rows.row(metric=name).value for name in ("anchors", "frames", "median_neighbours")]
    [10.0, 210.0, 20.0]
    >>> [row.value for row in rows.select(metric="pairs").rows[:3]]
    [20.0, 40.0, 60.0]
    """
    found = vid_robust.counts(sets)
    each = ((sets.members >= 0).sum(axis=1) - 1).tolist()
    values = {
        "videos": len({parse_frame(sets.frames[anchor])[0] for anchor in sets.anchors}),
        "anchors": found.anchors,
        "frames": found.frames,
        "fewest_neighbours": min(each),
        "median_neighbours": median_low(each),
        "most_neighbours": max(each),
        "frames_with_several_labels": found.several,
        "classes": sets.classes,
        "neighbours_each_side": FARTHEST,
    }
    if narrow is not None:
        values["imagenet_classes"] = narrow
    rows = [_row(dataset, metric, value) for metric, value in values.items()]
    rows += [
        Row(item=ITEM, dataset=dataset, metric="pairs", k=k, value=float(pairs))
        for k, pairs in enumerate(found.neighbours, start=1)
    ]
    return Results.of(rows)


def before_review(reviewed: Counts, dataset: str) -> Results:
    """Return the counts before clips were reviewed, and the number of reviewed pairs.

    >>> from robust_lib.miniworld.clip_review import ClipReview
    >>> rows = before_review(ClipReview(("val/a",), ("val/a",), ()).counts, "toys")
    >>> [(row.dataset, row.metric, row.value) for row in rows.rows][1:3]
    [('toys/before review', 'frames', 21.0), ('toys/before review', 'anchors', 1.0)]
    """
    whole = f"{dataset}/{BEFORE}"
    return of_videos(reviewed.videos, whole) + Results.of(
        [
            _row(whole, "anchors", reviewed.videos),
            _row(dataset, "candidates_per_anchor", FRAMES - 1),
            _row(dataset, "pairs_reviewed", reviewed.pairs),
        ]
    )


def of_videos(videos: int, dataset: str, *, shown: int | None = None) -> Results:
    """Return the numbers of clips and of their frames.

    Args:
        shown: number of frames used for training; None: not reported.

    >>> [row.value for row in of_videos(2, "toys", shown=4).rows]
    [2.0, 42.0, 4.0]
    """
    rows = [_row(dataset, "videos", videos), _row(dataset, "frames", FRAMES * videos)]
    return Results.of(rows if shown is None else [*rows, _row(dataset, "images", shown)])


def _row(dataset: str, metric: str, value: int) -> Row:
    return Row(item=ITEM, dataset=dataset, metric=metric, value=float(value))
