"""What labels mean: told by name and by id, and both ways agree on COCO."""

import pytest
from torchvision.models import detection

from robust_lib.config import class_lists
from robust_lib.errors import InputError
from robust_lib.models.detectors.labels import NO_CLASS, by_coco_id, by_name

CATEGORIES = ("__background__", "tv", "N/A", "mouse", "N/A", "tie")


def test_classes_are_found_by_name_wherever_they_stand():
    assert by_name(CATEGORIES, ("tie", "tv", "mouse")) == (-1, 1, -1, 2, -1, 0)
    assert by_name(CATEGORIES, ("mouse",)) == (-1, -1, -1, 0, -1, -1)  # the others are no classes


def test_a_class_without_a_label_and_one_with_two():
    with pytest.raises(InputError, match=r"6 categories television.*missing"):
        by_name(CATEGORIES, ("tie", "television", "cat"))
    with pytest.raises(InputError, match=r"twice \(tie.*labels 5.*6\)"):
        by_name((*CATEGORIES, "tie"), ("tie",))


def test_names_and_ids_tell_the_same_of_coco():
    names = class_lists.load_classes("coco").names
    expected = by_coco_id("coco")
    assert sorted(place for place in expected if place != NO_CLASS) == list(range(80))
    for weights in (
        detection.FasterRCNN_ResNet50_FPN_Weights.COCO_V1,
        detection.RetinaNet_ResNet50_FPN_Weights.COCO_V1,
        detection.MaskRCNN_ResNet50_FPN_Weights.COCO_V1,
        detection.FCOS_ResNet50_FPN_Weights.COCO_V1,
    ):
        assert by_name(weights.meta["categories"], names) == expected


def test_a_list_without_ids_of_coco():
    with pytest.raises(InputError, match="imagenet_vid has classes without one"):
        by_coco_id("imagenet_vid")
