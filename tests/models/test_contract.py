"""The check of classifiers: every way to break the contract has its own sentence."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch

from robust_lib.errors import ModelError
from robust_lib.models.contract import Classifier, check_classifier, probe_images
from robust_lib.predict.classify import predict
from robust_lib.predict.embed import embed
from robust_lib.preprocessing import Preprocessing
from tests.toys import AS_IS, Brightest, Misbehaving, Swatches, brightest, convolutional, unchecked


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
    with pytest.raises(ModelError, match=r"1000 outputs.*imagenet_1k.*declares 3"):
        check_classifier(Misbehaving(mean, classes="imagenet_1k"))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda images: mean(images).numpy(), "tensor of logits, but it returned a NumPy array"),
        (lambda images: (mean(images), 1), r"returned a tuple of 2\..*answer\[0\]"),
        (lambda images: {"aux": 1, "logits": 2}, r'a dict with aux, logits\..*answer\["logits"\]'),
        (lambda images: [mean(images)], "returned a list of 1"),
        (lambda images: None, "returned NoneType. Is its return statement missing"),
        (lambda images: {}["a"], r"stopped at test_contract\.py, line \d+: KeyError: 'a'"),
        (lambda images: mean(images).softmax(1), "but its rows are probabilities that add up to 1"),
        (lambda images: mean(images).softmax(1).half().float(), "probabilities that add up to 1"),
        (lambda images: mean(images)[:, :2], r"shape \(4, 3\), but got torch.float32 of shape"),
        (lambda images: mean(images).mean(0), r"shape \(4, 3\)"),
        (lambda images: mean(images).long(), "float logits"),
        (lambda images: mean(images) / 0, "NaN or infinity"),
        (lambda images: mean(images) * torch.nan, "NaN or infinity"),
        (lambda images: mean(images.sub_(0.1)), "leave its input unchanged"),
        (lambda images: mean(images) + torch.rand(3), "same predictions for the same images"),
        (lambda images: mean(images - images.mean(0)), "other images of the batch"),
    ],
)
def test_misbehaviour_is_named(answer, message):
    with pytest.raises(ModelError, match=message):
        check_classifier(Misbehaving(answer))


def test_shares_that_do_not_add_up_are_warned_of_and_their_logarithms_are_logits():
    def many(images):
        return mean(images).repeat(1, 4) - 0.5

    sigmoid = Misbehaving(lambda images: many(images).sigmoid(), classes="mine", outputs=12)
    with pytest.warns(UserWarning, match=r"48 numbers.*\[0, 1\].*torch\.logit"):
        check_classifier(sigmoid)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_classifier(sigmoid, own=False)  # SqueezeNet ends in a ReLU
    for logits in (many, lambda images: many(images).log_softmax(1)):
        check_classifier(Misbehaving(logits, classes="mine", outputs=12))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((torch.ones(2, 3), 1), "returned a tuple of 2"),
        ({"logits": torch.ones(2, 3)}, "returned a dict with logits"),
        (None, "returned NoneType"),
        (np.ones((2, 3)), "returned a NumPy array"),
        (torch.ones(2, 3) > 0, "returned a tensor of torch.bool"),
    ],
)
def test_every_way_to_a_torch_network_refuses_what_is_no_tensor(answer, message):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)

        def forward(self, images):
            self.layer(images.mean((2, 3)))
            return answer

    model = replace(brightest(), module=Net())
    for ask in (
        check_classifier,
        lambda model: model(torch.rand(2, 3, 8, 8)),
        lambda model: predict(model, Swatches()),
        lambda model: embed(model, Swatches()),
        lambda model: model.fingerprint,
    ):
        with pytest.raises(ModelError, match=message):
            ask(model)


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
