"""Corruption error: the paper's own numbers from the published errors, properties, and errors."""

import csv
from itertools import groupby

import numpy as np
import pytest

from robust_lib import paths
from robust_lib.errors import InputError
from robust_lib.metrics.corruption_error import (
    corruption_error,
    mean_corruption_error,
    mean_of_ratios,
    relative_corruption_error,
    relative_mean_corruption_error,
)
from robust_lib.vocabulary import COMMON
from tests.toys import unchecked


def rows(name):
    with (paths.manifests() / "reported" / name).open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def alexnet():
    """Return AlexNet's five errors for each of the 15 corruptions, and its clean error."""
    table = rows("alexnet_errors.csv")
    errors = {
        name: np.array([float(row["error"]) for row in group])
        for name, group in groupby(table, key=lambda row: row["corruption"])
    }
    return {name: errors[name] for name in COMMON}, float(errors["clean"][0])


@pytest.fixture(scope="module")
def resnet50(alexnet):
    """Return ResNet-50's errors, and its clean error of 23.87 % [inc, sec. 3.5].

    Published is the mean over severities alone; a sum of five equal errors has the same CE.
    """
    table = {
        row["corruption"]: 1 - float(row["accuracy"]) / 100
        for row in rows("resnet50_reference.csv")
    }
    return {name: np.full(5, table[name]) for name in COMMON}, 0.2387


def test_inc_tab1_mce_of_resnet50(alexnet, resnet50):
    assert 100 * mean_corruption_error(resnet50[0], alexnet[0]) == pytest.approx(76.70, abs=0.005)


def test_inc_tab1_each_ce_of_resnet50(alexnet, resnet50):
    printed = {row["corruption"]: row["ce"] for row in rows("resnet50_reference.csv")}
    for name in COMMON:
        ce = 100 * corruption_error(resnet50[0][name], alexnet[0][name])
        # Half a unit of the printed accuracy's and of the printed CE's last place.
        assert ce == pytest.approx(float(printed[name]), abs=0.005 / 0.56 + 0.005)


def test_inc_tab2_relative_mce_of_resnet50(alexnet, resnet50):
    relative = 100 * relative_mean_corruption_error(*resnet50, *alexnet)
    assert relative == pytest.approx(104.95, abs=0.01)
    assert round(relative) == 105  # as the paper prints it


def test_inc_mce_is_a_mean_of_ratios_and_no_ratio_of_means(alexnet, resnet50):
    means = [np.mean([errors[0][name] for name in COMMON]) for errors in (resnet50, alexnet)]
    assert 100 * means[0] / means[1] == pytest.approx(77.09, abs=0.01)


def test_inc_relative_mce_read_as_printed_gives_another_number(alexnet, resnet50):
    """The clean error subtracted once from the sum over five severities gives 79.4."""
    (errors, clean), (baseline, baseline_clean) = resnet50, alexnet
    literal = [
        (errors[name].sum() - clean) / (baseline[name].sum() - baseline_clean) for name in COMMON
    ]
    assert 100 * np.mean(literal) == pytest.approx(79.4, abs=0.05)


def test_a_baseline_against_itself_is_one(alexnet):
    errors, clean = alexnet
    assert mean_corruption_error(errors, errors) == 1
    assert relative_mean_corruption_error(errors, clean, errors, clean) == 1
    for name in COMMON:
        assert corruption_error(errors[name], errors[name]) == 1
        assert relative_corruption_error(errors[name], clean, errors[name], clean) == 1


def test_mean_is_over_the_single_corruptions(alexnet, resnet50):
    (errors, clean), (baseline, baseline_clean) = resnet50, alexnet
    single = [corruption_error(errors[name], baseline[name]) for name in COMMON]
    assert mean_corruption_error(errors, baseline) == pytest.approx(np.mean(single))
    single = [
        relative_corruption_error(errors[name], clean, baseline[name], baseline_clean)
        for name in COMMON
    ]
    assert relative_mean_corruption_error(*resnet50, *alexnet) == pytest.approx(np.mean(single))


def test_order_of_corruptions_and_of_severities_does_not_matter(alexnet, resnet50):
    turned = {name: resnet50[0][name][::-1] for name in reversed(COMMON)}
    assert mean_corruption_error(turned, alexnet[0]) == pytest.approx(
        mean_corruption_error(resnet50[0], alexnet[0])
    )


def test_scaling_all_errors_scales_mce(alexnet, resnet50):
    half = {name: values / 2 for name, values in resnet50[0].items()}
    assert mean_corruption_error(half, alexnet[0]) == pytest.approx(
        mean_corruption_error(resnet50[0], alexnet[0]) / 2
    )


def test_missing_and_extra_corruptions_are_named(alexnet, resnet50):
    errors = {name: values for name, values in resnet50[0].items() if name not in ("fog", "snow")}
    with pytest.raises(InputError, match=r"errors.*missing: snow, fog; unknown: none"):
        mean_corruption_error(errors, alexnet[0])
    with pytest.raises(InputError, match=r"baseline.*missing: snow, fog"):
        mean_corruption_error(resnet50[0], errors)
    with pytest.raises(InputError, match=r"unknown: speckle_noise"):
        mean_corruption_error({**resnet50[0], "speckle_noise": np.full(5, 0.5)}, alexnet[0])
    part = ("pixelate", "frost")
    pair = [{name: table[0][name] for name in part} for table in (resnet50, alexnet)]
    expected = np.mean([corruption_error(pair[0][name], pair[1][name]) for name in part])
    assert mean_corruption_error(*pair, over=part) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("errors", "baseline", "message"),
    [
        (np.full(4, 0.5), np.full(5, 0.5), "shapes"),
        (np.zeros(0), np.zeros(0), "shapes"),
        (np.full(5, 50.0), np.full(5, 0.5), "Divide percentages"),
        (np.full(5, np.nan), np.full(5, 0.5), "fractions"),
        (np.full(5, 0.5), np.zeros(5), "errors are 0"),
    ],
)
def test_wrong_errors(errors, baseline, message):
    with unchecked(), pytest.raises(InputError, match=message):
        corruption_error(errors, baseline)


def test_wrong_clean_errors():
    errors = np.full(5, 0.5)
    with pytest.raises(InputError, match="percentages"):
        relative_corruption_error(errors, 23.9, errors, 0.4)
    with pytest.raises(InputError, match="gets worse"):
        relative_corruption_error(errors, 0.2, errors, 0.5)


def test_severities_must_be_the_same_everywhere(alexnet):
    uneven = {name: np.full(5 - (name == "fog"), 0.5) for name in COMMON}
    with pytest.raises(InputError, match="same severities"):
        mean_corruption_error(uneven, uneven)


def test_the_formula_is_that_of_the_checked_functions_for_any_number_of_resamples(
    alexnet, resnet50
):
    (errors, clean), (baseline, baseline_clean) = resnet50, alexnet
    above, below = (np.stack([of[name] for name in COMMON]) for of in (errors, baseline))
    draws = mean_of_ratios(np.stack([above, above / 2]), np.stack([below, below]))
    assert draws[0] == mean_corruption_error(errors, baseline)
    assert draws[1] == pytest.approx(draws[0] / 2)
    assert float(mean_of_ratios(above - clean, below - baseline_clean)) == (
        relative_mean_corruption_error(*resnet50, *alexnet)
    )
