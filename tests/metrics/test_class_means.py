"""Class means: by hand, beside a plain loop over resamples, and of ratios."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.class_means import FEWEST, class_means, mean_over_classes

VALUES = np.array([0.2, 0.4, 0.9, 0.1])
IMAGES, CLASSES = np.array([0, 1, 1, 2]), np.array([0, 0, 2, 2])


def test_means_by_hand():
    found = class_means(VALUES, IMAGES, CLASSES, (4, 3))
    assert found.values[[0, 2]] == pytest.approx([0.3, 0.5])
    assert found.known.tolist() == [True, False, True]
    assert mean_over_classes(found.values) == pytest.approx(0.4)


def test_ratios_of_sums():
    found = class_means(VALUES, IMAGES, CLASSES, (4, 3), over=np.array([1.0, 2.0, 1.0, 3.0]))
    assert found.values[[0, 2]] == pytest.approx([0.6 / 3, 1.0 / 4])


def test_resamples_take_images_with_all_their_objects():
    rng = np.random.default_rng(0)
    images, classes, values = rng.integers(0, 30, 90), rng.integers(0, 4, 90), rng.random(90)
    found = class_means(values, images, classes, (30, 4))
    draws = found.draws("toys", 2000)
    assert draws.shape == (2000, 4)
    slow = []
    for _ in range(2000):
        chosen = rng.integers(0, 30, 30)
        taken = np.concatenate([np.flatnonzero(images == one) for one in chosen])
        slow.append([values[taken][classes[taken] == label].mean() for label in range(4)])
    assert draws.mean(0) == pytest.approx(np.mean(slow, 0), abs=0.01)
    assert draws.std(0) == pytest.approx(np.std(slow, 0), rel=0.15)
    again = class_means(1 - values, images, classes, (30, 4)).draws("toys", 2000)
    assert draws + again == pytest.approx(1, abs=1e-5)  # the same resamples


def test_each_resample_chooses_the_classes_that_count():
    """The second class has as few objects as may count, the third one too few."""
    rng = np.random.default_rng(1)
    classes = np.repeat([0, 1, 2], [20, FEWEST, FEWEST - 1])
    values = classes + rng.random(len(classes))
    found = class_means(values, np.arange(len(classes)), classes, (len(classes), 3))
    draws = found.draws("edge", 4000, counted=True)
    slow = []
    for _ in range(4000):
        chosen = rng.integers(0, len(classes), len(classes))
        many = np.bincount(classes[chosen], minlength=3)
        sums = np.bincount(classes[chosen], values[chosen], minlength=3)
        slow.append(np.where(many >= FEWEST, sums / np.maximum(many, 1), np.nan))
    assert np.isnan(draws).mean(0) == pytest.approx(np.isnan(slow).mean(0), abs=0.03)
    means = mean_over_classes(draws), mean_over_classes(np.array(slow))
    assert means[0].mean() == pytest.approx(means[1].mean(), abs=0.02)
    assert means[0].std() == pytest.approx(means[1].std(), rel=0.05)
    alone = np.isfinite(draws)
    assert (draws[alone] == found.draws("edge", 4000)[alone]).all()  # paired with those of a class


def test_where_no_class_has_enough_all_count():
    found = class_means(VALUES, IMAGES, CLASSES, (4, 3))
    np.testing.assert_array_equal(found.draws("few", 300, counted=True), found.draws("few", 300))


def test_a_class_of_one_image_is_missing_where_the_image_is():
    found = class_means(np.array([0.5]), np.array([0]), np.array([1]), (2, 2))
    draws = found.draws("pair", 400)
    assert np.isnan(draws[:, 0]).all()
    assert np.isnan(draws[:, 1]).mean() == pytest.approx(0.25, abs=0.08)


def test_numbers_that_are_none_are_refused():
    with pytest.raises(InputError, match="1 that are not"):
        class_means(np.array([0.5, np.nan]), np.array([0, 0]), np.array([0, 1]), (1, 2))


def test_the_mean_of_ones_is_one_in_every_resample():
    """What is drawn is computed in single precision."""
    rng = np.random.default_rng(0)
    images, classes = rng.integers(0, 150, 700), rng.integers(0, 5, 700)
    means = class_means(np.ones(700), images, classes, (150, 5))
    assert set(means.draws("images", 500)[:, :].ravel().tolist()) == {1.0}


def test_a_class_of_one_object_does_not_weigh_as_much_as_a_class_of_many():
    """One zebra made 3.9 of 10.5 points, and resamples without it lay below that."""
    values = np.array([0.1] * 8 + [0.2] * 5 + [0.9])
    classes = np.array([0] * 8 + [1] * 5 + [2])
    found = class_means(values, np.arange(14), classes, (14, 4))
    assert found.counted.tolist() == [True, True, False, False]
    assert float(found.over_classes(found.values)) == pytest.approx(0.15)
    assert found.words == "mean over 2 of 3 classes, those with at least 5 objects"
    draws = mean_over_classes(found.draws("toys", 300, counted=True))
    assert np.nanquantile(draws, 0.97) <= 0.2
    few = class_means(values[-3:], np.arange(3), classes[-3:], (3, 4))
    assert float(few.over_classes(few.values)) == pytest.approx(0.55)  # else there were none
    assert few.words == "mean over 2 classes"
