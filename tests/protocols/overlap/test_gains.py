"""Gains are what scores are made of: of each network against its own corruption, and another's."""

import numpy as np
import pytest

from robust_lib.protocols.overlap import gains
from robust_lib.protocols.overlap.accuracies import from_grid
from tests.protocols.overlap.toys import FEW, TRAINED, grid, overlaps, table, weak


def test_own_gains_are_the_divisors_of_scores():
    one = overlaps({"net": weak("fog", -0.02)})["net"]
    found = gains.own(one)
    assert found.loc["fog"].tolist() == pytest.approx([-0.02] * 3)
    assert found.loc["snow", "value"] == pytest.approx(0.5)
    raw = overlaps({"net": table()}, one.convention.raw)["net"]
    assert gains.own(raw).loc["snow", "value"] == pytest.approx(0.45)


def test_gains_against_another_corruption_are_raw():
    found = gains.against(overlaps({"net": table()})["net"], "border")
    assert found.loc["border", "value"] == pytest.approx(0.45)
    assert found.drop(index="border")["value"].abs().max() == pytest.approx(0)


def test_gains_have_intervals_over_images_or_seeds():
    one = overlaps({"net": from_grid(grid(), "net", TRAINED)})["net"]
    for found in (gains.own(one), gains.against(one, "fog")):
        assert list(found.index) == list(FEW)
        assert (found["low"] <= found["value"]).all()
        assert (found["low"] < found["high"]).any()
    seeded = overlaps({"net": table(seeds_of=(0.0, 0.1))})["net"]
    fog = gains.against(seeded, "fog").loc["snow"]
    assert fog.tolist() == pytest.approx(0.45 * np.array([0.15, 0.1, 0.2]))
