"""Overlaps in tables: gains, corruptions without overlaps, and the rows that are committed."""

import numpy as np
import pandas as pd
import pytest

from robust_lib.chapters.overlap_1_matrix import tables
from robust_lib.errors import InputError
from tests.protocols.overlap import toys


def test_each_network_is_compared_with_the_standard_one_on_its_own_corruption():
    frame = tables.gains_frame({"resnet18": toys.table(names=("fog", "snow"), clean=0.5)})
    assert frame["Trained with"].tolist() == ["nothing", "Fog", "Snow"]
    fog = frame.set_index("Trained with").loc["Fog"]
    assert fog["Network"] == "ResNet-18"
    assert fog["Clean"] == pytest.approx(50)
    assert fog["Standard on it"] == pytest.approx(10)
    assert fog["Itself on it"] == pytest.approx(35)
    assert fog["Gain in robustness"] == pytest.approx(50)
    assert np.isnan(frame.loc[0, "Gain in robustness"])


def test_corruptions_without_overlaps_are_left_out_of_the_clusters():
    frame = tables.defined(toys.weak("fog", names=("fog", "snow", "frost")))
    assert list(frame.index) == list(frame.columns) == ["snow", "frost"]
    with pytest.raises(InputError, match="at least two corruptions with overlaps, but fog have"):
        tables.defined(toys.weak("fog", names=("fog", "snow")))


def test_committed_tables_have_a_row_a_group_and_a_row_a_pair():
    rows = toys.numbers({"resnet18": toys.table(), "densenet121": toys.table()})
    groups = tables.groups_frame(rows).set_index(["Network", "What", "Corruptions"])["score"]
    assert groups["ResNet-18", "group overlap", "Noise"] == pytest.approx(90)
    assert groups["all", "rank correlation", "all"] == pytest.approx(100)
    pairs = tables.pairs_frame(rows).set_index(["Network", "One", "Other"])["score"]
    assert pairs["ResNet-18", "Gaussian noise", "Shot noise"] == pytest.approx(90)
    assert len(pairs) == 2 * 17 * 16 / 2
    assert pd.api.types.is_float_dtype(pairs)
