"""Rows of pm-k accuracy: numbers by hand, pairs, and claims that can fail."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.networks import AUGMENTED
from robust_lib.results.compare import compare
from robust_lib.results.reported import reported
from tests.protocols.pm_k import toys

NAMES = {
    "resnet50": "plain",
    "resnet50_augmented": "noisy",
    "feature_denoise": "robust",
    "resnet50_finetune": "tuned",
    "resnet152_finetune": "larger",
    f"{AUGMENTED}jpeg_compression": "noisy",
}


def rows_of(right):
    return _rows_of(tuple(right.items()))


@cache
def _rows_of(right):
    return classification.results(toys.answers(dict(right), toys.frame_sets(400)), NAMES)


def words(results, item, part):
    verdicts = compare(results, item, roles=NAMES)
    chosen = [one for one in verdicts if part in one.metric.partition(" if ")[0]]
    assert chosen, part
    return {one.verdict for one in chosen}


def test_accuracies_and_drops_are_counts():
    rows = rows_of({"plain": (200, 300)})
    row = rows.row(item="vid-tab1", metric="pm_accuracy", model="plain", k=10)
    assert row.value == 0.5
    assert (row.low, row.high) == pytest.approx(clopper_pearson(200, 400))
    gap = rows.row(item="vid-tab1", metric="drop", model="plain")
    assert gap.value == pytest.approx(0.25)
    assert (gap.low, gap.high) == pytest.approx(clopper_pearson(100, 400))
    by_distance = [
        rows.row(item="vid-fig4", metric="pm_accuracy", model="plain", k=k).value for k in range(11)
    ]
    assert by_distance == [0.75] * 3 + [0.5] * 8


def test_a_network_of_two_names_stands_once():
    rows = rows_of({"plain": (200, 300), "noisy": (200, 300)})
    assert len(rows.select(item="vid-tab3", model="noisy", metric="drop")) == 1
    assert rows.row(item="vid-tab3", metric="augmentations").value == 1


def test_the_line_is_numpys():
    right = {name: (50 * n, 60 * n + 10 * (n % 2)) for n, name in enumerate("abcd", 1)}
    rows = rows_of(right)
    x, y = ([np.array(one) / 400 for one in zip(*right.values(), strict=True)][i] for i in (1, 0))
    slope, intercept = np.polyfit(x, y, 1)
    assert rows.row(item="vid-fig3", metric="slope").value == pytest.approx(slope)
    assert rows.row(item="vid-fig3", metric="intercept").value == pytest.approx(intercept)
    found = rows.row(item="vid-fig3", metric="r_squared")
    assert found.value == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
    assert found.low < found.value <= found.high


def test_two_networks_make_no_line():
    assert not rows_of({"a": (1, 2), "b": (2, 3)}).select(item="vid-fig3").rows


def test_the_median_drop_and_that_of_the_best():
    rows = rows_of({"a": (100, 140), "b": (100, 200), "c": (300, 320)})
    assert rows.row(metric="median_drop").value == pytest.approx(0.1)
    assert rows.row(metric="drop_of_best").value == pytest.approx(0.05)


SIX = {
    "plain": (200, 260),
    "noisy": (200, 260),
    "robust": (120, 160),
    "tuned": (280, 330),
    "larger": (300, 350),
}
HELP = "pm_accuracy[resnet50_imagenet_augment_*, k=10] - pm_accuracy[resnet50, k=10] < 3%"
LIFT = "pm_accuracy[resnet50_finetune, k=0] > pm_accuracy[resnet50, k=0]"
CLOSE = "drop[resnet50, k=10] - drop[resnet50_finetune, k=10] < 5%"


@pytest.mark.parametrize(
    ("part", "changes", "word"),
    [
        (HELP, {}, "holds"),
        (HELP, {"noisy": (300, 300)}, "does not hold"),
        (HELP, {"noisy": (210, 260)}, "not decided"),
        (LIFT, {}, "holds"),
        (LIFT, {"tuned": (150, 200)}, "does not hold"),
        (LIFT, {"tuned": (200, 261)}, "not decided"),
        (CLOSE, {"plain": (200, 240), "tuned": (280, 320)}, "holds"),
        (CLOSE, {"plain": (100, 300)}, "does not hold"),
        (CLOSE, {"plain": (200, 268)}, "not decided"),
        (CLOSE, {"tuned": (150, 200)}, "premise fails"),  # worse than before is no test
    ],
)
def test_each_claim_on_training_can_come_out_either_way(part, changes, word):
    item = "vid-tab3" if part is HELP else "vid-tab1"
    assert words(rows_of(SIX | changes), item, part) == {word}


def test_what_the_paper_says_once_is_judged_once():
    """A row of Table 3 stands in Table 1, too: its tick would count the one sentence twice."""
    sentences = [row.sentence for item in ("vid-tab1", "vid-tab3") for row in reported(item)]
    assert len([one for one in sentences if "ugmentation help" in one]) == 1
    datasets = {row.dataset for row in reported("vid-tab2") if row.is_claim}
    assert datasets == {"imagenet_vid_robust"}  # R-FCN is one of the detectors that these ask


def test_that_accuracy_falls_with_distance_is_no_finding():
    claim = "pm_accuracy[@vid-tab1, k=5]"
    # All is lost at the third frame, so that five and ten are alike.
    assert words(rows_of(SIX), "vid-fig4", claim) == {"by construction"}
    drops = "pm_accuracy[@vid-tab1, k=10] < pm_accuracy[@vid-tab1, k=0]"
    for right in (SIX, SIX | {"plain": (200, 200)}):
        assert words(rows_of(right), "vid-tab1", drops) == {"by construction"}


@pytest.mark.parametrize(
    ("lost", "word"),
    [
        (lambda n: 140 - 15 * n, "holds"),
        (lambda n: 10 * n, "does not hold"),
        (lambda n: 60 + 7 * (n % 2), "not decided"),
    ],
)
def test_better_networks_lose_less_or_they_do_not(lost, word):
    """A line through the dots has an R squared above .9 in all three."""
    right = {c: (150 + 30 * n - lost(n), 150 + 30 * n) for n, c in enumerate("abcdefgh", 1)}
    rows = rows_of(right)
    assert rows.row(metric="r_squared").value > 0.9
    assert words(rows, "vid-fig3", "rank_correlation") == {word}


def test_a_rank_correlation_is_scipys():
    right = {"a": (90, 140), "b": (200, 210), "c": (150, 180), "d": (90, 120), "e": (310, 320)}
    anchor, worst = np.array([right[one][::-1] for one in "abcde"]).T / 400
    found = rows_of(right).row(metric="rank_correlation").value
    assert found == pytest.approx(stats.spearmanr(anchor, (anchor - worst).round(9)).statistic)
