"""A network is believed once the clean number that is published of its name came out."""

from types import SimpleNamespace

import pytest

from robust_lib.passport.clean import checked, published
from robust_lib.passport.record import Number
from robust_lib.preprocessing import Preprocessing

SHOWN = Preprocessing(235, 224, "bicubic")


def error(value, **other):
    told = {"item": "inc-tab1", "metric": "error", "dataset": "imagenet_val", "value": value}
    return Number(**told | {"n": 50000, "n_full": 50000} | other)


def seen(preprocessing):
    return SimpleNamespace(preprocessing=preprocessing)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("resnet50", 0.7613),
        ("torchvision/resnet34", 0.73314),
        ("timm/resnet50.a1_in1k", 0.80382),
        ("timm/resnet50", 0.80382),  # its default weights
        ("open_clip/RN50@openai", 0.5982),
    ],
)
def test_each_library_publishes_a_number_of_a_name(name, value):
    assert published(name).value == pytest.approx(value)


@pytest.mark.parametrize(
    "name", ["nets.py:one", "timm/resnet50.mine", "open_clip/RN50@mine", "resnet18_mini"]
)
def test_of_other_names_nothing_is_published(name):
    assert published(name) is None
    assert checked(name, seen(SHOWN), [error(0.2)]) is None


def test_the_number_itself_is_believed_and_another_is_not():
    name = "timm/resnet50.a1_in1k"
    right = checked(name, seen(SHOWN), [error(1 - 0.80382)])
    assert right.outcome == "same"
    wrong = checked(name, seen(SHOWN), [error(1 - 0.7)])
    assert wrong.outcome == "FAILED"
    assert wrong.words.startswith("Not reproduced: clean accuracy 70.000 %, published 80.382 %")


def test_a_detector_is_believed_once_its_map_on_coco_came_out():
    def on_coco(value, **other):
        told = {"item": "nao-tab2", "metric": "map", "dataset": "coco_val", "value": value}
        return Number(**told | {"n": 5000, "n_full": 5000} | other)

    name = "fasterrcnn_resnet50_fpn"
    value = published(name).value
    nao = on_coco(0.2, dataset="nao")  # another number of the same passport
    assert checked(name, None, [nao, on_coco(value)]).outcome == "same"
    wrong = checked(name, None, [nao, on_coco(value - 0.01)])
    assert wrong.words.startswith("Not reproduced: mAP on COCO ")
    part = checked(name, None, [nao, on_coco(0.1, n=50)])
    assert part.words.startswith("Not checked: 50 of 5,000 images; published is ")


def test_pictures_that_others_showed_otherwise_judge_nothing():
    found = checked("timm/resnet50.a1_in1k", seen(Preprocessing(256, 224)), [error(0.3)])
    assert found.outcome == "not run"
    assert "(256, 224, 'bilinear') here" in found.words


def test_a_network_with_two_sizes_in_the_table_is_held_against_its_own():
    small, large = (
        published("timm/resnet50.a1_in1k", one)
        for one in (SHOWN, Preprocessing(288, 288, "bicubic"))
    )
    assert (small.unlike, large.unlike) == ("", "")
    assert small.value < large.value


@pytest.mark.parametrize(
    "other",
    [{"n": 1000}, {"dataset": "scenes_val"}, {"dataset": "imagenet_c", "corruption": "fog"}],
)
def test_a_part_or_other_pictures_judge_nothing(other):
    found = checked("resnet50", seen(Preprocessing(256, 224)), [error(0.5, **other)])
    assert found.outcome == "not run"
    assert found.found is None
