"""Adversarial images next to pool images of the same kind: effect of the selection, or of the kind?

If detectors err more on backgrounds and objects that are rare in training, misclassified images
have a lower training density by their kind alone. A comparison with pool images of the same kind
shows the further effect of the selection.
"""

from functools import partial

import numpy as np
from jaxtyping import Bool, Float

from robust_book.chapters.nao_3_blind_spots.planted import (
    FOREIGN,
    GROUNDS,
    Kinds,
    Planted,
    together,
)
from robust_lib.metrics.intervals import Sample
from robust_lib.protocols.blind_spots.spots import ITEM, BlindSpots, mean_of_pictures
from robust_lib.results.key_number import KeyNumber, score
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ALIKE, APART = "alike in the pool", "apart from these"
RULE = (
    "images of the pool on the same background that share an out-of-distribution object with the "
    "adversarial image or, like it, show none"
)

Values = Float[np.ndarray, " adversarial"]


def alike(found: BlindSpots, made: Planted) -> Bool[np.ndarray, "adversarial pool"]:
    """Return which pool images are of an adversarial image's kind, excluding the image itself.

    If there is none, pool images with the same background are used.
    """
    grounds, things = (
        (_table(made.in_chosen[group], kinds), _table(kinds, kinds))
        for group, kinds in ((GROUNDS, made.in_pool[GROUNDS]), (FOREIGN, made.in_pool[FOREIGN]))
    )
    same = grounds[0] @ grounds[1].T > 0
    nothing = np.outer(things[0].sum(1) == 0, things[1].sum(1) == 0)
    own = found.space.own - len(found.space.training)
    itself = own[:, None] == np.arange(same.shape[1])
    both = same & ((things[0] @ things[1].T > 0) | nothing) & ~itself
    chosen: Bool[np.ndarray, "adversarial pool"] = np.where(
        both.any(1)[:, None], both, same & ~itself
    )
    return chosen


def results(found: BlindSpots, made: Planted | None) -> Results:
    """Return the training density of pool images of the same kind, and its difference.

    Args:
        made: the planted kinds; None if unknown, which gives no rows.

    >>> rows = results(toys.blind_spots(), toys.planted())
    >>> [row.dataset for row in rows.rows]
    ['chosen/alike in the pool', 'chosen/apart from these']
    """
    if made is None:
        return Results()
    kind = alike(found, made)
    some = kind.any(1)
    if not some.any():
        return Results()
    density = (kind @ found.log_ratio_of_pool)[some] / kind.sum(1)[some]
    apart = found.ratio_of_chosen.log_ratio[some] - density
    name = found.space.adversarial.dataset
    groups = Sample(name, together(made.in_chosen)).part(name, np.flatnonzero(some).tolist())
    row = partial(
        Row.of, item=ITEM, metric="training_density", convention=f"{RULE}; {found.settings.words}"
    )
    samples = found.settings.samples
    return Results.of(
        [
            row(mean_of_pictures(density, groups, samples), dataset=f"{name}/{ALIKE}"),
            row(mean_of_pictures(apart, groups, samples), dataset=f"{name}/{APART}"),
        ]
    )


def key_numbers(rows: Results) -> dict[str, KeyNumber]:
    """Return the prose's numbers on images of the same kind.

    >>> key_numbers(Results())["alike_density"].text
    'not measured'
    """
    of = {str(row.dataset).rpartition("/")[2]: row for row in rows.rows}
    return {"alike_density": score(of.get(ALIKE)), "alike_apart": score(of.get(APART))}


def _table(shown: Kinds, kinds: Kinds) -> Float[np.ndarray, "pictures kinds"]:
    """Return one column per kind: 1 if an image shows it."""
    many = len(next(iter(shown.values())))
    columns = [shown.get(kind, np.zeros(many, bool)).astype(np.float64) for kind in kinds]
    return np.stack(columns, axis=1) if columns else np.zeros((many, 1))
