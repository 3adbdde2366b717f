"""Anomaly scores: row by row, PyTorch, large logits, scikit-learn's distances, errors."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import mahalanobis
from sklearn.covariance import EmpiricalCovariance

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.anomaly_scores import SCORES, energy, entropy, fit_mahalanobis, msp
from tests.reference import anomaly as reference
from tests.toys import unchecked

RNG = seeds.generator("anomaly scores")
LOGITS = RNG.normal(0, 4, (50, 7))
LABELS = RNG.integers(0, 3, 60)
FEATURES = RNG.normal(0, 1, (60, 5)) @ RNG.normal(0, 1, (5, 5)) + 3 * LABELS[:, None]


def test_the_four_are_there_by_name():
    assert list(SCORES) == ["msp", "max_logit", "energy", "entropy"]


@pytest.mark.parametrize("name", SCORES)
def test_a_row_at_a_time(name):
    expected = [getattr(reference, name)(row) for row in LOGITS.tolist()]
    np.testing.assert_allclose(SCORES[name](LOGITS), expected, rtol=1e-12, atol=1e-14)


def test_pytorch_agrees():
    logits = torch.from_numpy(LOGITS)
    likely = torch.distributions.Categorical(logits=logits)
    np.testing.assert_allclose(msp(LOGITS), -logits.softmax(1).amax(1))
    np.testing.assert_allclose(energy(LOGITS), -logits.logsumexp(1))
    np.testing.assert_allclose(entropy(LOGITS), likely.entropy())


@pytest.mark.parametrize("name", SCORES)
def test_an_unsure_image_is_more_anomalous_than_a_sure_one(name):
    sure, unsure = SCORES[name](np.array([[9.0, 0.0, 0.0], [3.0, 3.0, 2.9]]))
    assert unsure > sure


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("shift", [1e4, -1e4])
def test_large_logits_neither_overflow_nor_vanish(name, shift):
    score = SCORES[name]
    moved = score(LOGITS + shift)
    assert np.isfinite(moved).all()
    by = shift if name in ("max_logit", "energy") else 0
    np.testing.assert_allclose(moved + by, score(LOGITS), atol=1e-9)


@pytest.mark.parametrize("name", SCORES)
def test_single_precision_is_left_at_once(name):
    """In single precision, confidences of a sure network round to 1 and can no more be ranked."""
    logits = np.array([[18.0, 0.0], [19.0, 0.0]], np.float32)
    first, second = SCORES[name](logits)
    assert first.dtype == np.float64
    assert first > second


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    ("logits", "message"),
    [
        (np.zeros((0, 3)), r"at least one image and one column, but got shape \(0, 3\)"),
        (np.zeros((3, 0)), r"got shape \(3, 0\)"),
        (np.array([[0.0, np.nan]]), "finite logits, but got NaN"),
        (np.array([[0.0, -np.inf]]), "select the other columns"),
    ],
)
def test_wrong_logits(name, logits, message):
    with pytest.raises(InputError, match=message):
        SCORES[name](logits)


def nearest(features, means, precision):
    return [min(mahalanobis(row, mean, precision) ** 2 for mean in means) for row in features]


def means():
    return [FEATURES[label == LABELS].mean(0) for label in range(3)]


def test_distances_are_those_of_scikit_learn_and_scipy():
    """scikit-learn's covariance of what images differ from their class mean, pair by pair."""
    apart = np.concatenate([FEATURES[k == LABELS] - mean for k, mean in enumerate(means())])
    oracle = EmpiricalCovariance(assume_centered=True).fit(apart)
    others = seeds.generator("others").normal(0, 5, (20, 5))
    fitted = fit_mahalanobis(FEATURES, LABELS)
    expected = nearest(others, means(), oracle.precision_)
    np.testing.assert_allclose(fitted.score(others), expected, rtol=1e-8)


def test_shrinkage_mixes_in_a_ball_of_the_same_variance():
    apart = np.concatenate([FEATURES[k == LABELS] - mean for k, mean in enumerate(means())])
    covariance = apart.T @ apart / 60
    mixed = 0.7 * covariance + 0.3 * np.trace(covariance) / 5 * np.eye(5)
    fitted = fit_mahalanobis(FEATURES, LABELS, shrinkage=0.3)
    expected = nearest(FEATURES, means(), np.linalg.inv(mixed))
    np.testing.assert_allclose(fitted.score(FEATURES), expected, rtol=1e-8)


def test_distances_do_not_depend_on_the_units_of_features():
    turned = seeds.generator("turned").normal(0, 1, (5, 5)) * np.array([1, 10, 0.1, 5, 100])
    one = fit_mahalanobis(FEATURES, LABELS).score(FEATURES)
    other = fit_mahalanobis(FEATURES @ turned, LABELS).score(FEATURES @ turned)
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_the_mean_distance_from_ones_own_mean_is_the_number_of_features():
    fitted = fit_mahalanobis(FEATURES, np.zeros(60, int))
    assert fitted.score(FEATURES).mean() == pytest.approx(5)


def test_a_direction_without_spread_does_not_count():
    flat = np.column_stack([FEATURES, np.full(60, 4.0), FEATURES[:, 0]])
    one = fit_mahalanobis(FEATURES, LABELS).score(FEATURES)
    other = fit_mahalanobis(flat, LABELS)
    np.testing.assert_allclose(other.score(flat), one, rtol=1e-6)
    assert other.whitening.shape == (7, 5)


def test_labels_may_be_any_whole_numbers():
    one = fit_mahalanobis(FEATURES, LABELS).score(FEATURES)
    assert np.array_equal(fit_mahalanobis(FEATURES, 10 * LABELS + 5).score(FEATURES), one)


@pytest.mark.parametrize(
    ("features", "labels", "shrinkage", "message"),
    [
        (np.zeros((0, 2)), np.zeros(0, int), 0.0, "features of at least one image"),
        (np.full((2, 2), np.nan), np.zeros(2, int), 0.0, "finite features"),
        (np.eye(3), np.zeros(2, int), 0.0, "label for each of the 3 images"),
        (np.eye(3), np.zeros(3, int), 1.5, "from 0 to 1, but got 1.5"),
        (np.eye(3), np.arange(3), 0.0, "differ between images of a class"),
        (np.ones((4, 2)), np.zeros(4, int), 0.5, "differ between images of a class"),
    ],
)
def test_what_cannot_be_fitted(features, labels, shrinkage, message):
    with unchecked(), pytest.raises(InputError, match=message):
        fit_mahalanobis(features, labels, shrinkage=shrinkage)


def test_features_of_another_layer_are_refused():
    with unchecked(), pytest.raises(InputError, match=r"the 5 features .* got 4"):
        fit_mahalanobis(FEATURES, LABELS).score(FEATURES[:, :4])
