"""Accuracies from a grid of predictions: their order, their resamples, what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.overlap import overlap_matrix
from robust_lib.protocols.overlap.accuracies import from_grid, resampled
from tests.protocols.overlap.toys import (
    FEW,
    IMAGES,
    TRAINED,
    grid,
    numbers,
    table,
)
from tests.toys import unchecked


def test_a_grid_of_predictions_gives_the_accuracies():
    found, expected = from_grid(grid(), "net", TRAINED), table(names=FEW)
    np.testing.assert_allclose(found.accuracy, expected.accuracy, atol=0.005)
    np.testing.assert_allclose(found.clean, expected.clean, atol=0.005)
    assert (found.n, found.n_full, found.dataset) == (IMAGES, IMAGES, "toys")
    assert found.words == "jpeg85, mean of severities 1, 3, 5"
    assert found.right.shape == (1, 5, 4, IMAGES)
    assert set(np.unique(found.right.round(6))) == {0, round(1 / 3, 6), round(2 / 3, 6), 1}


def test_the_order_of_the_trained_networks_is_that_of_the_corruptions():
    turned = dict(reversed(TRAINED.items()))
    one, other = (from_grid(grid(), "net", trained) for trained in (TRAINED, turned))
    assert other.corruptions == FEW[::-1]
    columns, rows = [3, 2, 1, 0], [0, 4, 3, 2, 1]
    assert np.array_equal(other.accuracy[0], one.accuracy[0][np.ix_(rows, columns)])


def test_seeds_of_a_grid_are_kept_apart():
    found = from_grid(grid(runs=2), "net", TRAINED)
    assert found.seeds == 2
    assert resampled(found, samples=5) is None
    row = numbers({"net": found}).row(metric="overlap", corruption="gaussian_noise+shot_noise")
    each = overlap_matrix(found.accuracy, found.clean).scores[:, 0, 1]
    assert (row.low, row.high) == (each.min(), each.max())


def test_resamples_take_the_same_images_everywhere():
    found = from_grid(grid(), "net", TRAINED)
    accuracy, clean = resampled(found, samples=50)
    assert (accuracy.shape, clean.shape) == ((50, 5, 4), (50, 5))
    # Networks that are right on the same images stay equal in every resample.
    same = np.flatnonzero((found.right[0, :, 0] == found.right[0, 1, 1]).all(-1))
    for network in same:
        # Fifths, of five severities, are summed in single precision, in the processor's own order.
        np.testing.assert_allclose(accuracy[:, network, 0], accuracy[:, 1, 1], rtol=1e-6)
    counts = clean * IMAGES
    np.testing.assert_allclose(counts, counts.round(), atol=1e-3)  # of single precision
    np.testing.assert_allclose(accuracy.mean(0), found.accuracy[0], atol=0.03)


@pytest.mark.parametrize(
    ("standard", "trained", "message"),
    [
        ("nobody", TRAINED, "an evaluated network to be one of net, net_gaussian_noise"),
        ("net", TRAINED | {"fog": "nobody"}, "got nobody"),
        ("net", TRAINED | {"snow": "net_fog"}, "an evaluated corruption .* got snow"),
    ],
)
def test_what_a_grid_lacks_is_named(standard, trained, message):
    with pytest.raises(InputError, match=message):
        from_grid(grid(), standard, trained)


def test_networks_of_several_numbers_of_seeds_are_refused():
    two, one = grid(runs=2), grid()
    mixed = replace(two, clean={**two.clean, "net": one.clean["net"]})
    with pytest.raises(InputError, match=r"number.*network.*'net': 1"):
        from_grid(mixed, "net", TRAINED)


ONE = table(names=FEW)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corruptions": ("fog", "mist", "snow", "frost")}, "one of gaussian_noise.*got mist"),
        ({"corruptions": ("fog", "fog", "snow", "frost")}, "each once"),
        ({"corruptions": FEW[:3]}, r"shape \(seeds, 4, 3\).*got \(1, 5, 4\)"),
        ({"accuracy": ONE.accuracy[:, 1:]}, r"shape \(seeds, 5, 4\)"),
        ({"clean": ONE.clean[:, 1:]}, r"clean ones of shape \(seeds, 5\).*\(1, 4\)"),
        ({"accuracy": ONE.accuracy[:0], "clean": ONE.clean[:0]}, r"\(0, 5, 4\)"),
    ],
)
def test_tables_of_another_shape_are_refused(changes, message):
    with unchecked(), pytest.raises(InputError, match=message):
        replace(ONE, **changes)
