"""Networks beside each other: this run's numbers and the printed ones."""

import pytest

from robust_book.chapters import nae
from robust_lib.protocols.nae import accuracy
from robust_lib.results.reported import reported
from tests.protocols.nae.toys import NAMES, masked

RIGHT = {"chooser": 0, "small": 3, "large": 6, "plain": 2, "attentive": 8}
RESULTS = accuracy.results(
    masked("imagenet_a", RIGHT), masked("imagenet_val_a", dict.fromkeys(RIGHT, 20)), NAMES
)
PANELS = {"hard": ("gain", "imagenet_a"), "ordinary": ("gain", "imagenet_val_a")}


def test_each_pair_stands_under_the_name_that_its_networks_share():
    found = nae.gains(RESULTS, "nae-fig9", PANELS, NAMES)
    assert list(found) == ["hard", "ordinary"]
    ((title, gain),) = found["hard"].items()
    assert title == "ResNeXt-101 (32x4d) + SE"
    assert gain[0] == pytest.approx((800 - 200) / 30)
    assert gain[1] < gain[0] < gain[2]
    datasets = {title: dataset for title, (_, dataset) in PANELS.items()}
    line, _ = nae.pairs_frame(RESULTS, "nae-fig9", "accuracy", datasets, NAMES).to_dict("records")
    values = [line[column].value for column in ("First", "Second", "Difference")]
    assert values == pytest.approx([200 / 30, 800 / 30, 600 / 30])
    assert nae.absent(RESULTS, "nae-fig9", PANELS, NAMES) == ""


def test_a_pair_of_which_one_network_lacks_is_not_shown():
    found = nae.gains(RESULTS, "nae-fig10", PANELS, NAMES)
    assert list(found["hard"]) == ["ResNet-34 → ResNet-152"]
    assert nae.gains(RESULTS, "nae-fig10", PANELS, {}) == {"hard": {}, "ordinary": {}}


def test_printed_pairs_are_those_of_the_item():
    found = nae.printed("nae-fig11", {"AUPR": ("aupr", "imagenet_o")})["AUPR"]
    assert found["ResNet-34 → ResNet-152"] == pytest.approx(18.0 - 16.0)
    assert len(found) == 4


def test_a_printed_pair_is_of_one_sentence():
    """The paper says that attention helps: 17.2 to 17.9. Its 18.0 stands in another paragraph."""
    found = nae.printed("nae-fig11", {"AUPR": ("aupr", "imagenet_o")})["AUPR"]
    assert found["ResNet-152 + SE"] == pytest.approx(17.9 - 17.2)
    assert found["DPN-68 → DPN-98"] == pytest.approx(21.1 - 17.8)


def test_of_two_printed_values_the_first_is_taken():
    numbers = [row.number for row in reported("nae-fig11") if row.model == "resnet152"]
    assert numbers == [0.18, 0.172]
    assert nae.printed_by_network("nae-fig11", "aupr", "imagenet_o")["resnet152"] == 18.0
