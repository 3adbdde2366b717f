"""How a detector's confidence changes when the image of an object is changed, as rows.

Backgrounds are replaced [nao, sec. 4.4, fig. 6], and patches inside the box swapped [nao, sec. 4.6,
fig. 8]. The paper does not say which overlap makes two boxes the same, how an object counts that is
not found again, or whether Figure 6 averages signed or absolute changes. Here a lost object has
probability 0, and absolute changes are averaged, so that increases and decreases do not cancel;
results for both alternatives are given as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from robust_lib.errors import InputError, one_of
from robust_lib.metrics.box_matching import matched_scores
from robust_lib.metrics.boxes import Detections
from robust_lib.metrics.class_means import ClassMeans, class_means, mean_over_classes
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row

Lost = Literal["zero", "left out"]
LOST = ("zero", "left out")
"""How an object counts that is not detected again: with probability zero, or not at all."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of the study: matching of boxes, and treatment of lost objects.

    Attributes:
        score: minimum score of a prediction that is studied.
        iou: minimum IoU of a box in a changed image with the original one.
        lost: treatment of an object that is no longer detected.
    """

    score: float
    iou: float = 0.5
    lost: Lost = "zero"
    samples: int = 1000

    def __post_init__(self) -> None:
        if self.lost not in LOST:
            raise InputError(one_of("lost", self.lost, LOST))

    @property
    def words(self) -> str:
        """Return the conventions as text.

        >>> Settings(score=0.5).words.rpartition("; ")[2]
        'an object that is not found again has probability 0'
        """
        lost = (
            "an object that is not found again has probability 0"
            if self.lost == "zero"
            else "versions in which an object is not found again are left out"
        )
        return (
            f"predictions from {self.score:g}, found again by the same class and the highest "
            f"overlap, from IoU {self.iou:g}; {lost}"
        )


@dataclass(frozen=True, eq=False)
class Changes:
    """A detector's confidence in some objects, before and after their images are changed.

    Attributes:
        before: the predictions on unchanged images; their `images` are indices in the set.
        after: (predictions, versions), scores; 0 if the object is no longer detected.
    """

    dataset: str
    classes: tuple[str, ...]
    before: Detections
    versions: tuple[str, ...]
    after: Float[np.ndarray, "predictions versions"]
    settings: Settings

    @property
    def lost(self) -> Bool[np.ndarray, "predictions versions"]:
        """Return which objects are no longer detected."""
        return np.asarray(self.after == 0)

    def of_version(self, version: str) -> "Changes":
        """Return the changes of one version alone."""
        place = self.versions.index(version)
        return Changes(
            self.dataset,
            self.classes,
            self.before,
            (version,),
            self.after[:, [place]],
            self.settings,
        )

    @cached_property
    def absolute(self) -> ClassMeans:
        """Return the mean absolute change by image and class, over versions and objects."""
        return self._means(np.abs(self._change))

    @cached_property
    def signed(self) -> ClassMeans:
        """Return the mean signed change; it is negative if the detector gets less confident."""
        return self._means(self._change)

    @cached_property
    def lost_share(self) -> ClassMeans:
        """Return the share of versions in which an object is no longer detected."""
        return self._means(self.lost.astype(np.float64), counted=np.ones_like(self.lost))

    @property
    def _change(self) -> Float[np.ndarray, "predictions versions"]:
        return np.asarray(self.after - self.before.scores[:, None].astype(np.float64))

    def _means(
        self,
        values: Float[np.ndarray, "predictions versions"],
        counted: Bool[np.ndarray, "predictions versions"] | None = None,
    ) -> ClassMeans:
        if counted is None:
            counted = ~self.lost | (self.settings.lost == "zero")
        places, images = np.unique(self.before.images, return_inverse=True)
        many = counted.sum(1)
        sums = np.where(counted, values, 0.0).sum(1)
        # Versions of an object are one observation, however many of them count.
        own = np.divide(sums, many, out=np.zeros(len(sums)), where=many > 0)
        return class_means(
            own,
            images,
            self.before.classes.astype(np.int64),
            (len(places), len(self.classes)),
            over=(many > 0).astype(np.float64),
        )


def changes(
    before: Detections,
    after: FoundBoxes,
    versions: Sequence[str],
    *,
    dataset: str,
    classes: Sequence[str],
    settings: Settings,
) -> Changes:
    """Return the confidence before and after, with boxes matched by class and overlap.

    Args:
        after: boxes in the changed images: first all versions of the first prediction's image, then
            those of the second, and so on.

    Raises:
        InputError: a wrong number of changed images.

    >>> found = toys.found_boxes([(0, 1, 0.75)])
    >>> again = toys.found_boxes([(0, 1, 0.5), (1, 0, 0.9)])  # the second has another name
    >>> one = changes(found.detections, again, ["sky", "sea"], dataset="toys",
    ...     classes=("cat", "dog"), settings=Settings(score=0.5))
    >>> one.after.tolist(), float(one.absolute.values[1])
    ([[0.5, 0.0]], 0.5)
    """
    many = len(versions)
    if len(after.ids) != many * len(before.images):
        raise InputError(
            f"Expected {many} changed images of each of {len(before.images)} predictions, but got "
            f"{len(after.ids)}. Evaluate the detector on the set that was made from these "
            "predictions."
        )
    asked = Detections(
        np.arange(len(after.ids)),
        np.repeat(before.classes, many),
        np.repeat(before.boxes, many, 0),
        np.repeat(before.scores, many),
    )
    again = matched_scores(asked, after.detections, settings.iou)
    shape = (len(before.images), many)
    return Changes(dataset, tuple(classes), before, tuple(versions), again.reshape(shape), settings)


def rows(item: str, model: str, found: Changes, controls: Mapping[str, Changes]) -> list[Row]:
    """Return the rows of one data set: over all classes, by class, by version, and of the controls.

    Numbers over all classes are means of the class means, like the paper's dotted lines; classes
    with hardly any object do not count.

    Args:
        controls: name of a stronger change -> its effect.

    >>> one = toys.changes([0.8, 0.6], [[0.7, 0.8], [0.0, 0.3]])
    >>> found = rows("nao-fig6", "mine", one, {})
    >>> [round(row.value, 3) for row in found[:3]]  # absolute, signed, lost
    [0.25, -0.25, 0.25]
    """
    row = partial(_rows, item, model)
    name = found.dataset
    made = [
        *row(found, {name: found.absolute}, ABSOLUTE),
        *row(found, {name: found.signed}, SIGNED),
        *row(found, {name: found.lost_share}, LOST_SHARE),
        *_by_class(item, model, found),
    ]
    for title, control in controls.items():
        made += row(control, {title: control.absolute}, ABSOLUTE)
        made += row(control, {title: control.lost_share}, LOST_SHARE)
    return made


def by_version(item: str, model: str, found: Changes, title: str) -> list[Row]:
    """Return one row per version, such as each background.

    >>> one = toys.changes([0.8, 0.6], [[0.7, 0.8], [0.0, 0.3]])
    >>> found = by_version("nao-fig6", "mine", one, "grounds")
    >>> [(row.dataset, round(row.value, 2)) for row in found]
    [('toys/grounds/a', 0.35), ('toys/grounds/b', 0.15)]
    """
    alone = {one: found.of_version(one) for one in found.versions}
    named = {f"{found.dataset}/{title}/{one}": of.absolute for one, of in alone.items()}
    return _rows(item, model, found, named, ABSOLUTE)


ABSOLUTE, SIGNED, LOST_SHARE = "probability_change", "signed_probability_change", "lost_share"


def _rows(
    item: str, model: str, found: Changes, by_name: Mapping[str, ClassMeans], metric: str
) -> list[Row]:
    """Return one row per name, with the mean over classes; no row if no class has a number."""
    made = []
    for name, means in by_name.items():
        value = float(means.over_classes(means.values))
        if np.isfinite(value):
            drawn = partial(_over_classes, means, found.dataset, found.settings.samples)
            draws = Draws(found.dataset, drawn)
            many = int(means.objects[means.counted].sum())
            estimate = Estimate.over([value], partial(ends_of, draws), n=many, draws=draws)
            made.append(
                Row.of(
                    estimate,
                    item=item,
                    model=model,
                    dataset=name,
                    metric=metric,
                    convention=f"{found.settings.words}; {means.words}",
                )
            )
    return made


def _by_class(item: str, model: str, found: Changes) -> Iterator[Row]:
    means = found.absolute
    for label in np.flatnonzero(means.known):
        drawn = partial(_class, means, found.dataset, found.settings.samples, int(label))
        draws = Draws(found.dataset, drawn)
        many = int(means.weights[:, label].sum())
        value = float(means.values[label])
        yield Row.of(
            Estimate.over([value], partial(ends_of, draws), n=many, draws=draws),
            item=item,
            model=model,
            dataset=f"{found.dataset}/{found.classes[label]}",
            metric=ABSOLUTE,
            convention=found.settings.words,
        )


def _over_classes(means: ClassMeans, name: str, samples: int) -> Float[np.ndarray, " draws"]:
    return mean_over_classes(means.draws(name, samples, counted=True))


def _class(means: ClassMeans, name: str, samples: int, label: int) -> Float[np.ndarray, " draws"]:
    return means.draws(name, samples)[:, label]
