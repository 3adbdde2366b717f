"""Detectors' boxes in a data set, matched with its objects, with and without OOD objects.

[nao, sec. 4.1] does not say how out-of-distribution objects were left out; `metrics.foreign` states
a rule, and here it is a setting. Without annotations of out-of-distribution objects, only two
bounds are known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.datasets.objects import Objects, foreign_of, truth_of
from robust_lib.errors import InputError, one_of
from robust_lib.metrics import foreign as rules
from robust_lib.metrics.box_matching import SIZES, Matches, Size
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import (
    Interpolation,
    Iou,
    map_of,
    matched,
    recall_by_class,
    require_matching,
)
from robust_lib.metrics.leaning import unshifted
from robust_lib.metrics.map_draws import map_draws, mar_draws
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.results.estimate import Draws, Estimate, ends_of

Rule = Literal["overlap", "unrelated", "crowd", "pictures", "found"]
"""Which detections do not count: see `RULES`."""

RULES: Mapping[Rule, str] = {
    "overlap": "without boxes that overlap an OOD object as much as required",
    "unrelated": "likewise, but wide labels (vehicle) and parts (face) are not OOD",
    "crowd": "OOD objects as COCO's crowds, of every class",
    "pictures": "only images with an object of the label set",
    "found": "without boxes that match no object",
}
"""Rule -> its description; the first is the paper's in our reading, the last two are bounds.

The second is known where OpenImages' hierarchy tells which words are wider than a class of COCO
(vehicle, clothing) or a part of one (human face): boxes of these are on most cars and people.
"""

CHOICES: tuple[Rule, ...] = tuple(rule for rule in RULES if rule != "unrelated")
"""The rules that can stand for the paper's."""
BOUNDS: tuple[Rule, Rule] = ("pictures", "found")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How mAP is computed: overlap, interpolation, and the rule for out-of-distribution objects.

    Attributes:
        iou: minimum IoU of a detection, or "coco" for its ten thresholds.
        foreign: the rule that leaves out out-of-distribution objects, one of `CHOICES`.

    Raises:
        InputError: an unknown rule.
    """

    iou: Iou = "coco"
    foreign: Rule = "overlap"
    interpolation: Interpolation = "101-point"
    samples: int = 1000

    def __post_init__(self) -> None:
        if self.foreign not in CHOICES:
            raise InputError(
                one_of("a rule about out-of-distribution objects", self.foreign, CHOICES)
            )
        require_matching(self.iou, self.interpolation)

    @property
    def words(self) -> str:
        """Return the conventions as text.

        >>> Settings(iou=0.5).words
        'IoU 0.5, 101-point average precision, at most 100 boxes per image and class'
        """
        iou = "IoU .5 to .95" if self.iou == "coco" else f"IoU {self.iou:g}"
        most = "at most 100 boxes per image and class"
        return f"{iou}, {self.interpolation} average precision, {most}"


@dataclass(frozen=True, eq=False)
class Scored:
    """One detector's boxes in one data set, matched.

    Attributes:
        matches: one record per seed, with all objects counted.
        by_rule: rule -> the same without out-of-distribution objects, for rules whose boxes are
            known.
    """

    dataset: str
    images: int
    images_full: int
    matches: tuple[Matches, ...]
    by_rule: Mapping[Rule, tuple[Matches, ...]]
    settings: Settings

    def map(self, rule: Rule | None = None) -> Estimate:
        """Return the mAP with an interval over images; with a `rule`, without OOD objects.

        >>> one, _ = toys.coco_maps({"mine": (12, 6)})["mine"]
        >>> one.map().value
        1.0
        """
        by_seed = self.matches if rule is None else self.by_rule[rule]
        kind = self.settings.interpolation
        values = [map_of(one, interpolation=kind) for one in by_seed]
        return self._estimate(values, partial(map_draws, by_seed[0], interpolation=kind))

    def mar(self) -> Estimate:
        """Return COCO's mean average recall, with an interval over images."""
        values = [float(np.nanmean(recall_by_class(one))) for one in self.matches]
        return self._estimate(values, partial(mar_draws, self.matches[0]))

    def without_foreign(self) -> Estimate:
        """Return the mAP without OOD objects, by the rule of the settings.

        If OOD objects are not annotated, the ends of the interval are two bounds, and the value is
        the lower one.
        """
        if self.settings.foreign in self.by_rule:
            return self.map(self.settings.foreign)
        low, high = (self.map(rule).value for rule in BOUNDS)
        return Estimate(
            value=low, low=low, high=max(low, high), n=self.images, n_full=self.images_full
        )

    @property
    def is_bounded(self) -> bool:
        """Return whether only bounds of the mAP without out-of-distribution objects are known."""
        return self.settings.foreign not in self.by_rule

    def dropped(self, rule: Rule) -> int:
        """Return how many detections a rule leaves out at the lowest threshold, for one seed."""
        return int(rules.dropped(self.matches[0], self.by_rule[rule][0])[0])

    def _estimate(self, values: Sequence[float], of_resamples: partial[np.ndarray]) -> Estimate:
        # Kept: every claim about the number asks for its draws again, which take seconds.
        drawn = Draws(self.dataset, cache(partial(_drawn, self, of_resamples, values[0])))
        return Estimate.over(
            values, lambda: ends_of(drawn), n=self.images, n_full=self.images_full, draws=drawn
        )


