"""pm-k accuracy class by class: is the drop spread over the classes [vid, fig. 5]?"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from jaxtyping import Bool, Float

from robust_lib.metrics.intervals import shared_rates
from robust_lib.protocols.pm_k.classification import accuracy, dropped
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "vid-fig5"


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
            found = Estimate.of_rate(
                [one[sets, k] for one in hits], images=f"{answers.dataset}/{name}"
            )
            rows.append(row(found, dataset=f"{answers.dataset}/{name}", metric="pm_accuracy", k=k))
    whole = partial(row, dataset=answers.dataset, k=answers.k)
    rows += [
        whole(dropped(answers, network), metric="drop"),
        whole(_over_classes(answers, network, _median), metric="median_class_drop"),
        whole(_over_classes(answers, network, _with_drop), metric="classes_with_drop"),
    ]
    count = float(shown.any(0).sum())
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
        rates = shared_rates(np.concatenate([lost[0], shown.astype(np.float32)]), answers.dataset)
        with np.errstate(invalid="ignore"):  # a class may be in none of a resample's sets
            return statistic(rates[:, : len(shown)] / rates[:, len(shown) :])

    drops = [one.sum(1) / shown.sum(1) for one in lost]
    return Estimate.over(
        [float(statistic(one[None])[0]) for one in drops],
        lambda: ends_of(Draws(answers.dataset, drawn)),
        n=len(shown),
        draws=Draws(answers.dataset, drawn),
    )


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
