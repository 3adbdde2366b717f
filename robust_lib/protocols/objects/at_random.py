"""The parts of a drop in mAP that are due to the pool and to the selection, from random images.

[nao, sec. 4.1] compares selected images of one source with all images of another. Random images of
the pool, as many as were selected, separate the two causes: they differ from ordinary images as the
pool does, and from the selected ones by the selection alone. Small sets have a higher mAP than
large ones, so equally few ordinary images are drawn.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics.detection import map_of
from robust_lib.metrics.foreign import as_many_at_random
from robust_lib.metrics.intervals import percentiles
from robust_lib.metrics.map_draws import map_draws
from robust_lib.protocols.objects.coco_map import ITEM
from robust_lib.protocols.objects.scored_boxes import Rule, Scored
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results

Values = Float[np.ndarray, " draws"]

AT_RANDOM = "at random"
CHOSEN = "chosen of these"
AS_LOW = "as low as the chosen"
WITHOUT = ", without OOD objects"
"""Endings of the names of data sets, for numbers without out-of-distribution objects."""
WRONG_AT_RANDOM = "false positives at random"
MOST = 300
"""The largest number of draws; each matches thousands of boxes."""


@dataclass(frozen=True, eq=False)
class Parts:
    """mAP on random ordinary images, on random images of the pool, and on the selected images.

    Attributes:
        pictures: number of images in each draw: as many as were selected, or half of a set that has
            too few.
        ordinary: mAP on random ordinary images, the mean of the draws; its interval contains 95 %
            of them.
        pool: the same for random images of the pool.
        chosen: mAP on the selected images.
        by_pool: drop on random images of the pool.
        by_choice: further drop on the selected images.
        as_low: share of the draws from the pool whose mAP is at most that on the selected images.
    """

    pictures: int
    ordinary: Estimate
    pool: Estimate
    chosen: Estimate
    by_pool: Estimate
    by_choice: Estimate
    as_low: float


def parts(ordinary: Scored, pool: Scored, chosen: Scored, rule: Rule | None = None) -> Parts:
    """Return the parts of one detector's drop in mAP.

    Args:
        rule: rule for leaving out out-of-distribution objects; None: everything counts.

    >>> ordinary, chosen = toys.coco_maps({"mine": (12, 6)})["mine"]
    >>> found = parts(ordinary, ordinary, chosen)  # a pool like the ordinary pictures
    >>> found.pictures, found.ordinary.value, round(found.by_pool.value, 6)
    (6, 1.0, 0.0)
    >>> found.by_choice.value > 0.5, found.as_low
    (True, 0.0)
    """
    pictures = min(chosen.images, ordinary.images // 2, pool.images // 2)
    before = _draws(ordinary, pictures, None if rule not in ordinary.by_rule else rule)
    after = _draws(pool, pictures, rule)
    found = chosen.map(rule)
    of = partial(_over, n=pictures)
    return Parts(
        pictures,
        of(before),
        of(after),
        found,
        of(before - after),
        of(after - found.value),
        float((after <= found.value).mean()),
    )


def wrong_at_random(one: Scored) -> Estimate | None:
    """Return the mAP without random false positives, as many as there are on OOD objects.

    None if OOD objects are not annotated.

    >>> one = toys.coco_maps({"mine": (12, 6)})["mine"][1]
    >>> one.map().value < wrong_at_random(one).value < one.map("overlap").value
    True
    """
    ruled = one.by_rule.get(one.settings.foreign)
    if ruled is None or one.settings.foreign not in ("overlap", "crowd"):
        return None
    rng = seeds.generator("false positives at random", one.dataset, one.images)
    kind = one.settings.interpolation
    values = [
        np.mean(
            [
                map_of(as_many_at_random(all_of, without, rng), interpolation=kind)
                for all_of, without in zip(one.matches, ruled, strict=True)
            ]
        )
        for _ in range(_number(one))
    ]
    return _over(np.array(values), n=one.images)


def results(on_both: Mapping[str, tuple[Scored, Scored]], pool: Mapping[str, Scored]) -> Results:
    """Return the controls as rows: random images of the pool, and false positives at random.

    Args:
        pool: network -> `scored` of random images of the pool, for the networks that have them.

    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> rows = results(on_both, {"mine": on_both["mine"][1]})
    >>> [row.dataset for row in rows.select(metric="map_drop").rows][:2]
    ['nao/at random', 'nao/chosen of these']
    """
    rows: list[Row] = []
    for network, (ordinary, chosen) in on_both.items():
        if network in pool:
            rows += _rows(network, ordinary, pool[network], chosen)
        random = wrong_at_random(chosen)
        if random is not None:
            rows.append(
                Row.of(random, item=ITEM, model=network, metric="map_without_ood",
                       dataset=f"{chosen.dataset}/{WRONG_AT_RANDOM}",
                       convention=(f"{chosen.settings.words}; as many false positives left out at "
                           "random as are on OOD objects"))
            )  # fmt: skip
    return Results.of(rows)


def _rows(network: str, ordinary: Scored, pool: Scored, chosen: Scored) -> Iterator[Row]:
    marked = chosen.settings.foreign if not chosen.is_bounded else None
    for rule in dict.fromkeys((None, marked)):
        if rule is not None and rule not in pool.by_rule:
            continue
        found = parts(ordinary, pool, chosen, rule)
        metric = "map" if rule is None else "map_without_ood"
        end = "" if rule is None else WITHOUT
        words = f"{chosen.settings.words}; {found.pictures} random images in each draw{end}"
        row = partial(Row.of, item=ITEM, model=network, convention=words)
        yield row(found.ordinary, metric=metric, dataset=f"{ordinary.dataset}/{AT_RANDOM}")
        if pool.dataset != ordinary.dataset:
            yield row(found.pool, metric=metric, dataset=f"{pool.dataset}/{AT_RANDOM}")
        yield row(found.by_pool, metric="map_drop", dataset=f"{pool.dataset}/{AT_RANDOM}{end}")
        yield row(found.by_choice, metric="map_drop", dataset=f"{chosen.dataset}/{CHOSEN}{end}")
        low = Estimate(value=found.as_low, n=_number(pool), n_full=_number(pool))
        yield row(low, metric="share", dataset=f"{pool.dataset}/{AS_LOW}{end}")


def _draws(one: Scored, pictures: int, rule: Rule | None) -> Values:
    """Return the mAP of random choices of the images, the same for all detectors."""
    by_seed = one.matches if rule is None else one.by_rule[rule]
    values: Values = np.mean(
        [
            map_draws(
                matches,
                np.arange(one.images),
                rng=seeds.generator("pictures at random", one.dataset, one.images, pictures),
                samples=_number(one),
                interpolation=one.settings.interpolation,
                size=pictures,
            )
            for matches in by_seed
        ],
        axis=0,
    )
    return values


def _number(one: Scored) -> int:
    return min(one.settings.samples, MOST)


def _over(draws: Values, *, n: int) -> Estimate:
    known = draws[np.isfinite(draws)]
    mean = float(known.mean())
    low, high = percentiles(known)
    return Estimate(value=mean, low=min(low, mean), high=max(high, mean), n=n, n_full=n)
