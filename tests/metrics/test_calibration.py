"""Calibration and error detection: by hand, slow loops, the authors' last bin, ties, errors."""

import numpy as np
import pytest
from scipy import stats
from sklearn.calibration import calibration_curve

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.calibration import (
    _resampling_noise,
    aurra,
    aurra_interval,
    reliability,
    response_rate_accuracy,
    rms_calibration_error,
    rms_calibration_error_interval,
)
from tests.looped import over
from tests.reference import calibration as reference
from tests.toys import unchecked

CASES = range(40)
VARIANTS = ("authors", "all-bins")


def classifier(case, least=2):
    """Confidence of any number of images, with ties down to a single value, and correctness."""
    rng = seeds.generator("calibration", case)
    images = int(rng.integers(least, least + 60))
    levels = rng.choice([1, 2, 7, 1000])
    confidence = rng.integers(0, levels + 1, images) / levels
    return confidence, rng.random(images) < confidence ** rng.choice([0.5, 1, 3])


@pytest.mark.parametrize("variant", VARIANTS)
@over("case", CASES)
def test_calibration_errors_bin_by_bin(case, variant):
    bin_size = 1 + case % 10
    confidence, correct = classifier(case, least=2 * bin_size)
    expected = reference.rms_calibration_error(confidence, correct, variant, bin_size)
    found = rms_calibration_error(confidence, correct, variant, bin_size)
    assert found == pytest.approx(expected, abs=1e-12)
    assert 0 <= found <= 1


def test_a_calibration_error_by_hand():
    """350 images: bins of 100, 100 and 150, with gaps of .1, .2 and .3 to the accuracy."""
    confidence = np.repeat([0.3, 0.5, 0.9], [100, 100, 150])
    correct = np.concatenate([np.arange(100) < 20, np.arange(100) < 70, np.arange(150) < 90])
    squares = 100 * 0.1**2 + 100 * 0.2**2
    authors = np.sqrt(squares / 350)
    whole = np.sqrt((squares + 150 * 0.3**2) / 350)
    assert rms_calibration_error(confidence, correct) == pytest.approx(authors)
    assert rms_calibration_error(confidence, correct, "all-bins") == pytest.approx(whole)


def test_the_authors_never_see_the_most_confident_images():
    """Only the last bin, remainder and all, is wrong, as sure as can be."""
    confidence = np.concatenate([np.zeros(200), np.ones(199)])
    correct = np.zeros(399, bool)
    assert rms_calibration_error(confidence, correct, "authors") == 0
    expected = np.sqrt(199 / 399)
    assert rms_calibration_error(confidence, correct, "all-bins") == pytest.approx(expected)


@over("case", CASES)
def test_the_authors_error_is_never_the_larger(case):
    confidence, correct = classifier(case)
    authors, whole = (rms_calibration_error(confidence, correct, v, 1) for v in VARIANTS)
    assert authors <= whole


def test_imagenet_a_has_74_bins_that_count():
    """7,500 images that are sure and wrong: each bin weighs 1 / 75, and one is left out."""
    confidence, correct = np.ones(7500), np.zeros(7500, bool)
    assert rms_calibration_error(confidence, correct) == pytest.approx(np.sqrt(74 / 75))
    assert rms_calibration_error(confidence, correct, "all-bins") == 1


def test_a_perfectly_calibrated_classifier_has_an_error_of_chance_only():
    rng = seeds.generator("calibrated")
    confidence = rng.random(20_000)
    correct = rng.random(20_000) < confidence
    expected = np.sqrt(np.mean(confidence * (1 - confidence)) / 100)
    found = rms_calibration_error(confidence, correct, "all-bins")
    assert found == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize(
    ("images", "variant", "bin_size", "message"),
    [
        (199, "authors", 100, "at least 200 images for bins of 100 .* got 199. Use more images"),
        (99, "all-bins", 100, "at least 100 images .* got 99"),
        (5, "all-bins", 6, "at least 6 images"),
        (300, "author", 100, "variant to be one of authors, all-bins, but got author"),
        (300, "authors", 0, "bins of at least one image, but got 0"),
    ],
)
def test_bins_that_cannot_be(images, variant, bin_size, message):
    confidence, correct = np.full(images, 0.5), np.ones(images, bool)
    with unchecked():
        with pytest.raises(InputError, match=message):
            rms_calibration_error(confidence, correct, variant, bin_size)
        with pytest.raises(InputError, match=message):
            rms_calibration_error_interval(
                confidence, correct, variant, bin_size, rng=seeds.generator(0)
            )


@over("case", CASES)
def test_aurra_prefix_by_prefix(case):
    confidence, correct = classifier(case, least=1)
    assert aurra(confidence, correct) == pytest.approx(reference.aurra(confidence, correct))


def test_aurra_by_hand():
    """The surest is right, the next wrong, the last right: 1, 1/2, 2/3."""
    found = aurra(np.array([0.2, 0.9, 0.5]), np.array([True, True, False]))
    assert found == pytest.approx((1 + 1 / 2 + 2 / 3) / 3)


