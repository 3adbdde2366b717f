"""Which number stands in which column, and when a run's is computed as the papers' are."""

import pytest

from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.objects.scored_boxes import Settings
from robust_lib.results.leaderboard.columns import COLUMNS, column
from robust_lib.results.reported import datasets
from robust_lib.results.row import METRICS


def test_each_column_has_a_key_of_its_own_and_measures_something():
    assert len({one.key for one in COLUMNS}) == len(COLUMNS)
    assert {one.metric for one in COLUMNS} <= set(METRICS)
    assert {one.unit for one in COLUMNS if METRICS[one.metric] == "difference"} == {"points"}


def test_the_roles_are_names_that_the_papers_data_have_here():
    others = {"enhancements", "imagenet_vid_robust_boxes"}
    assert {role for one in COLUMNS for role in one.roles} <= set(datasets()) | others


def test_an_error_counts_as_an_accuracy_and_a_distance_must_be_the_columns():
    shared = {"item": "", "names": ("toys",), "dataset": "toys"}
    assert column("clean").fits(metric="error", k=None, **shared)
    assert not column("mce").fits(metric="error", k=None, **shared)
    assert column("pm10").fits(metric="pm_accuracy", k=10, **shared)
    assert not column("pm10").fits(metric="pm_accuracy", k=5, **shared)
    assert not column("hard").fits(
        item="", metric="accuracy", dataset="others", k=None, names=("toys",)
    )


@pytest.mark.parametrize(
    ("key", "convention"),
    [
        ("clean", None),
        ("mce", "archive, divided by AlexNet's published errors on ImageNet-C"),
        ("hard", "200 of 1,000 outputs, the others masked before the softmax"),
        ("pm0", "30 classes, each by the largest logit of its outputs, of up to 1,000; "
         "anchor included; each frame's own labels"),
    ],
)  # fmt: skip
def test_what_a_run_computes_as_the_papers_do_is_said_in_the_same_words(key, convention):
    assert column(key).way_of(convention) == column(key).way


def test_the_words_are_those_of_the_code_that_computes():
    masked = MaskedPredictions("imagenet_a", 200, 1000, {}, {})
    assert column("hard").way_of(masked.convention) == column("hard").way
    assert column("nao").way_of(Settings().words) == column("nao").way


@pytest.mark.parametrize(
    ("key", "convention"),
    [
        ("mce", "jpeg85, divided by AlexNet's published errors on ImageNet-C"),
        ("mce", "archive, divided by mine, measured on the same images"),
        ("hard", "all 1000 outputs"),
        ("clean", "ten crops"),
        ("pm0", "30 classes, each by the largest logit; anchor left out; the anchor's labels"),
        ("nao_known", "IoU .5 to .95; without boxes that match no object"),
    ],
)
def test_any_other_way_keeps_its_own_words(key, convention):
    assert column(key).way_of(convention) == convention


def test_a_number_whose_convention_nobody_names_is_not_the_papers():
    assert column("mce").way_of(None) == "no convention is stated"
