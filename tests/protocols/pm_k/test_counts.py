"""Counts of frame sets: by hand, and beside what the paper prints."""

import numpy as np

from robust_lib.datasets.frame_sets import from_names
from robust_lib.miniworld.clip_review import ClipReview, Pair
from robust_lib.protocols.pm_k import counts
from robust_lib.results.compare import compare
from tests.protocols.pm_k import toys


def frame(video, number):
    return f"val/{video}/{number:06d}.JPEG"


def small():
    """Three sets of two videos; one anchor has no neighbour, one frame belongs to two sets."""
    labels = {frame("a", number): [0] for number in range(10)}
    labels |= {frame("b", 3): [1], frame("a", 4): [0, 1]}
    near = {
        frame("a", 2): [frame("a", number) for number in (0, 1, 4)],
        frame("a", 5): [frame("a", 4)],
        frame("b", 3): [],
    }
    return from_names(labels, near, classes=2)


def value(rows, metric, **where):
    return rows.row(metric=metric, **where).value


def test_everything_is_counted_once():
    rows = counts.counts(small(), "few", narrow=7)
    assert value(rows, "videos") == 2
    assert value(rows, "anchors") == 3
    assert value(rows, "frames") == 6  # 0, 1, 2, 4 and 5 of a, and 3 of b
    assert value(rows, "frames_with_several_labels") == 1
    assert value(rows, "classes") == 2
    assert value(rows, "imagenet_classes") == 7
    spread = [value(rows, f"{which}_neighbours") for which in ("fewest", "median", "most")]
    assert spread == [0, 1, 3]


def test_the_median_of_two_is_the_lower_one():
    labels = {frame("a", number): [0] for number in range(4)} | {frame("b", 0): [0]}
    near = {frame("a", 0): [frame("a", number) for number in (1, 2, 3)], frame("b", 0): []}
    rows = counts.counts(from_names(labels, near, classes=1), "few")
    assert value(rows, "median_neighbours") == 0


def test_pairs_within_each_distance_are_those_of_a_slow_count():
    sets = small()
    rows = counts.counts(sets, "few")
    for k in range(1, 11):
        slow = sum(
            0 < abs(offset) <= k
            for row, offsets in zip(sets.members, sets.offsets, strict=True)
            for member, offset in zip(row, offsets, strict=True)
            if member >= 0
        )
        assert value(rows, "pairs", k=k) == slow


def test_nothing_is_said_of_narrow_classes_that_nobody_knows():
    assert not len(counts.counts(small(), "few").select(metric="imagenet_classes"))


def test_before_a_review_there_was_every_frame_of_every_clip():
    review = ClipReview(("val/a", "val/b"), ("val/b",), (Pair("val/a", 1, ()),))
    rows = counts.before_review(review.counts, "few")
    assert value(rows, "videos", dataset="few/before review") == 2
    assert value(rows, "frames", dataset="few/before review") == 42
    assert value(rows, "pairs_reviewed", dataset="few") == 1


def test_the_released_sets_would_match_what_the_paper_prints_of_them():
    sets = toys.frame_sets(1109, lambda place: [place % 2])
    verdicts = compare(counts.counts(sets, "imagenet_vid_robust"), "vid-dataset")
    found = {(one.metric, one.dataset): one.verdict for one in verdicts}
    assert found["anchors", "imagenet_vid_robust"] == "match"
    assert found["frames", "imagenet_vid_robust"] == "differs"  # 23,289 of these, not 22,178


def test_counts_are_whole_numbers():
    rows = counts.counts(small(), "few").rows
    assert all(np.isclose(row.value, round(row.value)) for row in rows)
