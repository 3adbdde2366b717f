"""The questions of the first stage: majorities, what a candidate falls by, and agreement."""

from itertools import product

import numpy as np
import pytest

from robust_lib.curation import questions
from robust_lib.curation.candidates import EGREGIOUS, HARD, Candidate
from robust_lib.errors import InputError
from tests.reference import filtration as reference

FAIR = {"class": True, "box": True, "blurry": False, "occluded": False, "depiction": False}
BOX = (0.0, 0.0, 9.0, 9.0)


def test_the_majority_is_more_than_half():
    for votes in product([True, False], repeat=5):
        assert questions.majority(votes) is (sum(votes) >= 3)
    assert questions.majority([True, False]) is None
    with pytest.raises(InputError, match="at least one vote"):
        questions.majority([])


@pytest.mark.parametrize("name", questions.NAMES)
def test_three_of_five_decide_each_question(name):
    other = FAIR | {name: not FAIR[name]}
    assert questions.failed([FAIR] * 3 + [other] * 2, is_class=True) == ()
    assert questions.failed([FAIR] * 2 + [other] * 3, is_class=True) == (name,)
    assert questions.failed([FAIR, other], is_class=True) == (name,)


def test_where_there_is_no_object_the_predicted_class_has_to_be_wrong():
    nothing, mistaken = Candidate(0, 0, HARD, BOX, 3, 0.9), Candidate(0, 0, EGREGIOUS, BOX, 3, 0.9)
    named = Candidate(0, 0, EGREGIOUS, BOX, 3, 0.9, truth=0, overlap=0.7)
    assert questions.asked(nothing) == questions.asked(mistaken) == (3, False)
    assert questions.asked(named) == (0, True)
    assert questions.failed([FAIR] * 5, is_class=False) == ("class",)
    assert questions.failed([FAIR | {"class": False}] * 5, is_class=False) == ()


def test_all_questions_have_to_be_answered():
    with pytest.raises(InputError, match="but got class"):
        questions.failed([{"class": True}], is_class=True)


def test_agreement_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    answers = [
        [{name: bool(rng.random() < 0.7) for name in questions.NAMES} for _ in range(5)]
        for _ in range(40)
    ]
    kappas, shares = questions.kappa(answers), questions.agreement(answers)
    for name in questions.NAMES:
        votes = [[one[name] for one in of] for of in answers]
        rows = [[sum(of), len(of) - sum(of)] for of in votes]
        assert questions.counts(answers, name).tolist() == rows
        assert kappas[name] == pytest.approx(reference.fleiss_kappa(rows))
        pairs = [of[i] == of[j] for of in votes for i in range(5) for j in range(5) if i != j]
        assert shares[name] == pytest.approx(np.mean(pairs))
    alike = questions.kappa([[FAIR] * 5] * 3)
    assert all(np.isnan(value) for value in alike.values())
