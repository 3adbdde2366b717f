"""Costs follow what manifests, recipes and models say."""

import pytest

from robust_book.engine import costs
from robust_lib.config.manifests import dataset_names, load_dataset, load_model
from robust_lib.config.profiles import changed, load_profile
from robust_lib.run.network import Network

DRAWN = ("scenes", "backdrops", "clips", "icon_gallery")
MINI, SMOKE, FULL = (load_profile(name) for name in ("mini", "smoke", "full_trained"))


def test_images_are_those_of_the_profile():
    assert costs.images("scenes_val", SMOKE) == 2560
    assert costs.images("scenes_train", SMOKE) == 1920  # its limit on training
    assert costs.images("scenes_train_a", SMOKE) == 1920 * 7200 // 19200
    assert costs.images("scenes_candidates_a", SMOKE) == 480
    assert costs.images("scenes_candidates_a", MINI) == 7200
    assert costs.images("folder:holiday", MINI) == 0
    few = changed(MINI, clips=96, train_limit=448)
    assert costs.images("clips_val", MINI) == load_dataset("clips_val").images
    assert costs.images("clips_val", few) == load_dataset("clips_val").images // 4
    assert costs.images("clips_train", few) == 448
    assert costs.images("clips_train", changed(MINI, clips=96)) == 4512


def test_a_part_that_nobody_counted_is_its_share_of_the_classes():
    assert costs.images("imagenet_100_train", FULL) == round(1_281_167 / 10)
    assert costs.images("imagenet_train_a", FULL) == round(1_281_167 / 5)
    assert costs.images("stylized_imagenet_a", FULL) == round(1_281_167 / 5)
    # Where somebody counted, that is it.
    assert costs.images("cifar100_train", FULL) == 50_000


def test_joined_sets_have_the_images_of_their_parts():
    parts = ("imagenet_train_a", "stylized_imagenet_a")
    joined = costs.images("stylized_and_imagenet_a", FULL)
    assert joined == sum(costs.images(name, FULL) for name in parts)


def test_what_a_copy_must_hold_counts_where_no_number_stands():
    assert load_dataset("nao").images is None
    assert costs.images("nao", FULL) == 7935  # the lower of two that sources give
    assert costs.images("imagenet_22k_train", FULL) == 0  # nobody knows


@pytest.mark.parametrize("name", dataset_names())
def test_a_set_that_is_drawn_says_what_a_picture_takes(name):
    manifest = load_dataset(name)
    drawn = (
        manifest.kind in ("scenes", "layouts", "backdrops", "clips", "icon_gallery")
        and manifest.of is None
    )
    assert (manifest.image_seconds is not None) == drawn
    assert (costs.drawing(name, MINI) > 0) == drawn


def test_training_takes_epochs_times_steps_times_what_a_step_takes():
    network, model = Network("resnet50_mini_a"), load_model("resnet50_mini_a")
    assert costs.training(network, MINI) == pytest.approx(2 * 113 * model.step_seconds)
    assert costs.training(network, SMOKE) == pytest.approx(1 * 12 * model.step_seconds)


def test_what_nobody_measured_costs_something():
    assert costs.training(Network("resnet18_imagenet_100"), FULL) > 1000
    assert costs.predicting([Network("my_net.py:build")], 1000) == pytest.approx(0.3)


def test_a_step_of_an_attack_is_one_of_the_training():
    alone, once, ten_times = (
        costs.learned_from(Network(name), FULL)
        for name in (
            "resnext50_32x4d_200", "resnext50_32x4d_200_fgsm", "resnext50_32x4d_200_pgd10",
        )
    )  # fmt: skip
    assert alone == 90 * costs.images("imagenet_train_a", FULL)
    assert (once, ten_times) == (2 * alone, 11 * alone)


def test_training_with_a_corruption_goes_on_from_a_network_and_takes_fewer_epochs():
    plain, foggy = (costs.training(Network("alexnet_small", name), MINI) for name in (None, "fog"))
    assert (plain, foggy) == pytest.approx((46.5, 18.6))


def test_who_has_no_list_of_classes_is_a_whole():
    whole = load_dataset("imagenet_train")
    unlisted = whole.model_copy(update={"classes": None})
    assert costs.share_of_classes(unlisted, whole) == 1.0
    assert costs.share_of_classes(load_dataset("imagenet_train_a"), unlisted) == 1.0


def test_predicting_is_paid_by_network_and_image():
    seconds = load_model("alexnet_mini").predict_seconds
    assert costs.predicting([Network("alexnet_mini")] * 2, 500) == pytest.approx(seconds)


def test_a_filter_sees_each_candidate_ten_times():
    one = costs.predicting([Network("alexnet_mini")], 7200)
    assert costs.filtering("scenes_a_filtered", [Network("alexnet_mini")], MINI) == 10 * one
