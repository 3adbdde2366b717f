"""Votes: the majority, and agreement against published examples and a slow count of pairs."""

from itertools import permutations

import numpy as np
import pytest

from robust_lib.curation import annotation
from robust_lib.curation.annotation import agreement, fleiss_kappa, majority, vote_counts
from robust_lib.curation.candidate_set import Labelled
from robust_lib.errors import InputError
from tests.looped import over
from tests.reference import filtration as reference
from tests.reference.detection import overlap

# Fourteen raters, ten things, five categories: the worked example of many textbooks.
TEXTBOOK = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
# Six psychiatrists, thirty patients: table 1 of Fleiss (1971).
FLEISS = """
    00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
    00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""


@pytest.mark.parametrize(
    ("table", "kappa"),
    [(TEXTBOOK, 0.210), ([[int(n) for n in row] for row in FLEISS.split()], 0.430)],
)
def test_kappa_is_the_published_one(table, kappa):
    assert round(fleiss_kappa(np.array(table)), 3) == kappa


@over("draw", range(30))
def test_kappa_is_that_of_counting_pairs(draw):
    rng = np.random.default_rng(draw)
    shares = rng.dirichlet([1, 1, 1])
    counts = rng.multinomial(rng.integers(2, 6), shares, rng.integers(2, 8))
    counts[0] = np.roll(counts[1], 1)  # so that not all votes are of one category
    assert fleiss_kappa(counts) == pytest.approx(reference.fleiss_kappa(counts), abs=1e-12)


def test_kappa_of_one_category_is_not_defined():
    assert np.isnan(fleiss_kappa(np.array([[3, 0], [3, 0]])))
    assert agreement(np.array([[3, 0], [3, 0]])) == 1.0


def test_agreement_is_the_share_of_equal_pairs():
    assert agreement(np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1]])) == pytest.approx((1 + 1 / 3) / 3)


@pytest.mark.parametrize(
    "counts", [np.zeros((0, 3), int), np.array([[1, 0]]), np.array([[2, 0], [2, 1]])]
)
def test_votes_that_cannot_be_compared(counts):
    for measure in (agreement, fleiss_kappa):
        with pytest.raises(InputError, match="the same number of votes, two or more, on each"):
            measure(counts)


@pytest.mark.parametrize(
    ("votes", "word"),
    [
        (["keep"], "keep"),
        (["keep", "drop", "drop"], "drop"),
        (["keep", "drop"], "unsure"),
        (["keep", "keep", "drop", "drop", "unsure"], "unsure"),
        (["unsure", "unsure", "keep"], "unsure"),
    ],
)
def test_the_majority_is_the_most_frequent_vote_and_unsure_in_a_tie(votes, word):
    assert majority(votes) == word
    assert majority(votes[::-1]) == word


def test_counts_are_in_the_order_of_the_words():
    assert vote_counts([["drop", "unsure"], ["keep", "keep"]]).tolist() == [[0, 1, 1], [2, 0, 0]]
    assert vote_counts([]).shape == (0, 3)


def test_no_votes_have_no_majority():
    with pytest.raises(InputError, match="at least one vote"):
        majority([])


TEN = (0.0, 0.0, 10.0, 10.0)
EIGHT = (0.0, 0.0, 10.0, 8.0)
FAR = (50.0, 50.0, 60.0, 60.0)


def of(*boxes):
    """The boxes of one annotator in one picture, as (box, class)."""
    return [[Labelled(box, category) for box, category in boxes]]


def test_known_agreements():
    same = annotation.box_agreement([of((TEN, 0), (FAR, 1)), of((FAR, 1), (TEN, 0))])
    assert same == annotation.BoxAgreement(1.0, 1.0, 2, 4)
    # One of two boxes is found by both, and fits by .8; a class of their own parts the others.
    some = annotation.box_agreement([of((TEN, 0), (FAR, 1)), of((EIGHT, 0), (FAR, 2))])
    assert some == annotation.BoxAgreement(0.5, 0.8, 1, 4)
    assert "50.0 % of 4 boxes have a partner" in some.sentence
    # Three annotators are three pairs.
    three = annotation.box_agreement([of((TEN, 0)), of((EIGHT, 0)), of((FAR, 0))])
    assert (three.pairs, three.boxes, three.matched) == (1, 6, pytest.approx(1 / 3))


def test_nothing_drawn_is_no_agreement():
    nothing = annotation.box_agreement([[[]], [[]]])
    assert np.isnan(nothing.matched)
    assert nothing.sentence == "agreement: not defined, no box was drawn"
    apart = annotation.box_agreement([of((TEN, 0)), [[]]])
    assert (apart.matched, apart.pairs) == (0.0, 0)
    assert apart.sentence.endswith("so there is no IoU")


def drawn(rng, count):
    corners = rng.integers(0, 12, (count, 2))
    boxes = np.concatenate([corners, corners + rng.integers(8, 14, (count, 2))], 1).tolist()
    classes = rng.integers(0, 2, count).tolist()
    return [Labelled(tuple(map(float, box)), one) for box, one in zip(boxes, classes, strict=True)]


@over("seed", range(10))
def test_no_other_way_to_pair_boxes_is_better(seed):
    rng = np.random.default_rng(seed)
    one, other = drawn(rng, 4), drawn(rng, 5)

    def worth(a, b):
        shared = overlap(a.box, b.box)
        return shared if shared >= 0.5 and a.category == b.category else 0.0

    best = max(
        sum(worth(one[a], other[b]) for a, b in enumerate(order))
        for order in permutations(range(5), 4)
    )
    found = annotation.pairs(one, other)
    assert sum(shared for *_, shared in found) == pytest.approx(best)
    for a, b, shared in found:
        assert shared == pytest.approx(worth(one[a], other[b]))
    assert len({a for a, *_ in found}) == len({b for _, b, _ in found}) == len(found)


def test_a_reviewer_sees_what_anybody_drew_once():
    both = annotation.together([of((TEN, 0)), of((EIGHT, 0), (FAR, 1)), of((FAR, 1), (TEN, 2))])
    assert both == ((Labelled(TEN, 0), Labelled(FAR, 1), Labelled(TEN, 2)),)


@pytest.mark.parametrize("annotators", [[], [[[]]], [[[]], [[], []]]])
def test_agreement_needs_two_annotators_of_the_same_pictures(annotators):
    with pytest.raises(InputError, match="at least two annotators in the same images"):
        annotation.box_agreement(annotators)
