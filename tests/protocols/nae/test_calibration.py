"""Calibration as rows: variants, intervals, curves, and too few pictures."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics.calibration import (
    aurra,
    rms_calibration_error,
    rms_calibration_error_interval,
)
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.protocols.nae import calibration
from tests.protocols.nae.toys import NAMES, masked

RIGHT = {"plain": 60, "attentive": 90, "small": 40, "large": 80}
IMAGENET_A = masked("imagenet_a", RIGHT, images=300)


@cache
def results():
    return calibration.results(IMAGENET_A, NAMES, samples=100)


def rows(item, model, metric):
    return results().select(item=item, model=model, metric=metric).rows


def test_both_variants_stand_beside_each_other():
    first = IMAGENET_A.predictions["plain"][0]
    (authors,) = rows("nae-fig14", "plain", "rms_calibration_error")
    (every,) = rows("nae-fig14", "plain", "rms_calibration_error_all_bins")
    assert authors.convention.startswith("bins of 100 images, the last omitted")
    assert every.convention.startswith("bins of 100 images, all counted")
    assert authors.value == pytest.approx(rms_calibration_error(first.confidence, first.correct))
    all_bins = rms_calibration_error(first.confidence, first.correct, "all-bins")
    assert every.value == pytest.approx(all_bins)
    assert authors.value != every.value
    for row in (authors, every):
        assert row.low <= row.value <= row.high
        assert row.n == 300


def test_both_variants_are_resampled_alike():
    """Their intervals share the key of the draws, so that they differ by the bins alone."""
    first = IMAGENET_A.predictions["plain"][0]
    (every,) = rows("nae-fig14", "plain", "rms_calibration_error_all_bins")
    rng = seeds.generator("rms_calibration_error", "imagenet_a", "plain")
    ends = rms_calibration_error_interval(
        first.confidence, first.correct, "all-bins", rng=rng, samples=100
    )
    assert (every.low, every.high) == ends


def test_aurra_is_that_of_the_metric():
    (row,) = rows("nae-fig15", "large", "aurra")
    first = IMAGENET_A.predictions["large"][0]
    assert row.value == pytest.approx(aurra(first.confidence, first.correct))


def test_the_curve_ends_at_the_accuracy():
    curve = {row.k: row for row in results().select(item="nae-fig13", model="plain").rows}
    assert list(curve) == list(range(1, 101))
    assert curve[100].value == pytest.approx(60 / 300)
    assert curve[10].value == 1.0  # the surest tenth: the first pictures, which are right
    assert curve[50].value == pytest.approx(0.4)
    assert all(row.low <= row.value <= row.high for row in curve.values())


def test_a_change_of_a_pair_is_paired_and_is_the_difference_of_both():
    for item, (one, other) in {
        "nae-fig14": ("plain", "attentive"),
        "nae-fig15": ("small", "large"),
    }.items():
        for metric in ("rms_calibration_error", "aurra"):
            before, after = (rows(item, name, metric)[0] for name in (one, other))
            (change,) = rows(item, other, f"{metric}_change")
            assert change.value == pytest.approx(after.value - before.value)
            assert change.low <= change.value <= change.high
    same = calibration.results(
        masked("imagenet_a", RIGHT, images=300), {"dpn68": "small", "dpn98": "small"}, samples=20
    )
    (none,) = same.select(metric="aurra_change").rows
    assert (none.low, none.value, none.high) == (0, 0, 0)  # on the same resamples


def test_too_few_pictures_have_no_calibration_error_but_an_aurra():
    few = calibration.results(masked("imagenet_a", RIGHT, images=150), NAMES, samples=100)
    assert not few.select(metric="rms_calibration_error").rows
    assert few.select(metric="aurra").rows
    enough = calibration.of_network(masked("imagenet_a", RIGHT, images=200), "plain", samples=10)
    fewer = calibration.of_network(masked("imagenet_a", RIGHT, images=199), "plain", samples=10)
    assert (len(enough), len(fewer)) == (3, 1)


def test_an_accuracy_at_a_response_rate_has_the_exact_interval_of_the_images_answered():
    found = calibration.results(IMAGENET_A, NAMES, samples=10)
    for percent, answered, right in ((10, 30, 30), (50, 150, 60), (100, 300, 60)):
        (row,) = found.select(item="nae-fig13", model="plain", k=percent).rows
        assert (row.low, row.high) == pytest.approx(clopper_pearson(right, answered)), percent


def test_several_seeds_have_their_ends():
    several = masked("imagenet_a", RIGHT, images=300, seeds=2)
    row = calibration.results(several, NAMES).select(item="nae-fig14", model="plain",
                                                     metric="aurra").rows[0]  # fmt: skip
    each = [aurra(one.confidence, one.correct) for one in several.predictions["plain"]]
    assert (row.low, row.high) == pytest.approx((min(each), max(each)))
    assert row.value == pytest.approx(np.mean(each))


def test_diagrams_are_of_the_networks_that_are_named():
    found = calibration.diagrams(IMAGENET_A, ("plain",))
    assert set(found) == {"plain"}
    assert found["plain"].count.sum() == 300


def test_a_pair_of_few_images_of_drawings_has_its_change_and_no_interval_of_the_error():
    """Uneven drawings that are drawn together leave fewer images than two bins."""
    images = masked("imagenet_a", RIGHT, images=200)
    drawings = tuple(f"drawing {min(at // 3, 50)}" for at in range(200))
    grouped = {
        name: tuple(replace(one, together=drawings) for one in several)
        for name, several in images.predictions.items()
    }
    found = calibration.results(replace(images, predictions=grouped), NAMES, samples=100)
    for metric, has in (("rms_calibration_error", False), ("aurra", True)):
        (change,) = found.select(model="attentive", metric=f"{metric}_change").rows
        assert (change.low is not None) == has
