"""Accuracies as the page shows them: beside public weights, gated, by training, in the prose."""

import pytest

from robust_book.chapters.nae_2_imagenet_a import accuracies
from robust_lib.protocols.nae import accuracy
from tests.protocols.nae.toys import NAMES, masked

RIGHT = {"chooser": 0, "tuned": 0, "small": 3, "large": 6, "plain": 2, "attentive": 8,
         "scratch": 4, "attacked": 5}  # fmt: skip
IMAGENET_A = masked("imagenet_a", RIGHT)
IMAGENET_VAL = masked(
    "imagenet_val_a", dict.fromkeys(RIGHT, 20) | {"attacked": 18, "attentive": 21}
)
RESULTS = accuracy.results(IMAGENET_A, IMAGENET_VAL, NAMES)
DATASETS = {"Hard": "imagenet_a", "Ordinary": "imagenet_val_a"}


def test_every_network_of_all_classes_has_both_accuracies_with_their_intervals():
    frame = accuracies.accuracy_frame(RESULTS, DATASETS).set_index("Network")
    assert list(frame.index) == ["chooser", "small", "large", "plain", "attentive"]
    assert frame.loc["large", "Hard"].value == pytest.approx(20)
    assert frame.loc["large", "Ordinary"].value == pytest.approx(200 / 3)
    rows = [RESULTS.row(item="nae-fig2", metric="accuracy", model="large", dataset=name)
            for name in DATASETS.values()]  # fmt: skip
    assert [frame.loc["large", title].low for title in DATASETS] == pytest.approx(
        [100 * row.low for row in rows]
    )


def test_public_weights_stand_beside_the_network_that_plays_their_part():
    sets = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
    dots = accuracies.all_dots(RESULTS, sets, NAMES)
    assert dots[accuracies.PUBLIC]["small"] == (1.87, 1.87, 1.87)
    value, low, high = dots["hard"]["small"]
    assert value == pytest.approx(10)
    assert low < value < high
    assert accuracies.all_dots(RESULTS, sets, {})[accuracies.PUBLIC] == {}


def test_networks_stand_by_their_accuracy_and_the_one_that_chose_says_so():
    sets = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
    dots = accuracies.all_dots(RESULTS, sets, NAMES)
    values = [value for value, _, _ in dots["hard"].values()]
    assert values == sorted(values)
    marked = [name for name in dots["hard"] if name.endswith("(chose the pictures)")]
    assert marked == ["chooser (chose the pictures)"]


def test_hard_and_ordinary_pictures_have_a_panel_each_with_the_papers_side():
    sets = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
    panels = accuracies.robust_panels(RESULTS, sets, NAMES)
    assert list(panels) == ["hard", "ordinary"]
    assert panels["hard"]["this run"]["ordinary"][0] == pytest.approx(100 * 4 / 30)
    assert panels["hard"]["the paper"]["Stylized ImageNet"][0] == pytest.approx(2.09)
    printed = [value for value, _, _ in panels["ordinary"]["the paper"].values()]
    assert min(printed) > 10 > max(v for v, _, _ in panels["hard"]["the paper"].values())


def test_the_masks_effect_is_their_difference():
    (row,) = accuracies.mask_frame({"net": (0.5, 0.2)}).to_dict("records")
    assert row == {"Network": "net", "Masked": 50, "Nothing masked": 20, "Difference": 30}


def test_trainings_stand_in_the_papers_order():
    found = accuracies.robust(RESULTS, {"hard": "imagenet_a"}, NAMES)["hard"]
    assert list(found) == ["ordinary", "PGD, 10 steps"]
    assert found["PGD, 10 steps"][0] == pytest.approx(500 / 30)
    printed = accuracies.printed_robust({"hard": "imagenet_a", "ordinary": "imagenet_val_a"})
    for values in printed.values():
        assert list(values) == [name for name in accuracies.TRAININGS.values() if name in values]
        assert len(values) == 5
    assert printed["hard"]["ordinary"] == 1.31


def test_the_prose_leaves_out_who_chose_the_pictures():
    numbers = accuracies.key_numbers(RESULTS, IMAGENET_A, IMAGENET_VAL, NAMES)
    assert numbers["worst"].text == "6.7 %"
    assert numbers["best"].text == "26.7 %"
    assert numbers["ordinary_high"].text == "70.0 %"
    assert numbers["chance"].text == "33.3 %"
    assert "plain" in numbers["worst"].convention
