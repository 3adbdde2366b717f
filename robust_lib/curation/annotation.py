"""Votes of several people on the same items: the majority, and how far they agree."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

from robust_lib.curation.decisions import WORDS, Word
from robust_lib.errors import InputError, one_of

Counts = Int[np.ndarray, "items categories"]


def majority(votes: Sequence[Word]) -> Word:
    """Return the most frequent vote; "unsure" where two are equally frequent.

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
    """Return the votes per item: one row per item, columns keep, drop and unsure.

    >>> vote_counts([["keep", "keep"], ["keep", "unsure"]]).tolist()
    [[2, 0, 0], [1, 0, 1]]
    """
    rows = [[list(one).count(word) for word in words] for one in votes]
    return np.array(rows, np.int64).reshape(len(rows), len(words))


def agreement(counts: Counts) -> float:
    """Return the fraction of pairs of votes on the same item that are alike, averaged over items.

    Args:
        counts: votes by item and category; as many votes on each item, two at least.

    Raises:
        InputError: no things, negative counts, unequal numbers of votes, or fewer than two.

    >>> agreement(np.array([[2, 0], [1, 1]]))
    0.5
    """
    votes = _votes(counts)
    return float(((counts * (counts - 1)).sum(1) / (votes * (votes - 1))).mean())


def fleiss_kappa(counts: Counts) -> float:
    """Return Fleiss' kappa: agreement beyond chance, as a fraction of what is possible (1971).

    1 is full agreement, 0 that of votes drawn at random. NaN where all votes are of one category,
    for then chance agrees, too.

    Raises:
        InputError: as `agreement`.

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
            "Expected at least one thing with the same number of votes on each, two or more, but "
            f"got {found} votes. Leave out what not everybody has seen."
        )
    return int(totals[0])
