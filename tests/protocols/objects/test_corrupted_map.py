"""mPC and rPC as their authors define them: a mean over cells, and its share of the clean mAP."""

import numpy as np
import pytest

from robust_lib.protocols.objects import corrupted_map, scored_boxes
from tests.chapters import toys

MADE = "in memory"


@pytest.fixture(scope="module")
def scored():
    """How many of twelve objects are found -> the detector's boxes, matched."""
    images = toys.Shapes()
    how = scored_boxes.Settings(iou=0.5, samples=40)
    return {
        many: scored_boxes.scored(
            toys.object_boxes({"mine": many}, images)["mine"], images.ids, images.annotations, how
        )
        for many in (12, 9, 6)
    }


def test_mpc_is_the_mean_over_cells_and_rpc_its_share(scored):
    cells = {("fog", 1): scored[9], ("fog", 5): scored[6], ("snow", 1): scored[12]}
    rows = corrupted_map.results("mine", scored[12], cells, MADE)
    maps = {key: one.map().value for key, one in cells.items()}
    assert rows.row(metric="mpc", corruption=None).value == pytest.approx(np.mean([*maps.values()]))
    fog = rows.row(metric="mpc", corruption="fog")
    assert fog.value == pytest.approx((maps["fog", 1] + maps["fog", 5]) / 2)
    whole = rows.row(metric="rpc")
    assert whole.value == pytest.approx(np.mean([*maps.values()]) / scored[12].map().value)
    assert "2 corruptions, 3 conditions; of the clean mAP" in whole.convention
    assert MADE in whole.convention


def test_one_corruption_with_fewer_severities_counts_by_its_cells_alone(scored):
    cells = {("fog", 1): scored[6], ("fog", 2): scored[6], ("snow", 1): scored[12]}
    rows = corrupted_map.results("mine", scored[12], cells, MADE)
    expected = (2 * scored[6].map().value + scored[12].map().value) / 3
    assert rows.row(metric="mpc", corruption=None).value == pytest.approx(expected)


def test_pictures_are_resampled_together_so_an_unharmed_detector_keeps_all(scored):
    rows = corrupted_map.results("mine", scored[9], {("fog", 1): scored[9]}, MADE)
    share = rows.row(metric="rpc")
    assert (share.low, share.value, share.high) == pytest.approx((1, 1, 1))
