"""Shares of attributions inside the box as rows, by class and over all of them [nao, fig. 7]."""

from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib.metrics.class_means import mean_over_classes
from robust_lib.protocols.attribution.shares import Shares
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row

ITEM = "nao-fig7"
HALF = 0.5
"""A class lies mostly in the box if more than this share of its attribution does."""

METRICS = {
    "inside": "attribution_inside",
    "signed": "signed_inside",
    "random": "random_inside",
    "area": "area_inside",
}
"""Name of a number here -> what it is called in results."""

MOSTLY = {"inside": "classes_mostly_inside", "signed": "classes_mostly_inside_signed"}
"""Name of a share -> what the share of classes is called of which more than half lies inside."""


def rows(model: str, found: Shares) -> list[Row]:
    """Return the rows of one data set: over all classes, by class, and how many are mostly inside.

    >>> made = rows("mine", toys.shares([0.75, 0.25], classes=[0, 1]))
    >>> [(row.metric, row.dataset, row.value) for row in made[:2]]
    [('attribution_inside', 'toys', 0.5), ('attribution_inside', 'toys/cat', 0.75)]
    """
    if not found.kept.any():
        return []
    made = []
    for name, metric in METRICS.items():
        means = found.means(name)
        over_all = mean_over_classes(means.values)
        made.append(_row(model, found, metric, "", float(over_all), partial(_mean, found, name)))
        for label in np.flatnonzero(means.known):
            drawn = partial(_class, found, name, int(label))
            value = float(means.values[label])
            made.append(_row(model, found, metric, found.classes[label], value, drawn))
    for name, metric in MOSTLY.items():
        mostly = float(mean_over_classes(_mostly(found.means(name).values)))
        made.append(_row(model, found, metric, "", mostly, partial(_most, found, name)))
    inside = found.means("inside").values
    gain = partial(_gain, found)
    apart = float(mean_over_classes(inside - found.means("random").values))
    made.append(_row(model, found, "gain", "", apart, gain))
    return made


Drawn = Callable[[], Float[np.ndarray, " draws"]]


def _row(model: str, found: Shares, metric: str, name: str, value: float, drawn: Drawn) -> Row:
    draws = Draws(found.dataset, drawn)
    labels = found.of.classes[found.kept]
    many = int((labels == found.classes.index(name)).sum()) if name else len(labels)
    return Row.of(
        Estimate.over([value], lambda: ends_of(draws), n=many, draws=draws),
        item=ITEM,
        dataset=f"{found.dataset}/{name}" if name else found.dataset,
        model=model,
        metric=metric,
        convention=found.settings.words,
    )


def _by_class(found: Shares, name: str) -> Float[np.ndarray, "draws classes"]:
    return found.means(name).draws(found.dataset, found.settings.samples)


def _mean(found: Shares, name: str) -> Float[np.ndarray, " draws"]:
    return mean_over_classes(_by_class(found, name))


def _class(found: Shares, name: str, label: int) -> Float[np.ndarray, " draws"]:
    return _by_class(found, name)[:, label]


def _most(found: Shares, name: str) -> Float[np.ndarray, " draws"]:
    return mean_over_classes(_mostly(_by_class(found, name)))


def _gain(found: Shares) -> Float[np.ndarray, " draws"]:
    return mean_over_classes(_by_class(found, "inside") - _by_class(found, "random"))


def _mostly(values: np.ndarray) -> np.ndarray:
    """Return 1 where more than half is inside and 0 where not, NaN where nothing is known."""
    return np.where(np.isfinite(values), (values > HALF).astype(np.float64), np.nan)
