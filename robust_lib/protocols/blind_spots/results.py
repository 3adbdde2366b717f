"""Blind spots as rows: density of training images at adversarial ones and at all [nao, fig. 5]."""

from functools import cache, partial

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics.intervals import percentiles
from robust_lib.protocols.blind_spots.spots import BlindSpots
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "nao-fig5"
DENSITY = "mean natural logarithm of the training set's density over the pool's, 0 where equal"
PLANE = 2


def results(found: BlindSpots, shown: int) -> Results:
    """Return the numbers of Figure 5 as rows.

    Training density is taken at the adversarial pictures, and at those of the pool. Intervals
    are of resampled pictures, the space and the shares around each being as they are.

    >>> rows = results(toys.blind_spots(), shown=1)
    >>> densities = rows.select(metric="training_density").rows
    >>> [row.dataset for row in densities], densities[0].value < densities[1].value
    (['chosen', 'pool'], True)
    """
    space, settings = found.space, found.settings
    chosen, pool = space.adversarial.dataset, space.pool.dataset
    convention = f"{DENSITY}; {settings.words}; {space.convention}"
    row = partial(Row.of, item=ITEM, metric="training_density", convention=convention)
    share = partial(Row.of, item=ITEM, metric="share", convention=f"in blind spots; {convention}")
    fact = partial(Row, item=ITEM, dataset=chosen)
    return Results.of(
        [
            row(_mean(found.ratio_of_chosen.log_ratio, chosen, settings.samples), dataset=chosen),
            row(_mean(found.log_ratio_of_pool, pool, settings.samples), dataset=pool),
            share(Estimate.of_rate([found.in_chosen], images=chosen), dataset=chosen),
            share(Estimate.of_rate([found.in_pool], images=pool), dataset=pool),
            fact(metric="clusters", value=float(shown), convention="shown as examples"),
            fact(
                metric="embedding_size",
                value=float(space.training.vectors.shape[1]),
                model=space.training.model,
            ),
            fact(metric="projected_size", value=float(PLANE), model=space.training.model),
        ]
    )


def _mean(values: Float[np.ndarray, " pictures"], dataset: str, samples: int) -> Estimate:
    """Return a mean with the interval of resampled pictures."""
    drawn = cache(partial(_drawn, values, dataset, samples))
    return Estimate.over(
        [float(values.mean())],
        lambda: percentiles(drawn()),
        n=len(values),
        draws=Draws(dataset, drawn),
    )


def _drawn(
    values: Float[np.ndarray, " pictures"], dataset: str, samples: int
) -> Float[np.ndarray, " draws"]:
    rng = seeds.generator("resamples of pictures", dataset, len(values))
    return np.array([rng.choice(values, len(values)).mean() for _ in range(samples)])
