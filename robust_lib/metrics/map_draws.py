"""Mean average precision and mean recall in resamples of the images, a thousand at once.

A resample is stored as the number of times that it contains each image. Detections are ranked once;
in a resample each counts as often as its image, so that the precision at every object found is a
quotient of running sums. Detections with equal scores keep the order of their image numbers, and
the copies of one image stay together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.box_matching import Matches
from robust_lib.metrics.detection import Interpolation, recall_points
from robust_lib.metrics.intervals import Draws, resampled

Images = Int[np.ndarray, " images"]
Counts = Int[np.ndarray, "samples images"]
ByClass = Float[np.ndarray, "samples classes"]

BATCH = 2**19
"""Numbers held at once, in several arrays: as many as fit into a processor's cache."""


def map_draws(
    matches: Matches,
    images: Images,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    interpolation: Interpolation = "all-point",
    size: int | None = None,
    together: Sequence[str] | None = None,
) -> Draws:
    """Return the mean average precision of each resample of the images.

    Args:
        images: indices of the images, such as the frame used for each anchor.
        rng: random generator; two selections of frames are resampled in pairs if their generators
            are in the same state.
        samples: number of resamples; a resample without any object gives NaN.
        size: images per resample, without replacement; None: all images, with replacement.
        together: the group of each image, if whole groups are drawn.

    Raises:
        InputError: no images, fewer than two samples, more images than there are, or an unknown
            interpolation.

    >>> from robust_lib.metrics.boxes import Detections, Truth
    >>> from robust_lib.metrics.detection import matched
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> truth = Truth(np.array([0, 1]), np.array([0, 0]), np.repeat(box, 2, 0))
    >>> found = Detections(np.array([0]), np.array([0]), box, np.array([0.9]))
    >>> draws = map_draws(matched(truth, found, 0.5), np.array([0, 1]),
    ...     rng=np.random.default_rng(0), samples=50)
    >>> np.unique(draws).tolist()
    [0.0, 0.5, 1.0]
    """
    points = recall_points(interpolation)
    drawn = _drawn(matches, images, rng, samples, size, together)
    precision = np.full(drawn.objects.shape, np.nan)
    for number in np.flatnonzero(drawn.objects.any(0)):
        of_class = drawn.detections[matches.classes[drawn.detections] == number]
        ranked = of_class[np.argsort(-matches.scores[of_class], kind="stable")]
        at_once = max(1, BATCH // (1 + max(len(ranked), int(drawn.objects[:, number].max()))))
        for start in range(0, samples, at_once):
            some = slice(start, start + at_once)
            precision[some, number] = _precision(
                drawn.counts[some][:, drawn.places[matches.images[ranked]]],
                matches.found[:, ranked],
                matches.ignored[:, ranked],
                drawn.objects[some, number],
                points,
            )
    return _mean(precision, drawn.objects)


def mar_draws(
    matches: Matches, images: Images, *, rng: np.random.Generator, samples: int = 1000
) -> Draws:
    """Return the mean recall of each resample of the images; see `detection.recall_by_class`.

    Args:
        rng: random generator; in the same state, it gives the resamples of `map_draws`.

    Raises:
        InputError: no images, or fewer than two samples.

    >>> from robust_lib.metrics.boxes import Detections, Truth
    >>> from robust_lib.metrics.detection import matched
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> truth = Truth(np.array([0, 1]), np.array([0, 0]), np.repeat(box, 2, 0))
    >>> found = Detections(np.array([0]), np.array([0]), box, np.array([0.9]))
    >>> draws = mar_draws(matched(truth, found, 0.5), np.array([0, 1]),
    ...     rng=np.random.default_rng(0), samples=50)
    >>> np.unique(draws).tolist()
    [0.0, 0.5, 1.0]
    """
    drawn = _drawn(matches, images, rng, samples)
    which = drawn.detections
    found = drawn.per_class(matches.images[which], matches.classes[which],
                            matches.found[:, which].mean(0))  # fmt: skip
    return _mean(found / np.where(drawn.objects, drawn.objects, 1), drawn.objects)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Resamples: how often each shows every image, and how many objects of each class.

    `places` leads from an image's number to its column of `counts`.
    """

    counts: Counts
    places: Int[np.ndarray, " _"]
    detections: Int[np.ndarray, " _"]
    objects: ByClass

    def per_class(
        self,
        images: Int[np.ndarray, " boxes"],
        classes: Int[np.ndarray, " boxes"],
        weights: Float[np.ndarray, " boxes"],
    ) -> ByClass:
        """Return the sum over each class's boxes in each resample."""
        return _per_class(self.counts, self.places[images], classes, weights, self.objects.shape[1])


def _drawn(
    matches: Matches,
    images: Images,
    rng: np.random.Generator,
    samples: int,
    size: int | None = None,
    together: Sequence[str] | None = None,
) -> _Drawn:
    if len(images) < 1 or samples < 2:
        raise InputError(
            f"Expected at least one image and two samples, but got {len(images)} and {samples}."
        )
    if size is not None and not 1 <= size <= len(images):
        raise InputError(f"Expected 1 to {len(images)} images in each sample, but got {size}.")
    numbers, place = np.unique(images, return_inverse=True)
    counts = np.empty((samples, len(numbers)), np.int32)
    resamples = resampled(len(images), rng=rng, together=together)
    for row in counts:
        which = next(resamples) if size is None else rng.choice(len(images), size, replace=False)
        row[:] = np.bincount(place[which], minlength=len(numbers))
    owners = (matches.images, matches.object_images)
    places = np.zeros(1 + max(int(of.max(initial=0)) for of in (numbers, *owners)), np.int64)
    places[numbers] = np.arange(len(numbers))
    detections, objects = (np.flatnonzero(np.isin(of, numbers)) for of in owners)
    classes = 1 + max(int(of.max(initial=-1)) for of in (matches.classes, matches.object_classes))
    held = _per_class(
        counts, places[matches.object_images[objects]], matches.object_classes[objects],
        np.ones(len(objects)), classes,
    )  # fmt: skip
    return _Drawn(counts, places, detections, held)


def _per_class(
    counts: Counts,
    places: Int[np.ndarray, " boxes"],
    classes: Int[np.ndarray, " boxes"],
    weights: Float[np.ndarray, " boxes"],
    number: int,
) -> ByClass:
    tally = np.zeros((counts.shape[1], number))
    np.add.at(tally, (places, classes), weights)
    result: ByClass = counts @ tally
    return result


def _precision(
    weights: Int[np.ndarray, "samples detections"],
    found: Bool[np.ndarray, "thresholds detections"],
    ignored: Bool[np.ndarray, "thresholds detections"],
    objects: Float[np.ndarray, " samples"],
    points: Float[np.ndarray, " points"] | None,
) -> Float[np.ndarray, " samples"]:
    """Return the average precision of a class in some resamples, the mean over the thresholds.

    Of an object that a resample shows several times only the last copy has the right precision,
    but the earlier ones have a lower one, which is raised to it.
    """
    called = np.cumsum(weights, 1, dtype=np.int32)
    reached = None if points is None else _reached(objects, points)
    total = np.zeros(len(weights))
    for right, neither in zip(found, ignored, strict=True):
        hits, skipped = np.flatnonzero(right), np.flatnonzero(neither)
        counted = called[:, hits]
        if len(skipped):
            passed = np.cumsum(weights[:, skipped], 1, dtype=np.int32)
            passed = np.concatenate([np.zeros_like(passed[:, :1]), passed], 1)
            counted -= passed[:, np.searchsorted(skipped, hits)]
        number = np.cumsum(weights[:, hits], 1, dtype=np.int32)
        precision = number / np.maximum(counted, 1)
        precision = np.maximum.accumulate(precision[:, ::-1], 1)[:, ::-1]
        if reached is None:
            gain = weights[:, hits] / np.maximum(objects, 1)[:, None]
        else:
            gain = np.diff(np.take_along_axis(reached, number, 1), axis=1, prepend=0)
        total += np.einsum("sh,sh->s", precision, gain)
    mean: Float[np.ndarray, " samples"] = total / len(found)
    return mean


def _reached(
    objects: Float[np.ndarray, " samples"], points: Float[np.ndarray, " points"]
) -> Float[np.ndarray, "samples found"]:
    """Return the share of the points that each number of objects found reaches; 0 reaches none."""
    number = np.arange(1 + int(objects.max(initial=0)))
    recall = number / np.maximum(objects, 1)[:, None]
    share: Float[np.ndarray, "samples found"] = np.searchsorted(points, recall, side="right") / len(
        points
    )
    share[:, 0] = 0
    return share


def _mean(by_class: ByClass, objects: ByClass) -> Draws:
    """Return the mean over the classes that have objects, resample by resample."""
    known = objects > 0
    number = known.sum(1)
    total = np.where(known, by_class, 0.0).sum(1)
    draws: Draws = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    return draws