def test_aurra_is_best_where_the_wrong_ones_are_the_least_sure():
    correct = np.arange(50) >= 20
    rising = np.linspace(0, 1, 50)
    best, worst = aurra(rising, correct), aurra(1 - rising, correct)
    assert best == pytest.approx((30 + sum(30 / k for k in range(31, 51))) / 50)
    shuffled = [aurra(seeds.generator(k).permutation(rising), correct) for k in range(50)]
    assert worst < min(shuffled)
    assert max(shuffled) < best
    assert aurra(rising, np.ones(50, bool)) == 1
    assert aurra(rising, np.zeros(50, bool)) == 0


def test_images_of_one_confidence_count_as_their_mean():
    confidence = np.full(4, 0.5)
    for right in ([True, True, False, False], [False, False, True, True]):
        assert aurra(confidence, np.array(right)) == pytest.approx(0.5)
    found = response_rate_accuracy(confidence, np.array([True, False, True, False]), np.ones(1) / 4)
    assert found.tolist() == [0.5]


@over("case", range(10))
def test_no_number_depends_on_the_order_of_the_files(case):
    rng = seeds.generator("order", case)
    confidence = rng.integers(0, 6, 60) / 5
    correct = rng.random(60) < confidence
    order = rng.permutation(60)

    def numbers(sure, right):
        return [
            aurra(sure, right),
            *(rms_calibration_error(sure, right, one, 10) for one in VARIANTS),
            *(_resampling_noise(*(x[np.argsort(sure)] for x in (sure, right)), one, 10)
              for one in VARIANTS),
            *response_rate_accuracy(sure, right, np.arange(1, 61) / 60),
        ]  # fmt: skip

    np.testing.assert_allclose(
        numbers(confidence, correct), numbers(confidence[order], correct[order])
    )


def test_an_interval_of_ties_is_as_wide_as_that_of_nearly_equal_confidences_in_every_order():
    """Of four answers to how sure one is, no bin of 100 is without a tie."""
    rng = seeds.generator("few levels")
    sure = np.repeat([0.2, 0.5, 0.7, 0.9], 300)
    right = rng.random(1200) < sure - 0.1
    first = [right, np.concatenate([np.sort(one) for one in right.reshape(4, 300)])]
    ends = [rms_calibration_error_interval(sure, one, rng=seeds.generator(1)) for one in first]
    np.testing.assert_allclose(*ends, atol=0.01)
    others = [rms_calibration_error(sure, rng.random(1200) < sure - 0.1) for _ in range(300)]
    assert ends[0][1] - ends[0][0] == pytest.approx(2 * 1.96 * np.std(others), rel=0.25)


PERCENT = (1, 3, 7, 10, 29, 33, 50, 57, 99, 100)


@over("case", CASES)
def test_response_rates_in_whole_percents(case):
    confidence, correct = classifier(case, least=1)
    found = response_rate_accuracy(confidence, correct, np.array(PERCENT) / 100)
    expected = [reference.response_rate_accuracy(confidence, correct, p) for p in PERCENT]
    np.testing.assert_allclose(found, expected)


def test_every_percent_of_a_hundred_images_takes_as_many():
    """0.07 * 100 is a little more than 7, and must not take an eighth image."""
    correct = np.zeros(100, bool)
    correct[0] = True
    rates = np.arange(1, 101) / 100
    found = response_rate_accuracy(np.linspace(1, 0, 100), correct, rates)
    assert found.tolist() == (1 / np.arange(1, 101)).tolist()


def test_the_curves_area_is_the_aurra():
    confidence, correct = classifier(3, least=30)
    rates = np.arange(1, len(correct) + 1) / len(correct)
    curve = response_rate_accuracy(confidence, correct, rates)
    assert curve.mean() == pytest.approx(aurra(confidence, correct))
    assert curve[-1] == pytest.approx(correct.mean())


@pytest.mark.parametrize("rates", [[0.0], [0.5, 1.1], [10.0, 50.0, 100.0], [np.nan]])
def test_rates_in_percent_are_refused(rates):
    with pytest.raises(InputError, match="Pass fractions, not percent"):
        response_rate_accuracy(np.ones(3), np.ones(3, bool), np.array(rates))


@pytest.mark.parametrize("bins", [1, 3, 10, 100])
@over("case", CASES)
def test_reliability_image_by_image(case, bins):
    confidence, correct = classifier(case)
    found = reliability(confidence, correct, bins)
    columns = np.array(reference.reliability(confidence, correct, bins)).T
    np.testing.assert_allclose([found.confidence, found.accuracy, found.count], columns)
    assert found.count.sum() == len(confidence)


