"""Anomaly detection: by hand, scikit-learn, slow loops, ties, what random scores give, errors."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sklearn

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.anomaly import aupr, aupr_draws, aupr_interval, auroc, chance, fpr_at_recall
from robust_lib.metrics.intervals import percentiles
from tests.looped import over
from tests.reference import anomaly as reference
from tests.toys import unchecked

CASES = range(60)


def scores(case):
    """Two sides of any sizes; the fewer the levels, the more ties, down to a single value."""
    rng = seeds.generator("anomaly", case)
    n_in, n_out = rng.integers(1, 40, 2)
    levels = rng.choice([1, 2, 5, 1000])
    inside = rng.integers(0, levels, n_in) / levels
    return inside, np.minimum(rng.integers(0, levels, n_out) / levels + rng.choice([0, 0.2]), 1)


def labelled(inside, outside):
    return np.repeat([0, 1], [len(inside), len(outside)]), np.concatenate([inside, outside])


def test_a_case_small_enough_to_check_by_eye():
    """Falling: out .9, in .8, out and in .5, in .1; the tie is taken as one."""
    inside, outside = np.array([0.8, 0.5, 0.1]), np.array([0.9, 0.5])
    assert aupr(inside, outside) == pytest.approx(0.5 * 1 + 0.5 * 2 / 4)
    assert auroc(inside, outside) == pytest.approx((3 + 1 + 0.5) / 6)
    assert fpr_at_recall(inside, outside, 0.5) == 0
    assert fpr_at_recall(inside, outside) == pytest.approx(2 / 3)


@over("case", CASES)
def test_scikit_learn_agrees(case):
    inside, outside = scores(case)
    truth, value = labelled(inside, outside)
    assert aupr(inside, outside) == pytest.approx(sklearn.average_precision_score(truth, value))
    assert auroc(inside, outside) == pytest.approx(sklearn.roc_auc_score(truth, value))
    false, true, _ = sklearn.roc_curve(truth, value, drop_intermediate=False)
    for recall in (0.01, 0.5, 0.95, 1.0):
        assert fpr_at_recall(inside, outside, recall) == false[np.argmax(true >= recall)]


@over("case", CASES)
def test_the_definitions_written_out_agree(case):
    inside, outside = scores(case)
    assert aupr(inside, outside) == pytest.approx(reference.aupr(inside, outside))
    assert auroc(inside, outside) == pytest.approx(reference.auroc(inside, outside))
    for recall in (0.01, 0.5, 0.95, 1.0):
        expected = reference.fpr_at_recall(inside, outside, recall)
        assert fpr_at_recall(inside, outside, recall) == expected


@over("case", CASES)
def test_only_the_order_of_scores_counts(case):
    inside, outside = scores(case)
    order = seeds.generator("order", case).permutation(len(inside))
    for metric in (aupr, auroc, fpr_at_recall):
        value = metric(inside, outside)
        assert metric(inside[order], outside) == value
        assert metric(np.exp(3 * inside), np.exp(3 * outside)) == value
        assert 0 <= value <= 1


@over("case", CASES)
def test_swapping_the_sides_mirrors_the_auroc_only(case):
    inside, outside = scores(case)
    assert auroc(-inside, -outside) == pytest.approx(1 - auroc(inside, outside))
    assert auroc(outside, inside) == pytest.approx(1 - auroc(inside, outside))


def test_the_positives_are_the_out_of_distribution_images():
    """Ten ordinary images above or below two others: the other convention would give the rest."""
    inside, outside = np.arange(10.0), np.array([10.0, 11.0])
    assert aupr(inside, outside) == auroc(inside, outside) == 1
    assert fpr_at_recall(inside, outside) == 0
    assert aupr(-inside, -outside) == pytest.approx((1 / 11 + 2 / 12) / 2)
    assert auroc(-inside, -outside) == 0
    assert fpr_at_recall(-inside, -outside) == 1


@pytest.mark.parametrize(("n_in", "n_out"), [(10_000, 2_000), (3, 7), (1, 1), (7, 3)])
def test_constant_scores_give_exactly_chance(n_in, n_out):
    inside, outside = np.full(n_in, 0.3), np.full(n_out, 0.3)
    assert aupr(inside, outside) == chance(n_in, n_out)
    assert auroc(inside, outside) == 0.5
    assert fpr_at_recall(inside, outside) == 1
    interval = aupr_interval(inside, outside, rng=seeds.generator(0), samples=20)
    assert interval == pytest.approx((chance(n_in, n_out),) * 2)


def test_random_scores_tend_to_chance():
    rng = seeds.generator("random scores")
    inside, outside = rng.random(100_000), rng.random(20_000)
    assert aupr(inside, outside) == pytest.approx(chance(100_000, 20_000), abs=0.004)
    assert auroc(inside, outside) == pytest.approx(0.5, abs=0.008)


def test_it_is_no_trapezoid():
    """Straight lines between few points promise a precision that no threshold has."""
    rng = seeds.generator("trapezoid")
    inside, outside = rng.integers(0, 3, 100) / 2, rng.integers(0, 3, 20) / 2
    precision, recall, _ = sklearn.precision_recall_curve(*labelled(inside, outside))
    stairs = -np.diff(recall) @ precision[:-1]
    assert aupr(inside, outside) == pytest.approx(stairs)
    assert sklearn.auc(recall, precision) > stairs + 0.1


def test_infinite_scores_have_their_place():
    inside, outside = np.array([-np.inf, 0.0]), np.array([np.inf, 0.0])
    assert auroc(inside, outside) == (2 + 1.5) / 4
    assert aupr(inside, outside) == pytest.approx(0.5 + 0.5 * 2 / 3)


def test_a_recall_is_reached_when_the_fraction_is():
    """19 of 20 are 0.95; a threshold that waits for the twentieth costs all false alarms."""
    inside, outside = np.full(5, 0.5), np.append(np.ones(19), 0.0)
    assert fpr_at_recall(inside, outside, 0.95) == 0
    assert fpr_at_recall(inside, outside, 0.951) == 1


def test_an_interval_is_about_as_wide_as_other_draws_of_images_are():
    def draw(number):
        rng = seeds.generator("draw", number)
        return rng.normal(size=1000), rng.normal(0.7, 1, 200)

    others = np.array([aupr(*draw(number)) for number in range(400)])
    low, high = aupr_interval(*draw("ours"), rng=seeds.generator("interval"))
    assert low < others.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * others.std(), rel=0.3)


def test_both_sides_of_an_interval_are_resampled():
    """With one image on a side, the other side's images alone make the spread."""
    rng = seeds.generator("one side")
    many = rng.normal(size=500)
    for inside, outside in ((many, np.zeros(1)), (np.zeros(1), many)):
        low, high = aupr_interval(inside, outside, rng=seeds.generator(0), samples=200)
        assert low < aupr(inside, outside) < high


