"""Table 2: mAP of detectors on ordinary and on adversarial objects, as rows [nao, sec. 4.1]."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib.protocols.objects.scored_boxes import RULES, Scored, rule_words
from robust_lib.results.estimate import Draws, Estimate, difference, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "nao-tab2"
LEAST = 0.0005
"""The smallest mAP that is printed as more than 0.0 %; below it, no relative drop is computed."""


def results(
    on_both: Mapping[str, tuple[Scored, Scored]], weights: Mapping[str, int] | None = None
) -> Results:
    """Return Table 2 as rows.

    Intervals come from resampled images, with the same resamples for all detectors; for drops, the
    two data sets are resampled separately. There is no relative drop if the ordinary mAP is 0.0 %.

    Args:
        on_both: network -> `scored` of the ordinary and of the adversarial images.

    >>> rows = results(toys.coco_maps({"mine": (12, 6)}), {"mine": 900})
    >>> [row.metric for row in rows.select(model="mine", dataset="nao").rows[:3]]
    ['map', 'mar', 'map_without_ood']
    """
    rows: list[Row] = []
    for network, both in on_both.items():
        rows += _rows(network, *both)
        if weights and network in weights:
            rows.append(
                Row(item=ITEM, dataset=both[1].dataset, model=network, metric="parameters",
                    value=float(weights[network]))
            )  # fmt: skip
    for one in next(iter(on_both.values())):
        rows.append(Row(item=ITEM, dataset=one.dataset, metric="images", value=float(one.images)))
    count = float(len(on_both))
    rows.append(Row(item=ITEM, dataset=rows[-1].dataset, metric="models", value=count))
    return Results.of(rows)


def of_one_set(network: str, scored: Scored) -> Results:
    """Return a detector's mAP and mAR on one image set, as rows.

    >>> rows = of_one_set("mine", toys.coco_maps({"mine": (12, 6)})["mine"][0])
    >>> [row.metric for row in rows.rows]
    ['map', 'mar', 'images']
    """
    row = partial(Row.of, item=ITEM, dataset=scored.dataset)
    rows = [
        row(found, model=network, metric=metric, convention=scored.settings.words)
        for metric, found in (("map", scored.map()), ("mar", scored.mar()))
    ]
    count = Row(item=ITEM, dataset=scored.dataset, metric="images", value=float(scored.images))
    return Results.of([*rows, count])


def _rows(network: str, ordinary: Scored, adversarial: Scored) -> Iterator[Row]:
    words = adversarial.settings.words
    row = partial(Row.of, item=ITEM, model=network)
    on = {one.dataset: one.map() for one in (ordinary, adversarial)}
    for one in (ordinary, adversarial):
        yield row(on[one.dataset], dataset=one.dataset, metric="map", convention=words)
        yield row(one.mar(), dataset=one.dataset, metric="mar", convention=words)
    name = adversarial.dataset
    without = adversarial.without_foreign()
    told = f"{words}; {rule_words(adversarial)}"
    yield row(without, dataset=name, metric="map_without_ood", convention=told)
    for rule in adversarial.by_rule:
        yield row(
            adversarial.map(rule),
            dataset=f"{name}/{rule}",
            metric="map_without_ood",
            convention=f"{words}; {RULES[rule]}",
        )
    before, after = on[ordinary.dataset], on[name]
    told = f"{words}; from {ordinary.dataset}"
    yield row(difference(before, after), dataset=name, metric="map_drop", convention=told)
    if before.value >= LEAST:
        yield row(_relative(before, after), dataset=name, metric="relative_drop", convention=told)


def _relative(before: Estimate, after: Estimate) -> Estimate:
    """Return the relative drop between two numbers of different images."""
    value = 1 - after.value / before.value
    first, second = before.draws, after.draws
    if first is None or second is None:
        return Estimate(value=value, n=after.n, n_full=after.n_full)
    moved = Draws(second.of, lambda: 1 - _quotient(second.values(), first.values()))
    ends = ends_of(moved)
    return Estimate(
        value=value,
        low=None if ends is None else min(ends[0], value),
        high=None if ends is None else max(ends[1], value),
        n=after.n,
        n_full=after.n_full,
        draws=moved,
    )


def _quotient(
    one: Float[np.ndarray, " draws"], other: Float[np.ndarray, " draws"]
) -> Float[np.ndarray, " draws"]:
    """Return quotients draw by draw, NaN if the divisor is 0."""
    quotient: Float[np.ndarray, " draws"] = one / np.where(other == 0, np.nan, other)
    return quotient
