"""Tables, the ceiling of agreement and the prose's numbers, of overlaps that are known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from robust_book.chapters import view
from robust_book.chapters.overlap_1_matrix import numbers
from robust_lib import paths
from robust_lib.protocols.overlap.agreement import CEILING
from robust_lib.protocols.overlap.longer import longer
from robust_lib.results.table import Results
from tests.protocols.overlap import toys

OURS = ("resnet18_small", "densenet121_small")


def test_each_network_is_compared_with_the_standard_one_on_its_own_corruption():
    one = toys.overlaps({"resnet18": toys.weak("snow", names=("fog", "snow"), clean=0.5)})
    frame = numbers.gains_frame(one)
    assert frame["Trained with"].tolist() == ["nothing", "Fog", "Snow"]
    assert frame["Scores"].tolist() == ["–", "yes", "no gain"]
    fog = frame.set_index("Trained with").loc["Fog"]
    assert fog["Network"] == "ResNet-18"
    assert fog["Clean"] == pytest.approx(50)
    assert fog["Standard, corrupted"] == pytest.approx(10)
    assert fog["Itself, corrupted"] == pytest.approx(35)
    assert [*fog["Gain"]] == pytest.approx([50] * 3)
    assert np.isnan(frame.loc[0, "Gain"])


def test_blocks_say_of_how_many_pairs_they_are():
    both = {"resnet18": toys.table(), "densenet121": toys.weak("gaussian_noise")}
    found, rows = toys.overlaps(both), toys.numbers(both)
    assert numbers.block_titles(found)["noise"] == "Noises: 3, 1 of 3 pairs"
    assert numbers.block_titles(found)["noise_with_blur"].endswith("15, 10 of 15 pairs")
    dots = numbers.blocks(rows, found)
    assert dots["ResNet-18"].keys() == set(numbers.block_titles(found).values())
    assert dots["DenseNet-121"]["Noises: 3, 1 of 3 pairs"][0] == pytest.approx(0.9)


def test_the_scatter_has_the_pairs_that_are_judged_in_both():
    both = {"resnet18": toys.table(), "densenet121": toys.weak("gaussian_noise")}
    dots = numbers.in_both(toys.numbers(both), toys.overlaps(both))
    assert sum(map(len, dots.values())) == 14 * 13 / 2
    assert len(dots["two noises"]) == 1
    assert len(dots["one of each"]) == 10
    assert len(dots["two of blurs, pixelate"]) == 10
    (x, _, _), (y, _, _) = dots["one of each"]["Shot noise + Pixelate"]
    assert x == y == pytest.approx(0.35)
    alone = {"resnet18": toys.table()}
    assert not any(numbers.in_both(toys.numbers(alone), toys.overlaps(alone)).values())


def test_committed_tables_have_a_row_a_group_and_a_row_a_pair():
    rows = toys.numbers({"resnet18": toys.table(), "densenet121": toys.table()})
    groups = numbers.groups_frame(rows).set_index(["Network", "What", "Corruptions"])["score"]
    assert groups["ResNet-18", "group overlap", "Noise"] == pytest.approx(90)
    assert groups["all", "rank correlation", "all"] == pytest.approx(100)
    pairs = numbers.pairs_frame(rows).set_index(["Network", "One", "Other"])["score"]
    assert pairs["ResNet-18", "Gaussian noise", "Shot noise"] == pytest.approx(90)
    assert len(pairs) == 2 * 17 * 16 / 2
    assert pd.api.types.is_float_dtype(pairs)


def architectures(*names, **settings):
    return toys.overlaps({name: toys.table(**settings) for name in names})


@pytest.fixture
def as_once(monkeypatch):
    """Networks are trained as they were when the table was committed."""
    monkeypatch.setattr(view.Measured, "of_others", ())


def test_a_run_of_one_seed_takes_the_committed_table(as_once):
    found = numbers.with_ceiling(Results(), architectures(*OURS)).row(metric=CEILING)
    known = numbers.committed()
    both = [known["ResNet-18-like"], known["DenseNet-121-like"]]
    assert found.value == pytest.approx((both[0][0] + both[1][0]) / 2)
    assert (found.low, found.high) == (min(b[1] for b in both), max(b[2] for b in both))
    assert "overlaps_3_seeds" in found.convention
    assert found.dataset == "toys"


def test_of_other_networks_nothing_is_known_but_that_no_ceiling_exceeds_one(as_once):
    found = numbers.with_ceiling(Results(), architectures("resnet18", *OURS))
    row = found.row(metric=CEILING)
    assert (row.value, row.low, row.high) == (1, 0, 1)
    assert "an agreement above 0.50, half of the ceiling, not known" in numbers.bound_words(found)


def test_a_table_of_networks_that_are_trained_otherwise_today_bounds_nothing(monkeypatch):
    """The page does not show such a table, and once judged by it all the same."""
    monkeypatch.setattr(view.Measured, "of_others", ("resnet18_small",))
    assert numbers.committed() == {}
    found = numbers.with_ceiling(Results(), architectures(*OURS))
    assert found.row(metric=CEILING).convention == numbers.UNKNOWN


def test_a_run_of_several_seeds_knows_it_itself():
    own = toys.ceiling([(0.5, 0.4, 0.6)], dataset="toys")
    rows = Results.of([own])
    assert numbers.with_ceiling(rows, architectures(*OURS)) is rows


def test_without_the_table_nothing_is_known(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "manifests", lambda: tmp_path)
    assert numbers.committed() == {}


def test_the_numbers_of_the_prose_are_those_of_the_rows():
    tables = {"resnet18": toys.table(), "densenet121": toys.table(clean=0.8)}
    rows, found = toys.numbers(tables), toys.overlaps(tables)
    bound = Results.of([toys.ceiling([(0.7, 0.6, 0.8)], dataset="toys")])
    named = numbers.key_numbers(rows + bound, found, Results())
    assert named["clean"].text == "80.0 to 90.0 %"
    agreement = rows.row(metric="rank_correlation", model=None)
    assert named["agreement"].value == agreement.value
    assert named["agreement"].text == f"{agreement.value:.2f}"
    assert named["ceiling"].text == "0.70 [0.60, 0.80]"
    assert named["raw_agreement"].text == numbers.NO_AGREEMENT
    assert named["noise_overlap"].text == "0.90 (ResNet-18) and 0.90 (DenseNet-121)"
    assert named["noise_with_blur_overlap"].text.startswith("0.35")
    assert named["judged"].text.count("17 of 17 corruptions can be judged, 105 of 105") == 2
    alone = numbers.key_numbers(Results(), found, Results())
    assert alone["agreement"].text == numbers.NO_AGREEMENT
    assert alone["all_overlap"].text == "not judged"
    assert alone["ceiling"].text == numbers.UNKNOWN


def test_what_fails_is_named_by_network():
    found = toys.overlaps({"resnet18": toys.collapsed("fog"), "densenet121": toys.weak("snow")})
    assert numbers.premise(found) == (
        "fails in clean accuracy for fog (ResNet-18), and in the gain on its own corruption for "
        "snow (DenseNet-121)"
    )
    assert numbers.no_gain(found) == "snow (DenseNet-121)"
    fine = toys.overlaps({"resnet18": toys.table()})
    assert numbers.premise(fine) == "holds for all networks"
    assert numbers.no_gain(fine) == "none"


def test_a_standard_network_that_is_weaker_fails_the_premise_as_much_as_one_that_is_better():
    """Smoke's robust networks, which train on from the standard one, are 12 points better."""
    for lost in (0.06, -0.06):
        found = toys.overlaps({"resnet18": toys.collapsed("fog", lost)})
        assert numbers.premise(found) == "fails in clean accuracy for fog (ResNet-18)"
    assert numbers.premise(toys.overlaps({"resnet18": toys.collapsed("fog", -0.04)})).startswith(
        "holds"
    )


