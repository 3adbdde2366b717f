"""Errata of the paper on detectors: each computation shows what the text says."""

from robust_lib.results.errata import nao
from tests.results.errata.lines import computed


def test_the_numbers_of_table_2_of_nao():
    assert computed(nao.seven_models) == ["9"]
    assert computed(nao.drop_base) == ["68.2 %", "68.3 %", "17.9 %", "19.1 %"]


def test_the_row_of_faster_rcnn_has_numbers_of_two_detectors():
    found = [(line.printed, line.computed) for line in nao.faster_rcnn()]
    assert found == [
        ("21.2", "21.2"),
        ("21.5", "21.5"),
        ("21.2", "37.0"),
        ("42M", "42M"),
        ("19.1 %", "53.0 %"),
    ]


def test_the_row_of_retinanet_has_the_maps_of_another_network():
    found = [(line.printed, line.computed) for line in nao.retinanet()]
    assert found == [
        ("39.2", "39.2"),
        ("39.2", "39.2"),
        ("39.2", "36.4"),
        ("65.1 %", "62.4 %"),
    ]


def test_the_detector_that_chose_the_pictures_loses_most_and_one_loses_little():
    names = [line.what.removeprefix("relative drop of ") for line in nao.similar_reduction()]
    drops = computed(nao.similar_reduction)
    assert (names[0], names[-1]) == ("faster_rcnn", "efficientdet_d7")
    assert (drops[0], drops[1], drops[-2], drops[-1]) == ("17.9 %", "47.2 %", "65.1 %", "68.2 %")


def test_the_best_detectors_on_coco_are_the_best_on_nao():
    assert computed(nao.latest_models) == ["0.58", "0.74", "0.84", "the same"]


def test_the_slight_increase_is_more_than_half():
    shares = [
        int(text.rpartition("+")[2].removesuffix(" %")) for text in computed(nao.slight_increase)
    ]
    assert len(shares) == 9
    assert min(shares) > 50


def test_one_detector_is_better_on_nao():
    better = [line.what for line in nao.still_worse() if line.computed.startswith("+")]
    assert better == ["faster_rcnn against coco_val"]


def test_the_training_part_is_not_the_whole_of_open_images():
    assert computed(nao.openimages_parts) == ["1.7 million", "1.9 million", "14.6 million"]


def test_the_best_efficientdet_is_another_and_not_the_best():
    assert computed(nao.best_on_coco) == ["53.4", "54.4", "55.3", "58.2"]
