"""The mAP of detectors on corrupted photographs: mPC and rPC of Michaelis et al., 2019.

Mean performance under corruption, mPC, is the mean of the mAP over corruptions and severities;
relative performance, rPC, is its share of the mAP on the clean images (arXiv 1907.07484, sec. 3).
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib.protocols.objects.scored_boxes import Scored
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "nao-tab2"

Cells = Mapping[tuple[str, int], Scored]
"""(corruption, severity) -> boxes in the corrupted images, matched."""


def results(network: str, clean: Scored, cells: Cells, made: str) -> Results:
    """Return a detector's mAP on clean images and in every condition, its mPC and rPC, as rows.

    All conditions have the same images, which are resampled together, so the intervals of mPC and
    rPC reflect that an image that is hard in one condition is hard in others.

    Args:
        cells: predictions on the corrupted images of each condition; their boxes refer to the clean
            set.
        made: how images were corrupted, as text.

    >>> clean, worse = toys.coco_maps({"mine": (12, 6)})["mine"]
    >>> rows = results("mine", clean, {("fog", 1): clean, ("fog", 2): worse}, "memory")
    >>> [(row.metric, row.corruption, row.severity) for row in rows.rows]  # doctest: +ELLIPSIS
    [('map', None, None), ('map', 'fog', 1), ('map', 'fog', 2), ('mpc', 'fog', None), ...]
    """
    words = clean.settings.words
    told = f"{words}; {made}"
    name = f"{clean.dataset}_c"
    row = partial(Row.of, item=ITEM, model=network)
    maps = {key: one.map() for key, one in cells.items()}
    rows = [row(clean.map(), dataset=clean.dataset, metric="map", convention=words)]
    by_corruption: dict[str, list[Estimate]] = {}
    for (corruption, severity), found in maps.items():
        by_corruption.setdefault(corruption, []).append(found)
        rows.append(
            row(found, dataset=name, metric="map", corruption=corruption, severity=severity,
                convention=told)
        )  # fmt: skip
    for corruption, several in by_corruption.items():
        rows.append(
            row(_mean(several), dataset=name, metric="mpc", corruption=corruption, convention=told)
        )
    mean = _mean(list(maps.values()))
    over = f"{told}; mean over {len(by_corruption)} corruptions, {len(maps)} conditions"
    rows.append(row(mean, dataset=name, metric="mpc", convention=over))
    if clean.map().value:
        share = _share(mean, clean.map())
        rows.append(row(share, dataset=name, metric="rpc", convention=f"{over}; of the clean mAP"))
    return Results.of(rows)


def _mean(found: Sequence[Estimate]) -> Estimate:
    value = float(np.mean([one.value for one in found]))
    draws = [one.draws for one in found if one.draws is not None]
    if len(draws) < len(found):
        return _estimate(value, found[0], None)
    of_cells = Draws(
        draws[0].of, lambda: np.asarray(np.mean([one.values() for one in draws], axis=0))
    )
    return _estimate(value, found[0], of_cells)


def _share(mean: Estimate, clean: Estimate) -> Estimate:
    value, above, below = mean.value / clean.value, mean.draws, clean.draws
    if above is None or below is None:
        return _estimate(value, mean, None)

    def shares() -> Float[np.ndarray, " draws"]:
        divisor = below.values()
        quotient: Float[np.ndarray, " draws"]
        quotient = above.values() / np.where(divisor == 0, np.nan, divisor)
        return quotient

    return _estimate(value, mean, Draws(above.of, shares))


def _estimate(value: float, like: Estimate, draws: Draws | None) -> Estimate:
    return Estimate.over(
        [value],
        None if draws is None else (lambda: ends_of(draws)),
        n=like.n,
        n_full=like.n_full,
        draws=draws,
    )
