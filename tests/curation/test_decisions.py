"""The result of a filtration: its funnel and the review."""

from collections import Counter

import numpy as np
import pytest

from robust_lib.curation.decisions import Filtration
from robust_lib.curation.filtration import adversarial_filter, anomalous_filter
from robust_lib.errors import DataError, InputError
from tests.curation.filters import RULE, filters
from tests.toys import Swatches, convolutional, unchecked


@pytest.fixture(scope="module")
def told():
    return adversarial_filter(Swatches(90), filters(), **RULE)


def test_a_decision_says_what_each_filter_said(told):
    decisions = list(told)
    assert len(decisions) == len(told) == 90
    assert Counter(one.step for one in decisions) == Counter(told.steps)
    kept = decisions[told.places[0]]
    assert kept.id == told.shortlisted[0]
    assert [answer.filter for answer in kept.answers] == ["net10", "net11"]
    for answer in kept.answers:
        assert answer.predicted != kept.truth
        assert 0 < answer.in_truth <= 0.3
        assert answer.in_truth < answer.confidence < 1
    out = next(one for one in decisions if one.step == "correct")
    assert [answer.predicted for answer in out.answers] == [None, None]
    assert np.isnan(out.answers[0].confidence)


def test_the_funnel_counts_what_is_left_by_class_and_in_total(told):
    funnel = told.funnel()
    assert funnel.columns.tolist() == [
        "candidates", "fooled", "unconfident in truth", "shortlisted",
    ]  # fmt: skip
    assert funnel.index.tolist() == ["red", "green", "blue", "total"]
    steps = np.array(told.steps)
    for label, name in enumerate(("red", "green", "blue")):
        of = steps[told.labels == label]
        fooled = len(of) - (of == "correct").sum()
        unconfident = fooled - (of == "confident").sum()
        assert funnel.loc[name].tolist() == [
            30, fooled, unconfident, unconfident - (of == "confusion").sum(),
        ]  # fmt: skip
    assert funnel.loc["total"].tolist() == funnel.iloc[:3].sum().tolist()
    assert (np.diff(funnel.to_numpy(), axis=1) <= 0).all()


def test_a_review_takes_out_what_people_drop_or_are_unsure_of(told):
    ids = told.shortlisted
    words = dict.fromkeys(ids, "keep") | {ids[0]: "drop", ids[1]: "unsure"}
    after = told.reviewed(words)
    assert after.shortlisted == ids[2:]
    assert after.steps.count("review") == 2
    assert after.funnel().loc["total"].tolist()[-2:] == [len(ids), len(ids) - 2]
    assert told.reviewed(words, unsure="keep").shortlisted == ids[1:]
    assert told.shortlisted == ids  # the first one is as it was
    assert told.reviewed(dict.fromkeys(ids, "keep")).funnel()["reviewed"]["total"] == len(ids)


def test_a_review_is_of_all_shortlisted_and_of_nothing_else(told):
    words = dict.fromkeys(told.shortlisted, "keep")
    first = told.shortlisted[0]
    with pytest.raises(InputError, match=f"1 have none \\({first}\\) and 0 decisions"):
        told.reviewed({name: word for name, word in words.items() if name != first})
    dropped = told.ids[told.steps.index("correct")]
    with pytest.raises(InputError, match=f"1 decisions are on others \\({dropped}\\)"):
        told.reviewed(words | {dropped: "keep"})
    with (
        unchecked(),
        pytest.raises(InputError, match=f"decision on {first} to be one of keep, drop, unsure"),
    ):
        told.reviewed(words | {first: "yes"})
    with pytest.raises(InputError, match="unsure to be one of keep, drop"):
        told.reviewed(words, unsure="unsure")


def test_classes_without_a_candidate_are_named(told):
    every = told.reviewed(dict.fromkeys(told.shortlisted, "keep"))
    there = {told.class_names[told.labels[place]] for place in every.places}
    absent = [name for name in told.class_names if name not in there]
    assert absent
    with pytest.raises(DataError, match=f"{len(absent)} have none: {', '.join(absent)}. Gather"):
        every.require_every_class()
    wrong = anomalous_filter(Swatches(3), convolutional(), confidence=0.0)
    with pytest.raises(DataError, match="have none"):
        wrong.require_every_class()


def test_all_classes_have_a_candidate():
    told = adversarial_filter(Swatches(3), filters(), confidence=1.0)
    steps = ("shortlisted",) * 3
    everything = Filtration(**{**vars(told), "steps": steps, "labels": np.array([0, 1, 2])})
    everything.require_every_class()