def test_a_resample_counts_each_image_as_often_as_it_was_drawn():
    """SciPy resamples the scores themselves, and the metric takes them one by one."""
    rng = seeds.generator("resample")
    inside, outside = rng.integers(0, 8, 60) / 10, rng.integers(1, 9, 25) / 10
    ours = percentiles(aupr_draws(inside, outside, rng=seeds.generator(1), samples=4000))
    theirs = stats.bootstrap(
        (inside, outside), aupr, method="percentile", vectorized=False, n_resamples=4000,
        rng=np.random.default_rng(2),
    ).confidence_interval  # fmt: skip
    np.testing.assert_allclose(ours, theirs, atol=0.015)


def test_an_interval_does_not_lie_too_high():
    """Of 150 and 30 images at chance, the plain percentiles miss 9 % above, and 1 % below."""
    rng, above, below = seeds.generator("coverage"), 0, 0
    for number in range(150):
        inside, outside = rng.random(150), rng.random(30)
        low, high = aupr_interval(inside, outside, rng=seeds.generator(number), samples=100)
        above, below = above + (low > 1 / 6), below + (high < 1 / 6)
    assert above <= 9
    assert below <= 9


def test_intervals_repeat_with_their_generator():
    rng = seeds.generator("repeats")
    inside, outside = rng.random(50), rng.random(20)
    one, again, another = (
        aupr_interval(inside, outside, rng=seeds.generator(key), samples=50) for key in "aab"
    )
    assert one == again != another


def test_chance_of_imagenet_o():
    assert chance(10_000, 2_000) == 1 / 6


@pytest.mark.parametrize("metric", [aupr, auroc, fpr_at_recall])
@pytest.mark.parametrize(
    ("inside", "outside", "message"),
    [
        (np.zeros(0), np.zeros(3), "at least one ordinary .* got 0 and 3"),
        (np.zeros(3), np.zeros(0), "got 3 and 0"),
        (np.array([0.1, np.nan]), np.zeros(3), "NaN for 1 of 5. Check the logits"),
        (np.zeros(1), np.array([np.nan, np.nan]), "NaN for 2 of 3"),
    ],
)
def test_wrong_scores(metric, inside, outside, message):
    with unchecked(), pytest.raises(InputError, match=message):
        metric(inside, outside)


def test_wrong_intervals_and_wrong_recalls():
    with pytest.raises(InputError, match="at least one ordinary"):
        aupr_interval(np.zeros(0), np.zeros(1), rng=seeds.generator(0))
    with pytest.raises(InputError, match="two samples"):
        aupr_interval(np.zeros(1), np.zeros(1), rng=seeds.generator(0), samples=1)
    for recall in (0.0, 95.0):
        with pytest.raises(InputError, match=f"recall above 0 and up to 1.* got {recall}"):
            fpr_at_recall(np.zeros(1), np.zeros(1), recall)
    for sizes in ((0, 1), (1, 0)):
        with pytest.raises(InputError, match="at least one ordinary"):
            chance(*sizes)
