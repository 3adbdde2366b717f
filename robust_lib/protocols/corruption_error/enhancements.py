"""The effect of enhancements on the corruption error, against the same network without them.

Each item of [inc, sec. 3.4, 3.5 and app. D] compares a few networks; this module holds their names
and computes the difference between two of them on the same images.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from robust_lib.metrics.intervals import shared_rates
from robust_lib.metrics.leaning import number_above
from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import SEEDS, Draws, Ends, Estimate, difference, ends_of, paired
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON

STANDARD = "resnet50"
ALIKE = "resnet50_alike"
"""The standard network if trained like the networks of the figures, where these differ."""
ONE_CROP = "resnet50_onecrop"
"""The standard network on the central crop alone, to compare with ten crops."""

STABILITY = "inc-claim-stability"
ITEMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        STABILITY: (STANDARD, "resnet50_tuned", "resnet50_stability_*"),
        "inc-claim-denoise": (STANDARD, "resnet50_nlm"),
        "inc-claim-small": ("condensenet_*", "densenet121", "vgg19_bn", "vgg19"),
        "inc-claim-clahe": (STANDARD, "resnet50_tuned", "resnet50_equalised", "resnet50_clahe"),
        "inc-fig3": (ALIKE, "densenet121", "msdnet", "multigrid"),
        "inc-fig4": (ALIKE, "densenet121", "densenet161", "resnext50_32x4d", "resnext101"),
        "inc-claim-tencrop": (STANDARD, ONE_CROP, "resnet50_tencrop"),
    }
)
"""Ledger item -> the networks that it compares, by the papers' names or patterns of them."""

_INSTEAD = (ALIKE, ONE_CROP)

UNDIVIDED = ("inc-fig4", "inc-claim-tencrop")
"""Items that compare a fall of mCE with one of the clean error, whose points differ in size.

A point of the error under corruption is a point of mCE divided by AlexNet's error there, so it is
1.3 points of the paper's mCE, and more where AlexNet's stand-in errs less. Such claims are judged
on the error itself.
"""

COUNTED = ("inc-claim-denoise", "inc-claim-clahe")
"""Items that state for how many corruptions the error is lower."""


def members(item: str, names: Mapping[str, str], among: Sequence[str]) -> dict[str, str]:
    """Return the networks that an item compares: the paper's name -> ours, in its order.

    If the run has no network like the figure's own, or none that uses a single crop, the standard
    one takes its place.

    >>> members("inc-fig3", {"resnet50": "a", "multigrid": "b", "msdnet": "c"}, ["a", "b"])
    {'resnet50': 'a', 'multigrid': 'b'}
    """
    known = {paper: ours for paper, ours in names.items() if ours in among}
    found: dict[str, str] = {}
    for pattern in ITEMS[item]:
        wanted = STANDARD if pattern in _INSTEAD and pattern not in known else pattern
        found |= {paper: ours for paper, ours in known.items() if fnmatchcase(paper, wanted)}
    return found


def standard(item: str, names: Mapping[str, str], among: Sequence[str]) -> str | None:
    """Return our network that an item compares with the others, if the run has it.

    >>> standard("inc-claim-clahe", {"resnet50": "a"}, ["a"]), standard("inc-claim-clahe", {}, [])
    ('a', None)
    """
    found = members(item, names, among)
    return next((found[paper] for paper in (*_INSTEAD, STANDARD) if paper in found), None)


