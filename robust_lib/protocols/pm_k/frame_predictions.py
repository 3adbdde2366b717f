"""Networks' predictions for the frames of sets, and the sets without a misclassified frame."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from robust_lib.datasets.frame_sets import FARTHEST, FrameSets
from robust_lib.errors import InputError
from robust_lib.metrics import pm_k
from robust_lib.metrics.frame_sets import correct_frames, labels_of_anchors
from robust_lib.metrics.intervals import Sample
from robust_lib.metrics.pm_k import Hits
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.types import Correct, Labels

Reading = Literal["frame", "anchor"]
"""The labels by which a frame is judged: its own, as in the authors' code, or its anchor's (Eq. 2).
"""


def require_frames(k: int) -> None:
    """Raise InputError unless there are frames at distance k from their anchor.

    >>> require_frames(10)
    """
    if not 1 <= k <= FARTHEST:
        raise InputError(
            f"Expected k from 1 to {FARTHEST} frames, but got {k}. Frames further away were never "
            "compared with the anchor."
        )


def require_reading(labels: str) -> None:
    """Raise InputError unless it is a valid choice of which labels decide correctness.

    >>> require_reading("anchor")
    """
    if labels not in get_args(Reading):
        raise InputError(f"Expected the labels of frame or anchor, but got {labels}.")


@dataclass(frozen=True, eq=False)
class FramePredictions:
    """Networks' predictions on the frames of some sets.

    Attributes:
        by_network: network -> the class predicted for each frame, -1 for none; one array per seed.
        convention: how a network's outputs are converted to classes.
        k: largest distance of a counted frame.
        anchor: whether the anchor itself has to be correct, as in the authors' code.
        reading: the labels that decide whether a frame is correct.
        together: the group of each set, such as the drawing that it shows: sets of one group are
            resampled together. None: sets are independent.
    """

    dataset: str
    sets: FrameSets
    by_network: Mapping[str, tuple[Labels, ...]]
    convention: str
    k: int = FARTHEST
    anchor: bool = True
    reading: Reading = "frame"
    together: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        require_frames(self.k)
        require_reading(self.reading)

    @property
    def n(self) -> int:
        """Return the number of sets."""
        return len(self.sets)

    @property
    def sample(self) -> Sample:
        """Return the sets as a sample for resampling."""
        return Sample(self.dataset, self.together)

    @property
    def words(self) -> str:
        """Return the conventions as text."""
        reach = "anchor included" if self.anchor else "anchor left out"
        labels = "each frame's own labels" if self.reading == "frame" else "the anchor's labels"
        return f"{self.convention}; {reach}; {labels}"

    def correct(self, network: str) -> tuple[Correct, ...]:
        """Return which frames a network classifies correctly, one array per seed."""
        truth, sets = self.sets.truth, self.sets
        if self.reading == "anchor":
            truth = labels_of_anchors(truth, sets.members, sets.offsets)
        return tuple(correct_frames(one, truth) for one in self.by_network[network])

    def hits(self, network: str) -> tuple[Hits, ...]:
        """Return which sets a network gets right within 0, 1, ... k, one array per seed."""
        members, offsets = self.sets.members, self.sets.offsets
        return tuple(
            pm_k.hits(right, members, offsets, self.k, anchor=self.anchor)
            for right in self.correct(network)
        )

    def neighbours(self, network: str) -> float | None:
        """Return the accuracy on neighbouring frames, averaged over sets and seeds.

        Sets without neighbours are left out; None if no set has one.
        """
        near = self.sets.within(self.k) & (self.sets.offsets != 0)
        each = near.sum(1)
        if not each.any():
            return None
        rates = [
            ((right[self.sets.members] & near).sum(1)[each > 0] / each[each > 0]).mean()
            for right in self.correct(network)
        ]
        return float(np.mean(rates))

    def with_network(self, name: str, by_seed: Iterable[Labels]) -> "FramePredictions":
        """Return a copy with one more network, such as a detector used as a classifier."""
        return replace(self, by_network={**self.by_network, name: tuple(by_seed)})


def answers(
    shown: MaskedPredictions,
    sets: FrameSets,
    *,
    k: int = FARTHEST,
    anchor: bool = True,
    reading: Reading = "frame",
    together: tuple[str, ...] | None = None,
) -> FramePredictions:
    """Return the networks' predictions for the frames of sets.

    Raises:
        InputError: predictions on different frames, or an invalid k.

    >>> from robust_lib.datasets.frame_sets import from_names
    >>> from robust_lib.predict.predictions import Predictions
    >>> frames = ("val/a/000001.JPEG", "val/a/000002.JPEG")
    >>> sets = from_names({frame: [0] for frame in frames}, {frames[0]: [frames[1]]}, classes=2)
    >>> said = Predictions.from_logits(np.eye(2, dtype=np.float32), ids=frames,
    ...     labels=np.array([0, 0]), model="mine", dataset="toy")
    >>> found = answers(MaskedPredictions("toy", 2, 2, {"mine": (said,)}, {}), sets, k=1)
    >>> found.hits("mine")[0].tolist(), found.neighbours("mine")
    ([[True, False]], 0.0)
    """
    for by_seed in shown.predictions.values():
        for one in by_seed:
            if one.ids != sets.frames:
                raise InputError(
                    f"Expected predictions on the {len(sets.frames)} frames of the sets, in their "
                    f"order, but {one.model} has {len(one.ids)} other frames or another order. "
                    "Compute predictions for the image set with these sets."
                )
    predicted = {
        name: tuple(one.predicted for one in by_seed) for name, by_seed in shown.predictions.items()
    }
    how = k, anchor, reading, together
    return FramePredictions(shown.dataset, sets, predicted, shown.convention, *how)
