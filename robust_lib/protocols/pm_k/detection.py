"""pm-k mAP of detectors as rows: detection and localisation [vid, sec. 4.2].

The paper does not say which overlap a detection needs, how precision is averaged, or how frames
without objects count; here these are settings, stated with every number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.datasets import vid_boxes
from robust_lib.datasets.frame_sets import FARTHEST, FrameSets
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Truth
from robust_lib.metrics.detection import Interpolation, Iou, require_matching
from robust_lib.metrics.leaning import unshifted
from robust_lib.metrics.map_draws import map_draws
from robust_lib.metrics.pm_k import PmKMap, pm_k_map
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.pm_k.frame_predictions import require_frames
from robust_lib.results.estimate import Draws, Estimate, difference, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "vid-tab2"
TASKS = {
    "detection": ("pm_map", "map_drop"),
    "localisation": ("pm_localization_map", "localization_map_drop"),
}
"""Task -> names of its mAP and of its drop in results."""

_POOLED = "of its boxes of all classes"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How pm-k mAP is computed.

    Attributes:
        k: largest distance of a counted frame.
        iou: minimum IoU of a detection, or "coco" for its ten thresholds.
        anchor: whether the anchor may be the worst frame.
        by_class: whether the worst frame is the one with the lowest mean over the classes that it
            shows.
        one_box: whether each object keeps only one box before classes are ignored for localisation.
    """

    k: int = FARTHEST
    iou: Iou = 0.5
    interpolation: Interpolation = "all-point"
    anchor: bool = True
    samples: int = 1000
    by_class: bool = False
    one_box: bool = False

    def __post_init__(self) -> None:
        require_frames(self.k)
        require_matching(self.iou, self.interpolation)

    @property
    def words(self) -> str:
        """Return the conventions as text.

        >>> Settings(iou="coco").words.partition(";")[0]
        'IoU .5 to .95, all-point average precision'
        """
        iou = "IoU .5 to .95" if self.iou == "coco" else f"IoU {self.iou:g}"
        reach = "anchor included" if self.anchor else "anchor left out"
        boxes = "averaged over the classes it shows" if self.by_class else _POOLED
        one = "; one box per object before localisation" if self.one_box else ""
        return (
            f"{iou}, {self.interpolation} average precision; worst frame by the average precision "
            f"{boxes}, {reach}; of equally bad frames the nearest, then the earlier; "
            f"frames without objects are not chosen{one}"
        )


@dataclass(frozen=True, eq=False)
class Scored:
    """One detector's mAP at each distance.

    Attributes:
        by_task: "detection" and "localisation" -> one record per seed.
        together: the group of each set, if whole groups are resampled.
    """

    dataset: str
    sets: FrameSets
    by_task: Mapping[str, tuple[PmKMap, ...]]
    settings: Settings
    together: tuple[str, ...] | None = None

    def estimate(self, task: str, place: int) -> Estimate:
        """Return the mAP at a distance, with an interval over sets.

        Args:
            place: the distance; -1 is the largest.

        >>> one = toys.scored({"mine": [3, 5]})["mine"]
        >>> one.estimate("detection", 0).value > one.estimate("detection", -1).value
        True
        """
        by_seed = self.by_task[task]
        # Kept: every claim about the number asks for its draws again, which take seconds.
        drawn = cache(partial(_drawn, by_seed[0], place, self))
        values = [float(one.values[place]) for one in by_seed]
        return Estimate.over(
            values,
            lambda: ends_of(Draws(self.dataset, drawn)),
            n=len(self.sets),
            draws=Draws(self.dataset, drawn),
        )


def truth_of(annotations: Sequence[Annotation]) -> Truth:
    """Return the objects of frames as input for detection metrics.

    >>> truth_of(toys.annotations(toys.frame_sets(2))).images[:3].tolist()
    [0, 1, 2]
    """
    images, classes, boxes = vid_boxes.flat(annotations)
    return Truth(images, classes, boxes)