def scored(
    found: Sequence[FoundBoxes],
    ids: Sequence[str],
    objects: Sequence[Objects],
    settings: Settings,
) -> Scored:
    """Return one detector's boxes matched with the objects of a data set.

    Args:
        found: one record per seed.

    Raises:
        InputError: boxes in different images.

    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> one = scored([found], images.ids, images.annotations, Settings(iou=0.5, samples=20))
    >>> one.map().value < one.map("overlap").value == 1
    True
    """
    shown = seen(found[0], ids, objects)
    truth, foreign = truth_of(shown), foreign_of(shown)
    matches = tuple(matched(truth, one.detections, settings.iou) for one in found)
    apart = foreign_of(shown, unrelated=True)
    others: dict[Rule, Truth | None] = {"overlap": foreign, "unrelated": apart, "crowd": foreign}
    by_rule: dict[Rule, tuple[Matches, ...]] = {
        rule: tuple(
            _ruled(rule, one, boxes.detections, others.get(rule))
            for one, boxes in zip(matches, found, strict=True)
        )
        for rule in RULES
        if rule in BOUNDS or others[rule] is not None
    }
    return Scored(found[0].dataset, len(shown), len(ids), matches, by_rule, settings)


def by_size(
    found: Sequence[FoundBoxes],
    ids: Sequence[str],
    objects: Sequence[Objects],
    settings: Settings,
) -> dict[Size, Scored]:
    """Return one detector's boxes matched with the small, the medium and the large objects.

    As in COCO's evaluation, objects of other sizes need not be found. An object's size is the area
    of its outline, or of its box if outlines are not known. Detections on out-of-distribution
    objects count as wrong.

    Raises:
        InputError: boxes in different images.

    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> sizes = by_size([found], images.ids, images.annotations, Settings(iou=0.5, samples=20))
    >>> [len(one.matches[0].objects) for one in sizes.values()]
    [10, 0, 0]
    """
    shown = seen(found[0], ids, objects)
    truth = truth_of(shown)
    return {
        size: Scored(
            *(found[0].dataset, len(shown), len(ids)),
            tuple(matched(truth, one.detections, settings.iou, size=size) for one in found),
            {},
            settings,
        )
        for size in SIZES
    }


def seen(found: FoundBoxes, ids: Sequence[str], objects: Sequence[Objects]) -> list[Objects]:
    """Return the objects of the images that a detector was evaluated on, in its order.

    Raises:
        InputError: it was evaluated on different images.

    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> len(seen(found, images.ids, images.annotations))
    12
    """
    places = {one: place for place, one in enumerate(ids)}
    others = [one for one in found.ids if one not in places]
    if others:
        raise InputError(
            f"Expected boxes in images of {found.dataset}, but {len(others)} of {len(found.ids)} "
            f"are in others, such as {others[0]}. Run the detector on the image set with these "
            "objects."
        )
    return [objects[places[one]] for one in found.ids]


def rule_words(one: Scored) -> str:
    """Return how out-of-distribution objects were left out, as text.

    >>> rule_words(toys.coco_maps({"mine": (12, 6)})["mine"][1])
    'without boxes that overlap an OOD object as much as required'
    """
    if one.is_bounded:
        low, high = (RULES[rule] for rule in BOUNDS)
        return f"OOD objects are not marked: bounds, {low} and {high}"
    return RULES[one.settings.foreign]


def _ruled(rule: Rule, matches: Matches, detections: Detections, foreign: Truth | None) -> Matches:
    if rule == "pictures":
        return rules.in_pictures_with_objects(matches)
    if rule == "found" or foreign is None:
        return rules.only_found(matches)
    return rules.forgiven(matches, detections, foreign, as_crowds=rule == "crowd")


def _drawn(
    one: Scored, of_resamples: partial[np.ndarray], value: float
) -> Float[np.ndarray, " draws"]:
    # One generator for all: what is drawn of the pictures is the same, so that numbers are paired.
    rng = seeds.generator("resamples of pictures", one.dataset, one.images)
    draws: Float[np.ndarray, " draws"] = of_resamples(
        images=np.arange(one.images), rng=rng, samples=one.settings.samples
    )
    return unshifted(draws, value)
