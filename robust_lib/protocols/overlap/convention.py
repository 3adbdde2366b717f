"""Conventions for overlaps that the paper leaves open, and which overlaps can be judged.

A score divides by the gain against a corruption from training with it. If that gain may be zero,
the score may be anything. A network that lost its clean accuracy looks robust, because its
robustness is a share of what is left, and so does one that is compared with an undertrained
standard network. The paper requires that all converged: "an overlapping score should be computed
with models that converged adequately" [overlap, sec. 3]. The thresholds are ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import TAIL
from robust_lib.metrics.overlap import Overlaps, overlap_matrix

Reason = Literal["not converged", "no gain", "too wide"]
Seeds = Float[np.ndarray, "seeds *shape"]
Drawn = Float[np.ndarray, "draws *shape"]
One = Float[np.ndarray, "*shape"]
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Convention:
    """How overlaps are computed, and which of these are judged.

    Attributes:
        diagonal: whether a corruption's overlap with itself counts in its mean.
        least_gain: lower bound for the whole interval of the gain of training against its own
            corruption; otherwise, the corruption has no overlaps.
        most_apart: maximum difference between a network's clean accuracy and that of the standard
            network, a fraction. Below this range the network did not converge, above it the
            standard network did not; in both cases its corruption has no overlaps.
        widest: maximum width of the interval of a judged score.
        divide_by_clean: whether robustness is relative to clean accuracy, as in the paper.

    Raises:
        InputError: invalid bounds.

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
        """Return, as text, how an overlap is defined and which overlaps are judged."""
        robustness = "accuracy over clean accuracy" if self.divide_by_clean else "raw accuracy"
        return (
            f"{robustness}; own gains whose whole interval is above {self.least_gain:g}, networks "
            f"within {100 * self.most_apart:g} points of the standard one on clean images, scores "
            f"with an interval of at most {self.widest:g}"
        )

    @property
    def raw(self) -> "Convention":
        """Return the same convention but with raw accuracies, as in the authors' later code."""
        return replace(self, divide_by_clean=False)

    def overlaps(
        self,
        accuracy: Float[np.ndarray, "many models corruptions"],
        clean: Float[np.ndarray, "many models"],
    ) -> Overlaps:
        """Return the overlaps of all pairs, for each seed or resample, judged or not."""
        return overlap_matrix(accuracy, clean, divide_by_clean=self.divide_by_clean)


PAPER = Convention()


@dataclass(frozen=True, eq=False)
class Judged:
    """Which corruptions have overlaps, and which pairs of them have an overlap that can be judged.

    Attributes:
        converged: whether the network trained with each corruption is about as accurate on clean
            images as the standard one.
        gained: whether this network gained against its own corruption, beyond noise.
        narrow: whether the interval of each pair's score is narrow enough.

    >>> both = np.ones(2, bool)
    >>> judged = Judged(both, np.array([True, False]), np.ones((2, 2), bool))
    >>> judged.corruptions.tolist(), judged.why_not(0, 1), judged.why_not(0, 0)
    ([True, False], 'no gain', None)
    """

    converged: Bool[np.ndarray, " corruptions"]
    gained: Bool[np.ndarray, " corruptions"]
    narrow: Bool[np.ndarray, "corruptions corruptions"]

    @classmethod
    def of(
        cls,
        convention: Convention,
        clean: Float[np.ndarray, "seeds models"],
        found: Overlaps,
        drawn: Overlaps | None,
    ) -> "Judged":
        """Return which corruptions have overlaps and which pairs can be judged.

        Args:
            clean: clean accuracies of the networks, the standard one first.
            drawn: the overlaps of each resample of the images; None without resamples.

        >>> from robust_lib.protocols.overlap.convention import PAPER
        >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
        >>> clean = np.array([[0.8, 0.8, 0.7]])  # with snow, ten points are lost
        >>> judged = Judged.of(PAPER, clean, PAPER.overlaps(accuracy, clean), None)
        >>> judged.why_not(1, 0)
        'not converged'
        """
        apart = np.abs(clean[:, 1:] - clean[:, :1])
        gain, _ = ends(found.own_gains, None if drawn is None else drawn.own_gains)
        low, high = ends(found.scores, None if drawn is None else drawn.scores)
        return cls(
            converged=(apart <= convention.most_apart + _ROUNDING).all(0),
            gained=np.asarray(gain > convention.least_gain),
            narrow=np.asarray(high - low <= convention.widest),
        )

    @property
    def corruptions(self) -> Bool[np.ndarray, " corruptions"]:
        """Return which corruptions have overlaps."""
        return np.asarray(self.converged & self.gained)

    @property
    def pairs(self) -> Bool[np.ndarray, "corruptions corruptions"]:
        """Return which pairs of different corruptions have an overlap that can be judged."""
        both = np.outer(self.corruptions, self.corruptions)
        return np.asarray(both & self.narrow & ~np.eye(len(both), dtype=bool))

    def why_not(self, one: int, other: int) -> Reason | None:
        """Return why two corruptions have no score; None if they have one."""
        both = [one, other]
        if not self.converged[both].all():
            return "not converged"
        if not self.gained[both].all():
            return "no gain"
        return None if one == other or self.narrow[one, other] else "too wide"

    def count(self, ones: Sequence[int], others: Sequence[int] | None = None) -> int:
        """Return the number of pairs that are judged, within a group or between two groups.

        >>> every = np.ones(3, bool)
        >>> Judged(every, every, np.ones((3, 3), bool)).count([0, 1, 2])
        3
        """
        if others is None:
            return int(self.pairs[np.ix_(ones, ones)].sum()) // 2
        return int(self.pairs[np.ix_(ones, others)].sum())


def ends(by_seed: Seeds, drawn: Drawn | None) -> tuple[One, One]:
    """Return the ends of the interval of each number in an array.

    With several seeds, they are the smallest and the largest value; with one seed, the ends of the
    central 95 % of the resamples or, without resamples, the number itself. A number that is
    undefined in too many resamples has no ends (NaN).

    >>> low, high = ends(np.array([[0.5]]), np.linspace(0, 1, 41)[:, None])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.025], [0.975])
    """
    if len(by_seed) > 1 or drawn is None:
        return by_seed.min(0), by_seed.max(0)
    known = np.isfinite(drawn)
    enough = known.mean(0) >= 1 - TAIL
    low, high = np.nanquantile(np.where(enough, drawn, 0.0), [TAIL, 1 - TAIL], axis=0)
    low, high = np.minimum(low, by_seed[0]), np.maximum(high, by_seed[0])
    return np.where(enough, low, np.nan), np.where(enough, high, np.nan)
