"""The construction told in numbers: counts by step, sizes, classes, and what the paper says."""

import numpy as np
import pytest

from robust_lib.chapters.nae import funnel
from robust_lib.curation.decisions import Filtration
from robust_lib.datasets.subset import Subset
from robust_lib.errors import InputError
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from tests.protocols.nae.answers import asked
from tests.toys import Swatches

STEPS = ("correct", "correct", "correct", "confident", "confusion", "review", "shortlisted")
FOUND = Filtration(
    rule="imagenet-a",
    filters=("one",),
    class_names=("key", "owl"),
    ids=tuple("abcdefg"),
    labels=np.array([0, 0, 0, 0, 0, 1, 1]),
    predicted=np.array([[-1]] * 3 + [[1]] * 2 + [[0]] * 2),
    confidence=np.full((7, 1), 0.5),
    in_truth=np.full((7, 1), 0.1),
    steps=STEPS,
    settings={"candidates": "pool", "digest": ""},
    is_reviewed=True,
)


def test_what_is_left_after_each_step_in_the_papers_words():
    rows = {row.dataset: row.value for row in funnel.counts(FOUND, "total").rows}
    assert rows == {
        "pool/downloaded": 7,
        "pool/filtered": 4,
        "pool/shortlisted": 2,
        "pool/selected": 1,
    }
    assert funnel.ours(FOUND, "key") == {
        "This run: key": {"downloaded": 5, "filtered": 2, "shortlisted": 0, "selected": 0}
    }


def test_the_papers_own_counts_are_read_from_what_it_prints():
    assert funnel.papers() == {
        "downloaded": 81413,
        "filtered": 8925,
        "shortlisted": 1452,
        "selected": 80,
    }


def test_the_claims_about_the_funnel_are_judged_on_this_runs():
    counted = funnel.counts(FOUND, "total") + funnel.rules(FOUND, Swatches(), 0.15, 15)
    found = compare(counted, "nae-funnel", datasets=funnel.stand_ins(FOUND))
    claims = [one.verdict for one in found if one.status == "direction"]
    assert claims == ["holds"] * 3
    printed = {one.metric: one.ours for one in found if one.metric in ("crops",)}
    assert printed == {"crops": 10}


def test_without_candidates_there_is_nothing_of_ours():
    assert funnel.counts(None, "total") == Results()
    assert funnel.rules(None, Swatches(), 0.15, 15) == Results()
    assert funnel.ours(None, "total") == {}
    assert funnel.table(None).iloc[0]["selected"] == 80
    numbers = funnel.key_numbers(None, Swatches(), Swatches())
    assert numbers["candidates"].text == "an unknown number of"


def test_a_class_that_there_is_not_is_refused():
    funnel.require_class(("key", "owl"), "total")
    with pytest.raises(InputError, match="a class to be one of total, key, owl, but got owls"):
        funnel.require_class(("key", "owl"), "owls")


@pytest.mark.parametrize(("confidence", "most"), [(15.0, 15), (-0.1, 15), (0.15, 0)])
def test_thresholds_that_are_none_are_refused(confidence, most):
    funnel.require_rule(0.15, 15)
    with pytest.raises(InputError, match="is a fraction"):
        funnel.require_rule(confidence, most)


def test_sizes_and_classes():
    part = Subset(Swatches(count=9), (0, 3, 4), called="few")
    whole = Swatches(count=30, name="whole")
    rows = funnel.sizes(part, Swatches(count=6), whole).select(item="nae-tab1").rows
    assert [(row.dataset, row.metric, row.value) for row in rows][:2] == [
        ("few", "images", 3),
        ("swatches", "images", 6),
    ]
    table = funnel.class_table(part)
    assert table["Images"].tolist() == np.bincount(part.labels, minlength=3).tolist()
    told = asked("foreign", {"net": 3}, images=6)
    taken = funnel.answer_table(told, Swatches(count=6), "net")["Taken for"].tolist()
    assert taken == np.bincount(told.predictions["net"][0].predicted, minlength=3).tolist()


def test_the_papers_lists_have_200_classes_each():
    for name in ("imagenet_a", "imagenet_o"):
        table = funnel.paper_classes(name)
        assert len(table) == 200
        assert table["WordNet id"].str.match(r"n\d{8}$").all()