def results(
    grid: Grid,
    normaliser: Normaliser,
    names: Mapping[str, str],
    *,
    samples: int = 1000,
) -> Results:
    """Return clean errors, CEs and mCEs for every item that compares a network, as rows.

    If a claim compares mCE with clean error, the unnormalised mean error over the fifteen
    corruptions is added. Networks without a role in the paper are listed with those of Figure 4.

    >>> grid = toys.grid("alexnet_mini", "vgg11")
    >>> from robust_lib.protocols.corruption_error.normaliser import measured
    >>> divisor = measured(grid, "alexnet_mini")
    >>> rows = results(grid, divisor, {"resnet50": "vgg11"}, samples=10)
    >>> [rows.row(item="inc-fig3", corruption=name, metric="ce").value for name in ("fog", "snow")]
    [1.0, 1.0]
    """
    every = corruption_error.results(grid, normaliser, samples=samples)
    wanted = [
        row
        for row in every.select(metric=["error", "ce", "mce"], severity=None).rows
        if row.corruption is None or row.corruption in COMMON
    ]
    found: list[Row] = []
    others = [model for model in grid.models if model not in names.values()]
    for item in ITEMS:
        models = [*members(item, names, grid.models).values()]
        models += others if item == "inc-fig4" else []
        of_item = [replace(row, item=item) for row in wanted if row.model in models]
        found += of_item
        if item in UNDIVIDED and set(grid.corruptions) >= set(COMMON):
            found += [_undivided(grid, model, item) for model in models]
        if item in COUNTED and (base := standard(item, names, grid.models)) is not None:
            found += _counts(Results.of(of_item), [one for one in models if one != base], base)
    return Results.of(found)


def _undivided(grid: Grid, model: str, item: str) -> Row:
    """Return a network's mean error over the fifteen corruptions and their severities."""

    def share(one: Grid) -> Float[np.ndarray, " images"]:
        return np.asarray(np.mean([one.wrong(model, name).mean(0) for name in COMMON], axis=0))

    draws = Draws(grid.dataset, lambda: shared_rates(share(grid)[None], grid.sample)[:, 0])
    return Row.of(
        Estimate.over(
            [float(share(run).mean()) for run in grid.runs(model)],
            lambda: ends_of(draws),
            n=grid.images,
            n_full=grid.n_full,
            draws=draws,
        ),
        item=item,
        dataset=grid.corrupted,
        model=model,
        metric="mean_error",
        convention=grid.convention(*COMMON, model=model),
    )


def change(results: Results, model: str, base: str, **conditions: object) -> Estimate | None:
    """Return how far one network's number exceeds another's, with the paired interval.

    Args:
        conditions: conditions of both rows, such as metric="mce".

    >>> base = Row(item="inc-fig4", dataset="toy", model="a", metric="error", value=0.25, n=8,
    ...            n_full=8)
    >>> change(Results.of([base, replace(base, model="b", value=0.5)]), "b", "a", metric="error")
    Estimate(value=0.25, low=None, high=None, n=8, n_full=8)
    """
    both = [
        results.select(model=name, **({"corruption": None} | conditions)).rows
        for name in (model, base)
    ]
    if not all(both):
        return None
    one, other = (_estimate(rows[0]) for rows in both)
    return difference(one, other)


def _counts(rows: Results, models: Sequence[str], base: str) -> list[Row]:
    """Return for how many corruptions each network's error is lower than the standard one's."""
    found = []
    for model in models:
        pairs = [
            (rows.row(model=model, metric="ce", corruption=row.corruption), row)
            for row in rows.select(model=base, metric="ce").rows
        ]
        if not pairs:
            continue
        first = pairs[0][0]
        value = float(sum(mine.value < theirs.value for mine, theirs in pairs))
        margins = [paired(theirs.draws, mine.draws) for mine, theirs in pairs]
        draws, ends = _lower([one for one in margins if one is not None], len(pairs))
        found.append(
            Row(
                item=first.item,
                dataset=first.dataset,
                model=model,
                metric="lower_ces",
                convention=first.convention,
                value=value,
                low=None if ends is None else min(ends[0], value),
                high=None if ends is None else max(ends[1], value),
                n=first.n,
                n_full=first.n_full,
                draws=draws,
            )
        )
    return found


def _lower(margins: Sequence[Draws], number: int) -> tuple[Draws | None, Ends | None]:
    """Return the count of lower CEs by seed, or its interval over images; neither if unknown."""
    if len(margins) < number:
        return None, None
    drawn = np.stack([one.values() for one in margins])
    if margins[0].of != SEEDS:
        low, high = number_above(drawn)
        return None, (float(low), float(high))
    draws = Draws(SEEDS, lambda: (drawn > 0).sum(0).astype(np.float64))
    return draws, ends_of(draws)


def _estimate(row: Row) -> Estimate:
    """Return a row's number as an estimate, for differences."""
    n, n_full = row.n or 0, row.n_full or 0
    return Estimate(
        value=row.value, low=row.low, high=row.high, n=n, n_full=n_full, draws=row.draws
    )
