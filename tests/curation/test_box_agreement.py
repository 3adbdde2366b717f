"""Agreement on boxes: known answers, and every way to pair boxes tried."""

from itertools import permutations

import numpy as np
import pytest

from robust_lib.curation import box_agreement
from robust_lib.curation.candidate_set import Labelled
from robust_lib.errors import InputError
from tests.looped import over
from tests.reference.detection import overlap

TEN = (0.0, 0.0, 10.0, 10.0)
EIGHT = (0.0, 0.0, 10.0, 8.0)
FAR = (50.0, 50.0, 60.0, 60.0)


def of(*boxes):
    """The boxes of one annotator in one picture, as (box, class)."""
    return [[Labelled(box, category) for box, category in boxes]]


def test_known_agreements():
    same = box_agreement.agreement([of((TEN, 0), (FAR, 1)), of((FAR, 1), (TEN, 0))])
    assert same == box_agreement.BoxAgreement(1.0, 1.0, 2, 4)
    # One of two boxes is found by both, and fits by .8; a class of their own parts the others.
    some = box_agreement.agreement([of((TEN, 0), (FAR, 1)), of((EIGHT, 0), (FAR, 2))])
    assert some == box_agreement.BoxAgreement(0.5, 0.8, 1, 4)
    assert "50.0 % of 4 boxes have a partner" in some.sentence
    # Three annotators are three pairs.
    three = box_agreement.agreement([of((TEN, 0)), of((EIGHT, 0)), of((FAR, 0))])
    assert (three.pairs, three.boxes, three.matched) == (1, 6, pytest.approx(1 / 3))


def test_nothing_drawn_is_no_agreement():
    nothing = box_agreement.agreement([[[]], [[]]])
    assert np.isnan(nothing.matched)
    assert nothing.sentence == "agreement: not defined, nobody drew a box"
    apart = box_agreement.agreement([of((TEN, 0)), [[]]])
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
    found = box_agreement.pairs(one, other)
    assert sum(shared for *_, shared in found) == pytest.approx(best)
    for a, b, shared in found:
        assert shared == pytest.approx(worth(one[a], other[b]))
    assert len({a for a, *_ in found}) == len({b for _, b, _ in found}) == len(found)


def test_a_reviewer_sees_what_anybody_drew_once():
    both = box_agreement.together([of((TEN, 0)), of((EIGHT, 0), (FAR, 1)), of((FAR, 1), (TEN, 2))])
    assert both == ((Labelled(TEN, 0), Labelled(FAR, 1), Labelled(TEN, 2)),)


@pytest.mark.parametrize("annotators", [[], [[[]]], [[[]], [[], []]]])
def test_agreement_needs_two_annotators_of_the_same_pictures(annotators):
    with pytest.raises(InputError, match="two annotators or more in the same pictures"):
        box_agreement.agreement(annotators)
