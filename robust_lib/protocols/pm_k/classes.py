"""pm-k accuracy by class, and the share of the drop in a few classes [vid, sec. 4.1, fig. 5]."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from robust_lib import seeds
from robust_lib.metrics.intervals import Sample, clustered_sums, shared_rates
from robust_lib.metrics.leaning import unshifted
from robust_lib.protocols.pm_k.classification import accuracy, dropped
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "vid-fig5"

FEWEST_LOST = 2
"""The smallest number of lost sets per class at which their spread over classes is computed."""

DEALT = 1000
"""The number of times that lost sets are drawn at random."""

WORST_THIRD = {
    "worst_third_share": "share of all lost sets in the third of the classes with most of them",
    "worst_third_by_lot": f"the same for lost sets drawn at random, mean of {DEALT:,} draws",
    "worst_third_excess": "share minus that at random, divided by one minus that at random",
}
"""Metrics of the spread of lost sets over classes -> their definition."""


def by_class(answers: FramePredictions, network: str, classes: Sequence[str]) -> Results:
    """Return a network's accuracy on the anchors and the worst frames of each class, as rows.

    A set belongs to every class that its anchor shows; a class without sets has no rows.

    >>> rows = by_class(toys.answers({"mine": [3, 5]}), "mine", ["bear", "bird"])
    >>> [(row.dataset, row.k, row.value) for row in rows.select(metric="pm_accuracy").rows[2:4]]
    [('toys/bear', 0, 0.6), ('toys/bear', 10, 0.4)]
    """
    row = partial(Row.of, item=ITEM, model=network, convention=answers.words)
    rows = [
        row(accuracy(answers, network, k), dataset=answers.dataset, metric="pm_accuracy", k=k)
        for k in (0, answers.k)
    ]
    shown = answers.sets.truth[answers.sets.anchors]
    hits = answers.hits(network)
    for place, name in enumerate(classes):
        sets = shown[:, place]
        for k in (0, answers.k) if sets.any() else ():
            own = answers.sample.part(f"{answers.dataset}/{name}", np.flatnonzero(sets).tolist())
            found = Estimate.of_rate([one[sets, k] for one in hits], images=own)
            rows.append(row(found, dataset=f"{answers.dataset}/{name}", metric="pm_accuracy", k=k))
    whole = partial(row, dataset=answers.dataset, k=answers.k)
    rows += [
        whole(dropped(answers, network), metric="drop"),
        whole(_over_classes(answers, network, _median), metric="median_class_drop"),
        whole(_over_classes(answers, network, _with_drop), metric="classes_with_drop"),
    ]
    count = float(shown.any(0).sum())
    # Fewer lost sets than that hold to few classes, however they are dealt out.
    if min(int((one[:, 0] & ~one[:, -1]).sum()) for one in hits) >= FEWEST_LOST * count:
        rows += [
            whole(one, metric=metric, convention=f"{answers.words}; {WORST_THIRD[metric]}")
            for metric, one in _worst_third(answers, network).items()
        ]
    rows.append(Row(item=ITEM, dataset=answers.dataset, metric="classes", value=count))
    return Results.of(rows)


def _over_classes(
    answers: FramePredictions,
    network: str,
    statistic: Callable[[Float[np.ndarray, "draws classes"]], Float[np.ndarray, " draws"]],
) -> Estimate:
    """Return a statistic of the classes' drops; each is a share of the class's own sets."""
    shown = answers.sets.truth[answers.sets.anchors].T
    shown = shown[shown.any(1)]
    lost = [_lost(one[:, 0], one[:, -1], shown) for one in answers.hits(network)]

    def drawn() -> Float[np.ndarray, " draws"]:
        rates = _totals(np.concatenate([lost[0], shown.astype(np.float32)]), answers.sample)
        with np.errstate(invalid="ignore"):  # a class may be in none of a resample's sets
            return statistic(rates[:, : len(shown)] / rates[:, len(shown) :])

    drops = [one.sum(1) / shown.sum(1) for one in lost]
    return Estimate.over(
        [float(statistic(one[None])[0]) for one in drops],
        lambda: ends_of(Draws(answers.dataset, drawn)),
        n=len(shown),
        draws=Draws(answers.dataset, drawn),
    )


def _totals(
    values: Float[np.ndarray, "cells sets"], sample: Sample
) -> Float[np.ndarray, "draws cells"]:
    """Return the cells' sums in resamples of the sets, up to a factor, for quotients of two.

    Not as `shared_rates`, which spreads the rates of few groups: quotients of such are none.
    """
    if sample.together is None:
        return shared_rates(values, sample)
    groups = np.unique(np.asarray(sample.together), return_inverse=True)[1]
    return clustered_sums(values, groups, sample.name)


def _worst_third(answers: FramePredictions, network: str) -> dict[str, Estimate]:
    """Return the share of all lost sets in the third of the classes with most of them.

    Chance alone makes some classes lose more than others, and the fewer sets are lost, the more of
    them the worst classes hold. So next to the share stands that of the same lost sets dealt out at
    random, whole groups of sets together, and how far the share lies from there to all of them.
    """
    shown = answers.sets.truth[answers.sets.anchors].T
    shown = shown[shown.any(1)]
    lost = [one[:, 0] & ~one[:, -1] for one in answers.hits(network)]
    classes = -(-len(shown) // 3)

    def share(counts: Float[np.ndarray, "draws classes"]) -> Float[np.ndarray, " draws"]:
        with np.errstate(invalid="ignore"):  # a resample may have no lost set
            most = np.sort(counts, axis=1)[:, -classes:].sum(1)
            return np.asarray(most / counts.sum(1))

    shares = [float(share((shown @ one.astype(np.float64))[None])[0]) for one in lost]
    by_lot = [float(share(_dealt(one, answers) @ shown.T).mean()) for one in lost]

    def drawn() -> Float[np.ndarray, " draws"]:
        rates = _totals((shown * lost[0]).astype(np.float32), answers.sample)
        return unshifted(share(rates), shares[0])  # sorted once more, they lie higher

    def beyond(values: Any, lot: float) -> Any:
        return (values - lot) / (1 - lot) if lot < 1 else values - lot

    def over(
        by_seed: Sequence[float], values: Callable[[], Float[np.ndarray, " draws"]]
    ) -> Estimate:
        draws = Draws(answers.dataset, values)
        return Estimate.over(by_seed, lambda: ends_of(draws), n=len(shown), draws=draws)

    return {
        "worst_third_share": over(shares, drawn),
        "worst_third_by_lot": Estimate.over(by_lot, n=len(shown)),
        "worst_third_excess": over(
            [beyond(*one) for one in zip(shares, by_lot, strict=True)],
            lambda: beyond(drawn(), by_lot[0]),
        ),
    }


def _dealt(
    lost: Bool[np.ndarray, " sets"], answers: FramePredictions
) -> Float[np.ndarray, "times sets"]:
    """Return which sets are lost if chance alone decides; the sets of a group stay together."""
    rng = seeds.generator("lost sets by lot", answers.dataset, answers.n)
    if answers.together is None:
        return rng.permuted(np.tile(lost.astype(np.float64), (DEALT, 1)), axis=1)
    groups = np.unique(np.asarray(answers.together), return_inverse=True)[1]
    order = np.argsort(groups, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    dealt = np.zeros((DEALT, len(lost)))
    for one in dealt:
        # One after the other in the places of all: a group's sets lie in those of another.
        one[order] = lost[np.concatenate([members[at] for at in rng.permutation(len(members))])]
    return dealt


def _lost(
    original: Bool[np.ndarray, " sets"],
    perturbed: Bool[np.ndarray, " sets"],
    shown: Bool[np.ndarray, "classes sets"],
) -> Float[np.ndarray, "classes sets"]:
    """Return 1 for each class's sets that are lost, -1 for those that are won."""
    return np.asarray(shown * (original.astype(np.float32) - perturbed), np.float32)


def _median(drops: Float[np.ndarray, "draws classes"]) -> Float[np.ndarray, " draws"]:
    return np.asarray(np.nanmedian(drops, axis=1))


def _with_drop(drops: Float[np.ndarray, "draws classes"]) -> Float[np.ndarray, " draws"]:
    return np.asarray((drops > 0).mean(1))
