"""Class means: one number per object, averaged by class and then over the classes.

A class with many objects then counts no more than one with few, but a class with hardly any is left
out: its single object would weigh as much as a whole class, and resamples without that object would
lack the class. Images are resampled as a whole, with all of their objects. Which classes have
enough objects is part of the statistic, so each resample determines it: otherwise, a single
object at the threshold could add or remove a class, and thereby move the mean out of its interval.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import shared_rates

ByClass = Float[np.ndarray, " classes"]
Draws = Float[np.ndarray, "samples classes"]
Flags = Bool[np.ndarray, " classes"]

FEWEST = 5
"""The smallest number of objects of a class that counts in a mean over classes."""


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """Sums over objects by image and class, from which class means are computed.

    Attributes:
        totals: sums of the objects' numbers.
        weights: sums of the divisors: the number of objects, or other divisors for a ratio of sums.
        by_image: number of objects that have a value.
    """

    totals: Float[np.ndarray, "images classes"]
    weights: Float[np.ndarray, "images classes"]
    by_image: Int[np.ndarray, "images classes"]

    @property
    def objects(self) -> Int[np.ndarray, " classes"]:
        """Return the number of objects of each class that have a value."""
        return np.asarray(self.by_image.sum(0))

    @property
    def values(self) -> ByClass:
        """Return the mean of each class; NaN if it has no object."""
        return _ratio(self.totals.sum(0), self.weights.sum(0))

    @property
    def known(self) -> Flags:
        """Return which classes have objects."""
        return np.asarray(np.isfinite(self.values))

    @property
    def counted(self) -> Flags:
        """Return which classes count in a mean: those with enough objects, or all if none has."""
        return _counted(self.objects, self.known)

    @property
    def words(self) -> str:
        """Return, as text, which classes count in a mean over classes."""
        many, known = int((self.counted & self.known).sum()), int(self.known.sum())
        if many == known:
            return f"mean over {known} classes"
        return f"mean over {many} of {known} classes, those with at least {FEWEST} objects"

    def over_classes(self, values: Float[np.ndarray, "*draws classes"]) -> np.ndarray:
        """Return the mean over the counted classes, along the last axis; NaN if there are none."""
        return np.asarray(mean_over_classes(values[..., self.counted]))

    def draws(self, images: str, samples: int = 1000, *, counted: bool = False) -> Draws:
        """Return the mean of each class in resamples of the images; NaN if it has no object.

        Args:
            images: name of the image set; values from the same images are resampled together.
            counted: whether a class is also NaN in the resamples in which it does not count in a
                mean over classes.
        """
        sums = np.concatenate([self.totals.T, self.weights.T, self.by_image.T])
        drawn = shared_rates(sums, images, samples=samples)
        totals, weights, objects = np.split(drawn, 3, axis=1)
        means = _ratio(totals, weights)
        # A mean lies between the least and the greatest of its numbers, whatever the rounding.
        each = np.where(self.weights > 0, _ratio(self.totals, self.weights), np.nan)
        known = np.isfinite(each).any(0)
        for label in np.flatnonzero(known):
            ends = np.nanmin(each[:, label]), np.nanmax(each[:, label])
            means[:, label] = np.clip(means[:, label], *ends)
        if counted:
            whole = np.rint(objects * len(self.by_image))
            means[~_counted(whole, np.isfinite(means))] = np.nan
        return means


def class_means(
    values: Float[np.ndarray, " objects"],
    images: Int[np.ndarray, " objects"],
    classes: Int[np.ndarray, " objects"],
    shape: tuple[int, int],
    *,
    over: Float[np.ndarray, " objects"] | None = None,
) -> ClassMeans:
    """Return the mean by class of a value that each object has.

    Args:
        values: one number per object.
        images: the number of each object's image.
        shape: the number of images and the number of classes.
        over: divisors, summed in the same way; None: the number of objects.

    Raises:
        InputError: a value that is not finite.

    >>> images, classes = np.array([0, 1, 1]), np.array([0, 0, 2])
    >>> found = class_means(np.array([0.2, 0.4, 0.9]), images, classes, (2, 3))
    >>> found.values.round(2).tolist()
    [0.3, nan, 0.9]
    """
    if not np.isfinite(values).all():
        raise InputError(
            "Expected a finite number for each object, but got "
            f"{int((~np.isfinite(values)).sum())} that are not. Omit these objects."
        )
    weights = np.ones(len(values)) if over is None else over
    sums = np.zeros((3, *shape))
    for place, numbers in enumerate((values, weights, weights != 0)):
        np.add.at(sums[place], (images, classes), numbers)
    return ClassMeans(sums[0], sums[1], sums[2].astype(np.int64))


def mean_over_classes(values: Float[np.ndarray, "*draws classes"]) -> Float[np.ndarray, "*draws"]:
    """Return the mean over the classes that have a value, along the last axis; NaN if none has.

    >>> mean_over_classes(np.array([[0.2, np.nan, 0.4], [np.nan] * 3])).round(2).tolist()
    [0.3, nan]
    """
    known = np.isfinite(values)
    totals = np.asarray(np.where(known, values, 0.0).sum(-1))
    return _ratio(totals, np.asarray(known.sum(-1), np.float64))


def _counted(objects: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the classes with enough objects, along the last axis, or all known if none has."""
    enough = (objects >= FEWEST) & known
    return np.asarray(np.where(enough.any(-1, keepdims=True), enough, known))


def _ratio(totals: np.ndarray, weights: np.ndarray) -> np.ndarray:
    some = weights != 0
    return np.asarray(np.where(some, totals / np.where(some, weights, 1.0), np.nan))
