"""The data set in numbers: this run's beside the paper's, and neighbours by distance."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from robust_lib.config.class_lists import class_names, load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet, vid_robust
from robust_lib.datasets.clips import Clips
from robust_lib.protocols.pm_k.counts import BEFORE, ITEM
from robust_lib.results.reported import reported
from robust_lib.results.table import Results

ROBUST = "imagenet_vid_robust"
FIRST, SECOND = "The paper|abstract, sec. 1", "The paper|sections 2 and 4"
"""The two versions of the data set that the paper has numbers of."""

TRAINING = "training"
"""What stands for a data set's videos to train with, among its groups."""

LINES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("", "anchors"): "Anchors",
        ("", "frames"): "Frames",
        ("", "fewest_neighbours"): "Fewest neighbours",
        ("", "median_neighbours"): "Median neighbours",
        ("", "most_neighbours"): "Most neighbours",
        ("", "frames_with_several_labels"): "Frames with several labels",
        ("", "classes"): "Classes",
        ("", "imagenet_classes"): "Narrow classes below them",
        (TRAINING, "videos"): "Videos to train with",
        (TRAINING, "frames"): "Frames of these videos",
        (BEFORE, "videos"): "Videos before the review",
        (BEFORE, "anchors"): "Anchors before the review",
        (BEFORE, "frames"): "Frames of their videos",
        ("", "candidates_per_anchor"): "Candidates an anchor",
        ("", "pairs_reviewed"): "Pairs reviewed",
        ("", "annotators"): "People who review",
        ("", "review_rounds"): "Rounds of review",
    }
)
"""Group of the data set and metric -> what is counted, in the order of the table."""


def count_frame(results: Results, dataset: str, training: str = "") -> pd.DataFrame:
    """Return what is counted, this run's numbers beside those of the paper's two versions.

    Args:
        results: of `protocols.pm_k.counts`.
        dataset: name of the data set.
        training: name of that to train with.

    >>> from robust_lib.protocols.pm_k.counts import counts
    >>> frame = count_frame(counts(toys.frame_sets(3), "toys"), "toys").set_index("Count")
    >>> frame.loc["Anchors"].tolist()
    [3, 1109, 1145]
    """
    ours = {(row.dataset, row.metric): int(row.value) for row in results.rows if row.k is None}
    printed = _printed()
    lines = []
    for (group, metric), words in LINES.items():
        name = {"": dataset, TRAINING: training}.get(group, f"{dataset}/{group}")
        told = {version: printed.get((group, metric, version)) for version in (FIRST, SECOND)}
        lines.append({"Count": words, "This run": ours.get((name, metric)), **told})
    frame = pd.DataFrame(lines)
    return frame.astype(dict.fromkeys(["This run", FIRST, SECOND], "Int64"))


def distance_frame(results: Results) -> pd.DataFrame:
    """Return the neighbours within each distance, and what share of all possible ones they are.

    Args:
        results: of `protocols.pm_k.counts`.

    >>> from robust_lib.protocols.pm_k.counts import counts
    >>> distance_frame(counts(toys.frame_sets(3), "toys")).iloc[0].tolist()
    [1.0, 6.0, 100.0, 2201.0, 99.2...]
    """
    anchors = int(results.row(item=ITEM, metric="anchors", dataset=_name(results)).value)
    ours = [int(row.value) for row in results.select(metric="pairs").rows]
    release = vid_robust.released(load_dataset(ROBUST))
    frame = pd.DataFrame({"k": range(1, len(ours) + 1)})
    for source, pairs, sets in (
        ("This run", ours, anchors),
        *([] if release is None else [("Released set", release.neighbours, release.anchors)]),
    ):
        frame[f"{source}|Neighbours"] = list(pairs)
        possible = 2 * frame["k"] * sets
        frame[f"{source}|Of possible (%)"] = 100 * frame[f"{source}|Neighbours"] / possible
    return frame


def narrow_classes(images: ImageSet) -> int | None:
    """Return how many narrow classes the classes of frames are made of; None if nobody knows.

    >>> narrow_classes(run.images) is None  # colours are made of nothing
    True
    """
    if isinstance(images, Clips):
        wide = images.footage.world.wide[images.footage.wide]
        return sum(map(len, wide.values()))
    if images.classes not in class_names():
        return None
    return sum(map(len, load_classes(images.classes).imagenet))


def _name(results: Results) -> str:
    return next(row.dataset for row in results.rows if row.metric == "pairs")


def _printed() -> dict[tuple[str, str, str], int]:
    """Return group, metric and version -> what the paper prints."""
    groups = dict.fromkeys((ROBUST, f"{ROBUST}_1145"), "")
    groups |= {"imagenet_vid_val": BEFORE, "imagenet_vid_train": TRAINING}
    found = {}
    for row in reported(ITEM):
        if row.number is not None and str(row.dataset) in groups:
            version = FIRST if row.locator.endswith("sec. 1") else SECOND
            found[groups[str(row.dataset)], row.metric, version] = int(row.number)
    return found
