"""Overlaps in tables: gains, corruptions without overlaps, and the rows that are committed."""

import numpy as np
import pandas as pd
import pytest

from robust_book.chapters.overlap_1_matrix import tables
from tests.protocols.overlap import toys


def test_each_network_is_compared_with_the_standard_one_on_its_own_corruption():
    one = toys.overlaps({"resnet18": toys.weak("snow", names=("fog", "snow"), clean=0.5)})
    frame = tables.gains_frame(one)
    assert frame["Trained with"].tolist() == ["nothing", "Fog", "Snow"]
    assert frame["Scores"].tolist() == ["–", "yes", "no gain"]
    fog = frame.set_index("Trained with").loc["Fog"]
    assert fog["Network"] == "ResNet-18"
    assert fog["Clean"] == pytest.approx(50)
    assert fog["Standard on it"] == pytest.approx(10)
    assert fog["Itself on it"] == pytest.approx(35)
    assert [*fog["Gain"]] == pytest.approx([50] * 3)
    assert np.isnan(frame.loc[0, "Gain"])


def test_blocks_say_of_how_many_pairs_they_are():
    both = {"resnet18": toys.table(), "densenet121": toys.weak("gaussian_noise")}
    found, rows = toys.overlaps(both), toys.numbers(both)
    assert tables.block_titles(found)["noise"] == "Noises: 3, 1 of 3 pairs"
    assert tables.block_titles(found)["noise_with_blur"].endswith("15, 10 of 15 pairs")
    dots = tables.blocks(rows, found)
    assert dots["ResNet-18"].keys() == set(tables.block_titles(found).values())
    assert dots["DenseNet-121"]["Noises: 3, 1 of 3 pairs"][0] == pytest.approx(0.9)


def test_the_scatter_has_the_pairs_that_are_judged_in_both():
    both = {"resnet18": toys.table(), "densenet121": toys.weak("gaussian_noise")}
    dots = tables.in_both(toys.numbers(both), toys.overlaps(both))
    assert sum(map(len, dots.values())) == 14 * 13 / 2
    assert len(dots["two noises"]) == 1
    assert len(dots["one of each"]) == 10
    assert len(dots["two of blurs, pixelate"]) == 10
    (x, _, _), (y, _, _) = dots["one of each"]["Shot noise + Pixelate"]
    assert x == y == pytest.approx(0.35)
    alone = {"resnet18": toys.table()}
    assert not any(tables.in_both(toys.numbers(alone), toys.overlaps(alone)).values())


def test_committed_tables_have_a_row_a_group_and_a_row_a_pair():
    rows = toys.numbers({"resnet18": toys.table(), "densenet121": toys.table()})
    groups = tables.groups_frame(rows).set_index(["Network", "What", "Corruptions"])["score"]
    assert groups["ResNet-18", "group overlap", "Noise"] == pytest.approx(90)
    assert groups["all", "rank correlation", "all"] == pytest.approx(100)
    pairs = tables.pairs_frame(rows).set_index(["Network", "One", "Other"])["score"]
    assert pairs["ResNet-18", "Gaussian noise", "Shot noise"] == pytest.approx(90)
    assert len(pairs) == 2 * 17 * 16 / 2
    assert pd.api.types.is_float_dtype(pairs)
