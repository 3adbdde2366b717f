"""pm-k of the same frames in shuffled order: whether frames that are close in time fail together.

If some sets are harder than others, accuracy falls fastest at the first steps even if closeness in
time has no effect. After shuffling, a set keeps its anchor and its neighbours, and thus its
difficulty; only the distances of the neighbours change.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib import seeds
from robust_lib.metrics import pm_k
from robust_lib.metrics.intervals import percentiles
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions

SHUFFLES = 500

Curve = Float[np.ndarray, " distances"]


@dataclass(frozen=True, eq=False)
class Shuffled:
    """A network's accuracy by distance, in the true order of frames and in shuffled ones.

    Attributes:
        true: (k + 1,), fractions, the mean over seeds.
        shuffled: (shuffles, k + 1), likewise; all start at the same value as `true`, and end there
            if neighbours are treated alike.
    """

    true: Curve
    shuffled: Float[np.ndarray, "shuffles distances"]

    def band(self, k: int) -> tuple[float, float, float]:
        """Return the mean of the shuffled orders at a distance, and the ends of 95 % of them."""
        return float(self.shuffled[:, k].mean()), *percentiles(self.shuffled[:, k])

    def near(self, k: int = 1) -> int:
        """Return 1 if accuracy within k is above that of the shuffled orders, -1 if below, else 0.

        >>> order = Shuffled(np.array([0.9, 0.8]), np.array([[0.9, 0.5], [0.9, 0.6]]))
        >>> order.near()
        1
        """
        _, low, high = self.band(k)
        return int(self.true[k] > high) - int(self.true[k] < low)


def shuffled(answers: FramePredictions, network: str, shuffles: int = SHUFFLES) -> Shuffled:
    """Return a network's accuracy by distance with the neighbours of each set in shuffled order.

    Neighbours within the k of `answers` change places with each other; the anchor keeps its place.

    >>> found = shuffled(toys.answers({"mine": [3, 5]}), "mine")  # what is lost is lost at k = 3
    >>> found.true[[0, 2, 3, 10]].tolist()
    [0.5, 0.5, 0.3, 0.3]
    >>> bool(found.band(1)[0] < 0.5), round(found.band(10)[0], 9)
    (True, 0.3)
    """
    sets = answers.sets
    moved = sets.within(answers.k) & (sets.offsets != 0)
    # Neighbours first, in drawn order, then what stays; places likewise, in the order they have.
    places = np.argsort(~moved, axis=1, kind="stable")
    rng = seeds.generator("shuffled frames", answers.dataset, answers.n)
    correct = answers.correct(network)
    curves = []
    for _ in range(shuffles):
        drawn = np.argsort(np.where(moved, rng.random(moved.shape), 2.0), axis=1, kind="stable")
        members = np.empty_like(sets.members)
        np.put_along_axis(members, places, np.take_along_axis(sets.members, drawn, 1), 1)
        by_seed = [
            pm_k.pm_k_accuracy(one, members, sets.offsets, answers.k, anchor=answers.anchor)
            for one in correct
        ]
        curves.append(np.mean(by_seed, axis=0))
    true = np.mean([one.mean(0) for one in answers.hits(network)], axis=0)
    return Shuffled(true, np.stack(curves))
