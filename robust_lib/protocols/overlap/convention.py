"""What the paper leaves open about an overlap, as text beside every number."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from robust_lib.errors import InputError
from robust_lib.metrics.overlap import Overlaps, overlap_matrix


@dataclass(frozen=True)
class Convention:
    """How overlaps are computed, and which of them are judged.

    Attributes:
        diagonal: whether a corruption's overlap with itself counts in its mean.
        least_gain: what training with a corruption must gain against it, by the whole interval of
            the gain; a corruption that gains less has no overlaps.
        most_apart: how far a network's clean accuracy may lie from the standard one's, a fraction;
            farther below it did not converge, farther above the standard one did not, and either
            way its corruption has no overlaps.
        widest: how wide the interval of a score may be; a wider one is not judged.
        divide_by_clean: whether robustness is a share of the clean accuracy, as the paper has it.

    Raises:
        InputError: bounds that are none.

    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> clean = np.array([[0.9, 0.8, 0.8]])  # the standard network, with fog, with snow
    >>> round(float(PAPER.overlaps(accuracy, clean).scores[0, 0, 1]), 2)
    0.36
    >>> round(float(PAPER.raw.overlaps(accuracy, clean).scores[0, 0, 1]), 2)
    0.33
    """

    diagonal: bool = False
    least_gain: float = 0.0
    most_apart: float = 0.05
    widest: float = 0.5
    divide_by_clean: bool = True

    def __post_init__(self) -> None:
        for name in ("least_gain", "most_apart"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(
                    f"Expected {name} from 0 to below 1, but got {getattr(self, name)}."
                )
        if not self.widest > 0:
            raise InputError(f"Expected widest to be above 0, but got {self.widest}.")

    @property
    def words(self) -> str:
        """Return the definition of an overlap and which are judged, as text."""
        robustness = "accuracy over clean accuracy" if self.divide_by_clean else "raw accuracy"
        return (
            f"{robustness}; own gains above {self.least_gain:g} by their whole interval, networks "
            f"within {100 * self.most_apart:g} points of the standard one on clean images, scores "
            f"with an interval of at most {self.widest:g}"
        )

    @property
    def raw(self) -> "Convention":
        """Return the same convention with raw accuracies, as later code of the authors has it."""
        return replace(self, divide_by_clean=False)

    def overlaps(
        self,
        accuracy: Float[np.ndarray, "many models corruptions"],
        clean: Float[np.ndarray, "many models"],
    ) -> Overlaps:
        """Return the overlaps of all pairs, of each seed or resample, judged or not."""
        return overlap_matrix(accuracy, clean, divide_by_clean=self.divide_by_clean)


PAPER = Convention()
