"""The record that the four chapters share, and what each of them needs."""

import pytest

from robust_book.chapters import chapter
from robust_lib.config.profiles import load_profile
from robust_lib.protocols.nae.networks import ATTENTION, ROBUST, SIZES, TUNED

MINI, FULL = load_profile("mini"), load_profile("full_trained")
CONSTRUCTION, ACCURACY, DETECTION, CALIBRATION = (
    chapter(name)
    for name in (
        "nae_1_construction", "nae_2_imagenet_a", "nae_3_imagenet_o", "nae_4_calibration",
    )
)  # fmt: skip


def needed(record, profile=MINI):
    return set(record.evaluated_models(profile))


def test_the_construction_needs_the_network_that_chose_the_pictures_alone():
    assert needed(CONSTRUCTION) == {"resnet50"}


def test_the_chapter_on_accuracy_needs_all_networks():
    assert needed(ACCURACY) == set(MINI.networks["nae"])


def test_detection_needs_no_network_that_lacks_classes_of_imagenet_o():
    mini, full = (set(one.networks["nae"]) for one in (MINI, FULL))
    assert needed(ACCURACY) - needed(DETECTION) == {TUNED, *ROBUST} & mini
    assert needed(ACCURACY, FULL) - needed(DETECTION, FULL) == {*ROBUST} & full == {*ROBUST}


def test_calibration_needs_the_pairs_alone():
    assert needed(CALIBRATION) == {one for pair in (*ATTENTION, *SIZES) for one in pair}


@pytest.mark.parametrize(
    ("record", "roles"),
    [
        (CONSTRUCTION, {"imagenet_a", "imagenet_o"}),
        (ACCURACY, {"imagenet_a", "imagenet_val_a"}),
        (DETECTION, {"imagenet_o", "imagenet_val_o"}),
        (CALIBRATION, {"imagenet_a"}),
    ],
)
def test_all_networks_of_a_chapter_see_what_it_compares_them_on_and_no_more(record, roles):
    assert {role for shown in record.shows for role in shown.roles} == roles
    assert record.role in roles


def test_chapters_that_show_the_same_images_say_so_alike():
    assert set(CALIBRATION.shows) <= set(ACCURACY.shows)
