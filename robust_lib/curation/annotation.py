"""Agreement of people: on votes about the same items, and on boxes around the same objects."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Int

from robust_lib.curation.candidate_set import Labelled
from robust_lib.curation.decisions import WORDS, Word
from robust_lib.errors import InputError, one_of
from robust_lib.metrics.boxes import intersection_over_union

Counts = Int[np.ndarray, "items categories"]


def majority(votes: Sequence[Word]) -> Word:
    """Return the most frequent vote; "unsure" in a tie.

    Raises:
        InputError: no votes, or an unknown word.

    >>> majority(["keep", "drop", "keep"]), majority(["keep", "drop"])
    ('keep', 'unsure')
    """
    if not votes:
        raise InputError("Expected at least one vote, but got none.")
    for word in votes:
        if word not in WORDS:
            raise InputError(one_of("a vote", word, WORDS))
    (first, count), *rest = Counter(votes).most_common()
    return "unsure" if rest and rest[0][1] == count else first


def vote_counts(votes: Sequence[Sequence[str]], words: Sequence[str] = WORDS) -> Counts:
    """Return the votes by item: one row per item, with columns keep, drop and unsure.

    >>> vote_counts([["keep", "keep"], ["keep", "unsure"]]).tolist()
    [[2, 0, 0], [1, 0, 1]]
    """
    rows = [[list(one).count(word) for word in words] for one in votes]
    return np.array(rows, np.int64).reshape(len(rows), len(words))


def agreement(counts: Counts) -> float:
    """Return the fraction of equal pairs of votes on the same item, averaged over items.

    Args:
        counts: votes by item and category; the same number of votes on each item, at least two.

    Raises:
        InputError: no items, negative counts, unequal numbers of votes, or fewer than two.

    >>> agreement(np.array([[2, 0], [1, 1]]))
    0.5
    """
    votes = _votes(counts)
    return float(((counts * (counts - 1)).sum(1) / (votes * (votes - 1))).mean())


def fleiss_kappa(counts: Counts) -> float:
    """Return Fleiss' kappa: agreement beyond chance, as a fraction of what is possible (1971).

    1 is full agreement, 0 that of random votes. The result is NaN if all votes are in one category,
    since chance agreement is then also complete.

    Raises:
        InputError: see `agreement`.

    >>> fleiss_kappa(np.array([[2, 0], [0, 2], [1, 1], [1, 1]]))
    0.0
    """
    votes = _votes(counts)
    shares = counts.sum(0) / (len(counts) * votes)
    chance = float((shares**2).sum())
    if (counts.sum(0) > 0).sum() == 1:
        return float("nan")
    return (agreement(counts) - chance) / (1 - chance)


def _votes(counts: Counts) -> int:
    totals = np.unique(counts.sum(1))
    if len(totals) != 1 or totals[0] < 2 or counts.min() < 0:
        found = ", ".join(map(str, totals[:5])) or "none"
        raise InputError(
            "Expected at least one item, with the same number of votes, two or more, on each, but "
            f"got {found} votes. Omit items that some annotators have not seen."
        )
    return int(totals[0])


Boxes = Sequence[Sequence[Labelled]]
"""One annotator's boxes, image by image."""

SAME = 0.5
"""The smallest IoU of two boxes of one object."""


@dataclass(frozen=True)
class BoxAgreement:
    """Agreement on boxes over all pairs of annotators.

    Args:
        matched: fraction of boxes that have a partner of the same class among the other annotator's
            boxes; NaN if there are no boxes.
        overlap: mean IoU of the paired boxes, a fraction; NaN if there are none.
        boxes: number of boxes compared, counted once per pair of annotators.
    """

    matched: float
    overlap: float
    pairs: int
    boxes: int

    @property
    def sentence(self) -> str:
        """Return the agreement as text.

        >>> BoxAgreement(0.8, 0.91, 4, 10).sentence
        'agreement: 80.0 % of 10 boxes have a partner of the same class, of mean IoU 0.910'
        """
        if not self.boxes:
            return "agreement: not defined, no box was drawn"
        fit = f"of mean IoU {self.overlap:.3f}" if self.pairs else "so there is no IoU"
        share = f"{100 * self.matched:.1f} % of {self.boxes} boxes"
        return f"agreement: {share} have a partner of the same class, {fit}"


def box_agreement(annotators: Sequence[Boxes]) -> BoxAgreement:
    """Return the agreement of annotators on the boxes of the same images.

    Two boxes are around the same object if they have the same class and an IoU of at least `SAME`.
    Among all ways to pair them, with each box in at most one pair, the one with the largest sum of
    IoUs counts.

    Raises:
        InputError: fewer than two annotators, or annotators with different numbers of images.

    >>> one, other = [[Labelled((0.0, 0.0, 10.0, 10.0), 3)]], [[Labelled((0.0, 0.0, 10.0, 8.0), 3)]]
    >>> box_agreement([one, other])
    BoxAgreement(matched=1.0, overlap=0.8, pairs=1, boxes=2)
    """
    if len(annotators) < 2 or len({len(one) for one in annotators}) > 1:
        pictures = " and ".join(str(len(one)) for one in annotators) or "no"
        raise InputError(
            "Expected boxes by at least two annotators in the same images, but got "
            f"{len(annotators)} annotators, with {pictures} images."
        )
    overlaps: list[float] = []
    boxes = 0
    for one, other in combinations(annotators, 2):
        for mine, theirs in zip(one, other, strict=True):
            overlaps += [overlap for _, _, overlap in pairs(mine, theirs)]
            boxes += len(mine) + len(theirs)
    nan = float("nan")
    return BoxAgreement(
        2 * len(overlaps) / boxes if boxes else nan,
        float(np.mean(overlaps)) if overlaps else nan,
        len(overlaps),
        boxes,
    )


def pairs(one: Sequence[Labelled], other: Sequence[Labelled]) -> list[tuple[int, int, float]]:
    """Return the pairs of two annotators' boxes around the same object, with their IoU.

    >>> mine, theirs = [Labelled((0.0, 0.0, 10.0, 10.0), 3)], [Labelled((0.0, 0.0, 10.0, 10.0), 4)]
    >>> pairs(mine, mine), pairs(mine, theirs)
    ([(0, 0, 1.0)], [])
    """
    if not one or not other:
        return []
    rows, columns = (side.ravel() for side in np.indices((len(one), len(other))))
    corners = [np.array([each.box for each in side]) for side in (one, other)]
    classes = [np.array([each.category for each in side]) for side in (one, other)]
    shared = intersection_over_union(
        corners[0][rows], corners[1][columns], np.zeros(len(rows), bool)
    )
    from scipy.optimize import linear_sum_assignment  # which little else needs

    fits = (shared >= SAME) & (classes[0][rows] == classes[1][columns])
    worth = np.where(fits, shared, 0.0).reshape(len(one), len(other))
    chosen = zip(*linear_sum_assignment(-worth), strict=True)
    return [(int(a), int(b), float(worth[a, b])) for a, b in chosen if worth[a, b] > 0]


def together(annotators: Sequence[Boxes]) -> tuple[tuple[Labelled, ...], ...]:
    """Return all annotators' boxes for a reviewer; of equal ones, only the first annotator's."""
    first, *rest = annotators
    found = [list(of) for of in first]
    for boxes in rest:
        for kept, theirs in zip(found, boxes, strict=True):
            known = {place for _, place, _ in pairs(kept, theirs)}
            kept += [one for place, one in enumerate(theirs) if place not in known]
    return tuple(map(tuple, found))
