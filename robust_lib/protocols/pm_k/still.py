"""pm-k without motion: the same sets with a still camera, as rows.

The worst of twenty-one frames is worse than a single frame even if all show the same scene, since
each has its own grain and compression. This part of the drop is not due to motion.
"""

from collections.abc import Iterable
from functools import partial

import numpy as np
from jaxtyping import Float

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import shared_rates
from robust_lib.protocols.pm_k.classification import accuracy, dropped
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM = "vid-tab1"
STILL = "still camera"
"""The name of the control, as a group of the data set."""


def results(
    clips: FramePredictions, still: FramePredictions, networks: Iterable[str] | None = None
) -> Results:
    """Return accuracies and drop with a still camera, and the share of the clips' drop, as rows.

    Args:
        still: predictions on the same sets.
        networks: the compared networks; None: all that were evaluated on both.

    Raises:
        InputError: the numbers of sets differ.

    >>> both = toys.answers({"mine": [3, 5]}), toys.answers({"mine": [4, 5]})
    >>> [(row.metric, row.k, round(row.value, 6)) for row in results(*both).rows][1:]
    [('pm_accuracy', 10, 0.4), ('drop', 10, 0.1), ('still_share', 10, 0.5)]
    """
    if still.n != clips.n:
        raise InputError(
            f"Expected the same sets of frames, but got {clips.n} of clips and {still.n} of a "
            "still camera. Review both in the same way."
        )
    wanted = still.by_network if networks is None else networks
    rows = []
    for network in (one for one in wanted if one in still.by_network and one in clips.by_network):
        row = partial(
            Row.of,
            item=ITEM,
            dataset=f"{clips.dataset}/{STILL}",
            model=network,
            convention=still.words,
        )
        rows += [row(accuracy(still, network, k), metric="pm_accuracy", k=k) for k in (0, still.k)]
        rows.append(row(dropped(still, network), metric="drop", k=still.k))
        share = without_motion(clips, still, network)
        if np.isfinite(share.value):
            rows.append(row(share, metric="still_share", k=still.k))
    return Results.of(rows)


def without_motion(clips: FramePredictions, still: FramePredictions, network: str) -> Estimate:
    """Return the share of a network's drop on clips that also occurs with a still camera.

    It is NaN if there is no drop on clips.

    >>> both = toys.answers({"mine": [3, 5]}), toys.answers({"mine": [4, 5]})
    >>> round(without_motion(*both, "mine").value, 6)
    0.5
    """
    lost = [
        np.stack([one[:, 0].astype(np.float32) - one[:, -1] for one in both])
        for both in zip(still.hits(network), clips.hits(network), strict=True)
    ]

    def drawn() -> Float[np.ndarray, " draws"]:
        return _quotients(shared_rates(lost[0], clips.sample))

    def ends() -> tuple[float, float] | None:
        # Of no lost set nothing can be resampled.
        return ends_of(Draws(clips.dataset, drawn)) if lost[0][0].any() else None

    return Estimate.over(
        [float(_quotients(one.mean(1, dtype=np.float64)[None])[0]) for one in lost],
        ends,
        n=clips.n,
        draws=Draws(clips.dataset, drawn),
    )


def _quotients(drops: Float[np.ndarray, "draws 2"]) -> Float[np.ndarray, " draws"]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(drops[:, 1] > 0, drops[:, 0] / drops[:, 1], np.nan))