def test_the_premise_is_the_rule_by_which_scores_are_judged():
    for gains, words in (
        ((0.5, 0.52), "holds for all networks"),
        ((0.5, 0.1), "holds for all networks"),  # one and a half standard errors of two seeds
        ((0.5, -0.1), "in the gain on its own corruption for fog (ResNet-18)"),
    ):
        table = toys.table(names=("fog", "snow"), seeds_of=(0.0, 0.0))
        accuracy = table.accuracy.copy()
        accuracy[:, 1, 0] = accuracy[:, 0, 0] + 0.9 * np.array(gains)
        found = toys.overlaps({"resnet18": replace(table, accuracy=accuracy)})
        assert words in numbers.premise(found)
        judged = found["resnet18"].judged.gained
        assert (numbers.no_gain(found) == "none") == judged.all() == words.startswith("holds")


def test_what_longer_training_brings_stands_beside_each_gain():
    one = toys.overlaps({"resnet18": toys.table()})
    table = one["resnet18"].table
    accuracy = table.accuracy.copy()
    accuracy[:, 0, 0] += 0.1 * (accuracy[:, 1, 0] - accuracy[:, 0, 0])
    every = one["resnet18"].judged.corruptions
    found = longer(table, replace(table, accuracy=accuracy), one["resnet18"].convention, every)
    frame = numbers.gains_frame(one, {"resnet18": found}).set_index("Trained with")
    shares = frame["Trained on without|Share (%)"]
    assert shares.iloc[1].value == pytest.approx(10)
    assert shares.iloc[2].value == pytest.approx(0)
    told = numbers.control_numbers({"resnet18": found})
    assert told["longer_most"].text.startswith("gaussian noise with 10.0")
    nothing = {"resnet18": replace(found, mean=None, shares={})}
    assert "no corruption can be judged" in numbers.control_numbers(nothing)["longer_share"].text
    assert "Trained on" not in str(numbers.gains_frame(one).columns.tolist())
