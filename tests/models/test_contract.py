"""The check of classifiers: every way to break the contract has its own sentence."""

import pytest
import torch

from robust_lib.errors import ModelError
from robust_lib.models.contract import Classifier, check_classifier, probe_images
from robust_lib.preprocessing import Preprocessing
from tests.toys import AS_IS, Brightest, Misbehaving, brightest, convolutional, unchecked


def mean(images):
    return 10 * images.mean((2, 3))


def test_good_models_pass():
    for model in (brightest(), convolutional(), Misbehaving(mean)):
        assert isinstance(model, Classifier)
        check_classifier(model)


def test_something_else_is_told_what_it_lacks():
    with unchecked(), pytest.raises(ModelError, match=r"Linear lacks name, .*wrap_callable"):
        check_classifier(torch.nn.Linear(3, 3))


def test_a_label_space_of_another_size():
    with pytest.raises(ModelError, match=r"1000 outputs, the classes of imagenet_1k.*declares 3"):
        check_classifier(Misbehaving(mean, classes="imagenet_1k"))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda images: mean(images).numpy(), "tensor of logits, but it returned ndarray"),
        (lambda images: mean(images)[:, :2], r"shape \(4, 3\), but got torch.float32 of shape"),
        (lambda images: mean(images).mean(0), r"shape \(4, 3\)"),
        (lambda images: mean(images).long(), "float logits"),
        (lambda images: mean(images) / 0, "NaN or infinity"),
        (lambda images: mean(images) * torch.nan, "NaN or infinity"),
        (lambda images: mean(images.sub_(0.1)), "leave its input as it was"),
        (lambda images: mean(images) + torch.rand(3), "twice alike"),
        (lambda images: mean(images - images.mean(0)), "other images of the batch"),
    ],
)
def test_misbehaviour_is_named(answer, message):
    with pytest.raises(ModelError, match=message):
        check_classifier(Misbehaving(answer))


def test_training_mode_is_found_in_any_part_of_a_module():
    model = convolutional()
    model.module[5].train()  # the dropout alone
    with pytest.raises(ModelError, match=r"evaluation mode.*eval\(\)"):
        check_classifier(model)


def test_batch_normalisation_left_in_training_is_found_without_seeing_the_module():
    module = torch.nn.Sequential(torch.nn.BatchNorm2d(3), Brightest())
    with pytest.raises(ModelError, match="batch"):
        check_classifier(Misbehaving(lambda images: module(images).detach()))


def test_probe_images_are_what_a_model_sees():
    images = probe_images(3, Preprocessing(40, 32))
    assert images.shape == (3, 3, 32, 32)
    assert images.dtype == torch.float32
    assert images.min() >= 0
    assert images.max() <= 1
    assert torch.equal(images, probe_images(3, Preprocessing(40, 32)))
    assert probe_images(1, AS_IS).shape == (1, 3, 64, 64)
