"""Detection of out-of-distribution pictures as rows, beside scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import average_precision_score, roc_auc_score

from robust_lib.protocols.nae import detection
from robust_lib.results.compare import compare
from tests.protocols.nae.toys import NAMES, masked

RIGHT = {"chooser": 20, "small": 18, "large": 22, "plain": 20, "attentive": 20, "scratch": 9}
IN_DISTRIBUTION = masked("ordinary", RIGHT, images=50)
OUT_OF_DISTRIBUTION = masked("imagenet_o", RIGHT, images=10)
RESULTS = detection.results(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, NAMES, samples=100)


def scores(masked):
    return -softmax(masked.predictions["small"][0].logits.astype(np.float64), axis=1).max(1)


def test_aupr_and_auroc_are_those_of_scikit_learn():
    score = np.concatenate([scores(IN_DISTRIBUTION), scores(OUT_OF_DISTRIBUTION)])
    truth = np.repeat([0, 1], [50, 10])
    rows = {row.metric: row for row in RESULTS.select(item="nae-fig3", model="small").rows}
    assert rows["aupr"].value == pytest.approx(average_precision_score(truth, score), abs=1e-4)
    assert rows["auroc"].value == pytest.approx(roc_auc_score(truth, score), abs=1e-4)
    assert rows["aupr"].low < rows["aupr"].value < rows["aupr"].high
    assert rows["aupr"].n == 10


def test_chance_is_the_base_rate():
    assert detection.base_rate(RESULTS) == pytest.approx(10 / 60)


def test_networks_that_do_not_know_all_classes_are_not_shown():
    shown = {row.model for row in RESULTS.select(item="nae-fig3", metric="auroc").rows}
    assert shown == {"chooser", "small", "large", "plain", "attentive"}
    assert {row.model for row in RESULTS.select(item="nae-fig11").rows} == {
        "small", "large", "plain", "attentive"}  # fmt: skip


def claims(results):
    found = compare(results, "nae-fig3", roles=NAMES, datasets={"imagenet_val_o": "ordinary"})
    return [one for one in found if one.status == "direction"]


def test_a_network_that_fails_on_ordinary_pictures_too_confirms_nothing():
    """Its confidence is no better than chance because it knows neither kind."""
    for right, word in ((10, "premise fails"), (48, "not decided")):
        known = masked("ordinary", dict.fromkeys(RIGHT, right), images=50)
        found, _ = claims(detection.results(known, OUT_OF_DISTRIBUTION, NAMES, samples=100))
        assert found.verdict == word


def test_the_claim_of_chance_is_judged_for_every_network():
    known = masked("ordinary", dict.fromkeys(RIGHT, 48), images=50)
    claim, of_one = claims(detection.results(known, OUT_OF_DISTRIBUTION, NAMES, samples=100))
    assert claim.verdict == "not decided"  # ten foreign pictures decide little
    told = " of 4 stand-ins for the paper's networks (small 10.3 points < 10.0 points by"
    assert told in claim.arithmetic  # the chooser is none of them
    assert "chance" not in claim.arithmetic
    assert of_one.verdict == "missing"  # there is no DenseNet-121 here


def test_scores_are_compared_on_the_same_half():
    table = detection.scored(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, "small")
    assert set(table) == {"msp", "max_logit", "energy", "entropy", "mahalanobis", "chance"}
    assert table["chance"] == pytest.approx((10 / 35, 0.5, 0.95))  # of 25 ordinary ones
    truth = np.repeat([0, 1], [25, 10])
    expected = roc_auc_score(
        truth, np.concatenate([scores(IN_DISTRIBUTION)[1::2], scores(OUT_OF_DISTRIBUTION)])
    )
    assert table["msp"][1] == pytest.approx(expected, abs=1e-4)


def test_a_score_that_needs_two_pictures_of_a_class_is_left_out_where_each_is_alone():
    """A folder with a picture a class once ended the run, in its last table."""
    alone = {
        name: tuple(replace(one, labels=np.arange(len(one.ids))) for one in by_seed)
        for name, by_seed in IN_DISTRIBUTION.predictions.items()
    }
    table = detection.scored(
        replace(IN_DISTRIBUTION, predictions=alone), OUT_OF_DISTRIBUTION, "small"
    )
    assert set(table) == {"msp", "max_logit", "energy", "entropy", "chance"}


def test_two_sets_are_told_apart_from_the_same_ordinary_pictures():
    """Of one set from itself nothing is left; sets of unlike sizes have no difference of AUPR."""
    same = detection.apart(IN_DISTRIBUTION, IN_DISTRIBUTION, IN_DISTRIBUTION, "small", samples=20)
    assert set(same) == {"aupr", "auroc"}
    assert same["auroc"].value == 0
    found = detection.apart(
        IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, IN_DISTRIBUTION, "small", samples=20
    )
    by_set = detection.by_set(IN_DISTRIBUTION, [OUT_OF_DISTRIBUTION], "small")
    assert set(found) == {"auroc"}
    assert found["auroc"].value == pytest.approx(by_set["imagenet_o"][1] - 0.5)
    assert found["auroc"].low < found["auroc"].value < found["auroc"].high


def test_each_set_is_told_from_the_ordinary_pictures():
    found = detection.by_set(IN_DISTRIBUTION, [OUT_OF_DISTRIBUTION, IN_DISTRIBUTION], "small")
    rows = {row.metric: row.value for row in RESULTS.select(item="nae-fig3", model="small").rows}
    assert found["imagenet_o"] == pytest.approx((rows["aupr"], rows["auroc"]))
    assert found["ordinary"] == pytest.approx((0.5, 0.5))  # from themselves
