"""Detection in numbers, of known predictions."""

import pytest

from robust_book.chapters.nae_3_imagenet_o import tables
from robust_lib.protocols.nae import detection
from tests.protocols.nae.toys import NAMES, masked

RIGHT = {"chooser": 20, "small": 18, "large": 22, "plain": 20, "attentive": 20}
IN_DISTRIBUTION = masked("scenes_val_o", RIGHT, images=50)
OUT_OF_DISTRIBUTION = masked("scenes_o_filtered", RIGHT, images=10)


def test_every_network_has_its_aupr_inside_its_interval_and_chance_has_no_row():
    rows = detection.results(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, NAMES, samples=100)
    frame = tables.detection_frame(rows).set_index("Network")
    assert list(frame.index) == ["chooser", "small", "large", "plain", "attentive"]
    assert all(cell.low <= cell.value <= cell.high for cell in frame["AUPR"])


def test_confidences_are_those_of_the_first_seed_in_percent():
    found = tables.confidence(OUT_OF_DISTRIBUTION, "small")
    first = OUT_OF_DISTRIBUTION.predictions["small"][0]
    assert found.tolist() == pytest.approx([100 * float(one) for one in first.confidence])


def test_every_score_has_a_row():
    scored = detection.scored(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, "small")
    assert tables.score_frame(scored)["Score"].tolist() == [tables.SCORES[name] for name in scored]