def test_scikit_learn_draws_the_same_diagram():
    """It has other edges, so only between them; and it leaves out empty bins."""
    rng = seeds.generator("diagram")
    confidence = 0.3 + 0.69 * rng.random(500)
    correct = rng.random(500) < confidence
    found = reliability(confidence, correct)
    filled = found.count > 0
    assert filled.tolist() == [False] * 3 + [True] * 7
    accuracy, mean = calibration_curve(correct, confidence, n_bins=10)
    np.testing.assert_allclose(found.accuracy[filled], accuracy)
    np.testing.assert_allclose(found.confidence[filled], mean)


def test_an_edge_belongs_to_the_bin_above_it():
    edges = np.arange(10) / 10
    assert reliability(edges, np.ones(10, bool)).count.tolist() == [1] * 10
    assert reliability(np.array([1.0]), np.ones(1, bool)).count.tolist() == [0] * 9 + [1]
    with pytest.raises(InputError, match=r"bin.*0"):
        reliability(edges, np.ones(10, bool), 0)


def imagenet_a(key, images=1000, gap=0.3):
    rng = seeds.generator("images", key)
    confidence = rng.beta(3, 2, images)
    return confidence, rng.random(images) < np.clip(confidence - gap, 0, 1)


@pytest.mark.parametrize(
    ("metric", "interval"),
    [(aurra, aurra_interval), (rms_calibration_error, rms_calibration_error_interval)],
)
def test_an_interval_is_about_as_wide_as_other_draws_of_images_are(metric, interval):
    others = np.array([metric(*imagenet_a(number)) for number in range(400)])
    ends = [interval(*imagenet_a(key), rng=seeds.generator(key), samples=300) for key in "abcdefgh"]
    low, high = np.mean(ends, axis=0)
    assert low < others.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * others.std(), rel=0.2)
    held = [low <= others.mean() <= high for low, high in ends]
    assert sum(held) >= 6


def test_resampling_alone_would_say_too_much_of_a_calibrated_classifier():
    """Its error is chance, and a resample has this chance twice."""
    confidence, correct = imagenet_a("calibrated", 4000, gap=0)
    value = rms_calibration_error(confidence, correct)
    rng = seeds.generator("twice")
    naive = [
        rms_calibration_error(confidence[chosen], correct[chosen])
        for chosen in rng.integers(0, 4000, (200, 4000))
    ]
    assert np.quantile(naive, 0.025) > value
    low, high = rms_calibration_error_interval(confidence, correct, rng=rng)
    assert low < value < high
    others = [rms_calibration_error(*imagenet_a(k, 4000, gap=0)) for k in range(200)]
    assert low < np.mean(others) < high


@pytest.mark.parametrize("variant", VARIANTS)
@over("case", range(20))
def test_an_interval_holds_its_value(case, variant):
    confidence, correct = classifier(case, least=20)
    value = rms_calibration_error(confidence, correct, variant, 10)
    low, high = rms_calibration_error_interval(
        confidence, correct, variant, 10, rng=seeds.generator(case), samples=50
    )
    assert 0 <= low <= value <= high
    low, high = aurra_interval(confidence, correct, rng=seeds.generator(case), samples=50)
    assert 0 <= low <= aurra(confidence, correct) <= high <= 1


def test_aurras_interval_is_scipys():
    confidence, correct = imagenet_a("scipy", 80)
    ours = aurra_interval(confidence, correct, rng=seeds.generator(1), samples=4000)
    theirs = stats.bootstrap(
        (confidence, correct), lambda sure, right: aurra(sure, right.astype(bool)), paired=True,
        method="percentile", vectorized=False, n_resamples=4000, rng=np.random.default_rng(2),
    ).confidence_interval  # fmt: skip
    np.testing.assert_allclose(ours, theirs, atol=0.02)


WRONG = [
    (np.zeros(0), np.zeros(0, bool), "at least one image"),
    (np.zeros(3), np.zeros(2, bool), r"shape \(3,\) and \(2,\)"),
    (np.zeros((2, 2)), np.zeros((2, 2), bool), r"shape \(2, 2\)"),
    (np.array([0.5, np.nan]), np.ones(2, bool), "from 0 to 1, but got NaN or numbers outside"),
    (np.array([50.0, 90.0]), np.ones(2, bool), "maximum softmax probability as a fraction"),
    (np.array([-0.5]), np.ones(1, bool), "from 0 to 1"),
]


@pytest.mark.parametrize(("confidence", "correct", "message"), WRONG)
def test_wrong_images(confidence, correct, message):
    rng = seeds.generator(0)
    asked = [
        lambda: rms_calibration_error(confidence, correct),
        lambda: rms_calibration_error_interval(confidence, correct, rng=rng),
        lambda: aurra(confidence, correct),
        lambda: aurra_interval(confidence, correct, rng=rng),
        lambda: response_rate_accuracy(confidence, correct, np.ones(1)),
        lambda: reliability(confidence, correct),
    ]
    for ask in asked:
        with unchecked(), pytest.raises(InputError, match=message):
            ask()
