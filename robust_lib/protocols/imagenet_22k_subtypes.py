"""Seen and unseen subtypes of ImageNet-22K: accuracy on known classes [inc, app. E].

A subtype is a synset of ImageNet-22K below a broad class; in the miniature it is a drawing. The
images of one subtype are correlated, and a class may have a single unseen subtype. Intervals are
therefore over classes, which are resampled with all of their images, identically on both sides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int64

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import clustered_rates, percentiles
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results.estimate import Draws, Estimate, difference, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "inc-fig8"
Side = Literal["seen", "unseen"]
SIDES: tuple[Side, ...] = ("seen", "unseen")
OVER_CLASSES = "intervals over classes"
OVER_PICTURES = "interval over images"
MEAN = "mean of the networks, intervals over classes"


@dataclass(frozen=True, eq=False)
class SubtypePredictions:
    """Predictions on images of seen and unseen subtypes, and on ordinary images.

    Attributes:
        seen, unseen: predictions on images of each kind.
        clean: predictions of the networks before fine-tuning on the ordinary test set.
        subtypes: the subtype of each image, for each side.
        before: network -> the network before fine-tuning, or the same network if it was not
            fine-tuned.
        shared: number of subtypes that belong to two classes and are left out.

    Raises:
        InputError: a subtype is on both sides.
    """

    seen: MaskedPredictions
    unseen: MaskedPredictions
    clean: MaskedPredictions
    subtypes: Mapping[Side, tuple[str, ...]]
    before: Mapping[str, str]
    class_names: tuple[str, ...]
    shared: int = 0
    samples: int = 1000

    def __post_init__(self) -> None:
        if both := sorted(set(self.subtypes["seen"]) & set(self.subtypes["unseen"])):
            raise InputError(
                f"Expected subtypes that are either seen or unseen, but {both[0]} is on both sides "
                f"({len(both)} are). Remove it from one of the two data sets."
            )

    @property
    def networks(self) -> tuple[str, ...]:
        """Return the names of the networks."""
        return tuple(self.unseen.predictions)

    def of(self, side: Side) -> MaskedPredictions:
        """Return the predictions of one side."""
        return self.seen if side == "seen" else self.unseen

    @cached_property
    def estimates(self) -> dict[tuple[str, Side], Estimate]:
        """Return (network, side) -> accuracy, with an interval over classes."""
        return {
            (name, side): _over_classes(
                [one.correct for one in self.of(side).predictions[name]],
                self.of(side).predictions[name][0].labels,
                self.samples,
            )
            for name in self.networks
            for side in SIDES
        }


def results(answers: SubtypePredictions) -> Results:
    """Return the accuracies of Figure 8 and the gaps between them, as rows.

    >>> found = results(toys.subtype_answers({"mine": (9, 6)}))
    >>> [round(row.value, 2) for row in found.select(model="mine", metric="accuracy").rows]
    [0.75, 0.5, 0.75]
    >>> found.row(model="mine", metric="drop", convention=OVER_CLASSES).value
    0.25
    """
    rows = []
    gaps = []
    unseen = answers.unseen.dataset
    for name in answers.networks:
        both = [answers.estimates[name, side] for side in SIDES]
        for side, estimate in zip(SIDES, both, strict=True):
            words = f"{answers.of(side).convention}, {OVER_CLASSES}"
            rows.append(_row(estimate, answers.of(side).dataset, name, "accuracy", words))
        before = answers.clean.predictions[answers.before[name]]
        clean = Estimate.of_rate([one.correct for one in before], images=before[0].sample)
        rows.append(_row(clean, answers.clean.dataset, name, "accuracy", "before it was tuned"))
        gaps.append(difference(*both))
        rows.append(_row(gaps[-1], unseen, name, "drop", OVER_CLASSES))
        single = [
            Estimate.of_rate(
                [one.correct for one in answers.of(side).predictions[name]],
                images=answers.of(side).dataset,
                samples=answers.samples,
            )
            for side in SIDES
        ]
        rows.append(_row(difference(*single), unseen, name, "drop", OVER_PICTURES))
    rows.append(_row(_mean(gaps), unseen, None, "drop", MEAN))
    told = {"dataset": unseen, "metric": "classes", "value": float(len(answers.class_names))}
    counts = [Row(item=ITEM, **told)]  # type: ignore[arg-type]
    counts += [
        Row(
            item=ITEM,
            dataset=answers.of(side).dataset,
            metric="subtypes",
            value=float(len(set(answers.subtypes[side]))),
        )
        for side in SIDES
    ]
    return Results.of(rows + counts)


def _row(estimate: Estimate, dataset: str, model: str | None, metric: str, convention: str) -> Row:
    return Row.of(
        estimate, item=ITEM, dataset=dataset, model=model, metric=metric, convention=convention
    )


def _over_classes(
    by_seed: Sequence[Bool[np.ndarray, " images"]],
    labels: Int64[np.ndarray, " images"],
    samples: int,
) -> Estimate:
    draws = partial(clustered_rates, by_seed[0], labels, "classes", samples=samples)
    return Estimate.over(
        [float(counted.mean()) for counted in by_seed],
        lambda: percentiles(draws()),
        n=len(labels),
        draws=Draws("classes", draws),
    )


def _mean(gaps: Sequence[Estimate]) -> Estimate:
    """Return the mean of the networks' gaps; each draw is the mean of the networks' draws."""
    drawn = [one.draws for one in gaps if one.draws is not None]

    def means() -> Float[np.ndarray, " draws"]:
        return np.asarray(np.mean([one.values() for one in drawn], axis=0), np.float64)

    value = float(np.mean([one.value for one in gaps]))
    draws = Draws(drawn[0].of, means) if len(drawn) == len(gaps) else None
    ends = None if draws is None else ends_of(draws)
    return Estimate(
        value=value,
        # The mean of equal draws may miss them by a rounding error.
        low=None if ends is None else min(ends[0], value),
        high=None if ends is None else max(ends[1], value),
        n=len(gaps),
        n_full=len(gaps),
        draws=draws,
    )


@dataclass(frozen=True)
class Subtype:
    """One unseen subtype and its predictions.

    Attributes:
        places: indices of its images in the image set.
        accuracy: mean over networks and seeds.
        taken_for: the class that it is most often mistaken for, and its share of the predictions;
            None without mistakes.
    """

    name: str
    label: int
    places: tuple[int, ...]
    accuracy: float
    taken_for: tuple[int, float] | None


def of_subtypes(answers: SubtypePredictions, side: Side = "unseen") -> tuple[Subtype, ...]:
    """Return each subtype's predictions over all networks, the least accurate first.

    >>> found = of_subtypes(toys.subtype_answers({"mine": (9, 6)}))
    >>> found[0].accuracy <= found[-1].accuracy, len(found)
    (True, 6)
    """
    every = [one for by_seed in answers.of(side).predictions.values() for one in by_seed]
    said = np.stack([one.predicted for one in every])
    labels = every[0].labels
    names = np.array(answers.subtypes[side])
    found = []
    for name in dict.fromkeys(answers.subtypes[side]):
        places = np.flatnonzero(names == name)
        label = int(labels[places[0]])
        counts = np.bincount(said[:, places].ravel(), minlength=len(answers.class_names))
        total, right = int(counts.sum()), int(counts[label])
        counts[label] = 0
        most = int(counts.argmax())
        taken_for = (most, float(counts[most]) / total) if counts[most] else None
        found.append(Subtype(name, label, tuple(places.tolist()), right / total, taken_for))
    return tuple(sorted(found, key=lambda one: (one.accuracy, one.name)))


def by_class(answers: SubtypePredictions, side: Side) -> Float[np.ndarray, " classes"]:
    """Return the accuracy of each class, averaged over networks and seeds; NaN without images.

    >>> by_class(toys.subtype_answers({"mine": (12, 6)}), "seen").tolist()
    [1.0, 1.0, 1.0]
    """
    every = [one for by_seed in answers.of(side).predictions.values() for one in by_seed]
    right = np.mean([one.correct for one in every], axis=0)
    labels, classes = every[0].labels, len(answers.class_names)
    images = np.bincount(labels, minlength=classes)
    sums = np.bincount(labels, weights=right, minlength=classes)
    found = np.divide(sums, images, out=np.full(classes, np.nan), where=images > 0)
    return np.asarray(found, np.float64)
