"""What longer training brings by itself: known where it is planted."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.convention import Convention
from robust_lib.protocols.overlap.longer import longer, results

NAMES = ("fog", "snow")
CLEAN = 0.8


def table(first, images=4000, clean=CLEAN):
    """Networks that gain 40 points on their own corruption; `first`: accuracies of network 0."""
    accuracy = np.array([[first, [0.6, 0.2], [0.2, 0.6]]])
    rng = np.random.default_rng(0)
    draws = rng.random(images)  # what one network gets right, so does each that gets more right
    right = (draws < accuracy[..., None]).astype(float)
    right_clean = (draws < np.full((1, 3, 1), clean)).astype(float)
    return Accuracies(
        dataset="toys", corruptions=NAMES, accuracy=right.mean(-1), clean=right_clean.mean(-1),
        n=images, n_full=images, words="memory", right=right, right_clean=right_clean,
    )  # fmt: skip


STANDARD = table([0.2, 0.2])
EVERY = np.ones(2, bool)


def test_a_tenth_of_the_gain_that_comes_without_a_corruption_is_found():
    found = longer(STANDARD, table([0.24, 0.24]), Convention(), EVERY, samples=200)
    assert found.shares["fog"].value == pytest.approx(0.1, abs=0.02)
    assert found.mean.low < found.mean.value < found.mean.high
    assert found.mean.low > 0.05
    assert found.gains["snow"].value == pytest.approx(0.05, abs=0.01)  # 4 points over 80 % clean
    assert found.accuracy["fog"] == pytest.approx(0.24, abs=0.02)


def test_a_control_that_learns_nothing_has_a_share_of_nothing():
    found = longer(STANDARD, STANDARD, Convention(), EVERY, samples=50)
    assert found.mean.value == found.mean.low == found.mean.high == 0


def test_what_is_not_judged_has_no_share_but_a_gain():
    found = longer(STANDARD, table([0.24, 0.24]), Convention(), np.array([True, False]))
    assert list(found.shares) == ["fog"]
    assert list(found.gains) == list(NAMES)
    nothing = longer(STANDARD, STANDARD, Convention(), ~EVERY)
    assert nothing.mean is None


def test_rows_are_gains_in_points_of_robustness():
    found = {"net": longer(STANDARD, table([0.24, 0.24]), Convention(), EVERY, samples=50)}
    rows = results(found, "toys").rows
    assert [(row.corruption, row.dataset) for row in rows] == [
        ("fog", "toys/trained on"),
        ("snow", "toys/trained on"),
    ]


def test_a_gain_of_more_than_all_is_a_row():
    """A resample with few clean images right has a robustness of several times 1."""
    rare, often = (table([0.5, first], images=12, clean=0.2) for first in (0.9, 0.1))
    fog, snow = results({"net": longer(rare, often, Convention(), EVERY, samples=50)}, "toys").rows
    assert fog.metric == "robustness_gain"
    assert snow.low < -1
    assert fog.value == 0


def test_a_control_of_other_images_is_refused():
    with pytest.raises(InputError, match="same images"):
        longer(STANDARD, replace(STANDARD, dataset="others"), Convention(), EVERY)
