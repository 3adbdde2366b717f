"""Errata of the paper on detectors: each computation shows what the text says."""

from robust_lib.results.errata import nao
from tests.results.errata.lines import computed


def test_the_numbers_of_table_2_of_nao():
    assert computed(nao.efficientdet_val) == ["53.4 %"]
    assert computed(nao.seven_models) == ["9"]
    assert computed(nao.drop_base) == ["68.2 %", "68.3 %", "17.9 %", "19.1 %"]


def test_the_slight_increase_is_more_than_half():
    shares = [
        int(text.rpartition("+")[2].removesuffix(" %")) for text in computed(nao.slight_increase)
    ]
    assert len(shares) == 9
    assert min(shares) > 50


def test_one_detector_is_better_on_nao():
    better = [line.what for line in nao.still_worse() if line.computed.startswith("+")]
    assert better == ["faster_rcnn against coco_val"]