def scored(
    found: Sequence[FoundBoxes],
    sets: FrameSets,
    truth: Truth,
    settings: Settings,
    together: tuple[str, ...] | None = None,
) -> Scored:
    """Return one detector's mAP at every distance, for detection and for localisation.

    Args:
        together: the group of each set, such as the drawing that it shows.

    Raises:
        InputError: boxes in different frames.

    >>> sets = toys.frame_sets(2)
    >>> found = toys.boxes({"mine": [2, 2]}, sets)["mine"]
    >>> one = scored([found], sets, truth_of(toys.annotations(sets)), Settings(samples=20))
    >>> one.by_task["detection"][0].values[[0, 10]].tolist()  # right everywhere
    [1.0, 1.0]
    """
    for one in found:
        if one.ids != sets.frames:
            raise InputError(
                f"Expected boxes in the {len(sets.frames)} frames of the sets, in their order, but "
                f"{one.model} has {len(one.ids)} other frames or another order. Run the detector "
                "on the image set with these sets."
            )
    by_task = {
        task: tuple(
            pm_k_map(
                truth,
                one.detections,
                sets.members,
                sets.offsets,
                settings.k,
                iou=settings.iou,
                interpolation=settings.interpolation,
                anchor=settings.anchor,
                localization=task == "localisation",
                by_class=settings.by_class,
                one_box=settings.one_box,
            )
            for one in found
        )
        for task in TASKS
    }
    return Scored(found[0].dataset, sets, by_task, settings, together)


def results(by_network: Mapping[str, Scored]) -> Results:
    """Return Table 2 as rows: all detectors' mAP at every distance, and their drops.

    Intervals come from resampled sets, with the same resamples for all numbers; drops are paired.

    >>> rows = results(toys.scored({"mine": [3, 5]}))
    >>> [(row.metric, row.k) for row in rows.rows[9:12]]
    [('pm_map', 9), ('pm_map', 10), ('map_drop', 10)]
    """
    rows: list[Row] = []
    drops: list[Estimate] = []
    for network, one in by_network.items():
        for task, (metric, metric_of_drop) in TASKS.items():
            row = partial(
                Row.of,
                item=ITEM,
                dataset=one.dataset,
                model=network,
                convention=one.settings.words,
            )
            ends = one.estimate(task, 0), one.estimate(task, -1)
            apart = difference(*ends)
            between = [(one.estimate(task, k), k) for k in range(1, one.settings.k)]
            rows += [
                row(ends[0], metric=metric, k=0),
                *(row(estimate, metric=metric, k=k) for estimate, k in between),
                row(ends[1], metric=metric, k=one.settings.k),
                row(apart, metric=metric_of_drop, k=one.settings.k),
            ]
            drops += [apart] if task == "detection" else []
    first = next(iter(by_network.values()))
    rows += _summaries(first, drops)
    rows.append(
        Row(item=ITEM, dataset=first.dataset, metric="models", value=float(len(by_network)))
    )
    return Results.of(rows)


def _summaries(first: Scored, drops: Sequence[Estimate]) -> Iterator[Row]:
    """Yield the median, the smallest and the largest drop of the detectors."""
    values = [one.value for one in drops]
    for metric, value in (
        ("median_map_drop", float(np.median(values))),
        ("smallest_map_drop", min(values)),
        ("largest_map_drop", max(values)),
    ):
        yield Row(
            item=ITEM,
            dataset=first.dataset,
            metric=metric,
            k=first.settings.k,
            convention=first.settings.words,
            value=value,
            n=len(first.sets),
            n_full=len(first.sets),
        )


def _drawn(one: PmKMap, place: int, of: Scored) -> Float[np.ndarray, " draws"]:
    # One generator for all: what is drawn of the sets is the same, so that numbers are paired.
    rng = seeds.generator("resamples of sets", of.dataset, len(one.frames))
    draws = map_draws(
        one.matches,
        one.frames[:, place],
        rng=rng,
        samples=of.settings.samples,
        interpolation=of.settings.interpolation,
        together=of.together,
    )
    return unshifted(draws, float(one.values[place]))
