"""Adapters: any function and any torch module become classifiers that pass the check."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from robust_lib.errors import InputError, ModelError
from robust_lib.models import torch_models
from robust_lib.models.adapter import ASSUMED, module_digest, seen, wrap_callable
from robust_lib.models.contract import check_classifier
from robust_lib.predict.classify import predict
from robust_lib.preprocessing import Preprocessing
from tests.toys import AS_IS, Swatches, brightest, convolutional, unchecked


def mean(images):
    assert images.dtype == np.float32
    return images.mean((2, 3))


def test_a_function_of_arrays_becomes_a_classifier():
    model = wrap_callable(mean, "mean", "colours", AS_IS)
    check_classifier(model)
    assert model.outputs == 3
    assert predict(model, Swatches()).correct.all()


@pytest.mark.parametrize(
    "fn",
    [lambda images: mean(images).tolist(), lambda images: np.rint(100 * mean(images)).astype(int)],
)
def test_lists_and_whole_numbers_are_logits_too(fn):
    assert predict(wrap_callable(fn, "mean", "colours", AS_IS), Swatches()).correct.all()


@pytest.mark.parametrize(
    "fn",
    [
        lambda images: images.mean(),
        lambda images: mean(images)[:2],
        lambda images: np.array([["a"]] * len(images)),
        lambda images: mean(images).astype(complex),
    ],
)
def test_a_function_that_returns_no_logits_is_refused_at_once(fn):
    with pytest.raises(ModelError, match="one row of logits per image"):
        wrap_callable(fn, "bad", "colours", AS_IS)


def test_fingerprints_of_functions_tell_models_apart_and_can_be_given():
    one, same, other = (
        wrap_callable(lambda images, by=by: by * mean(images), "m", "colours", AS_IS).fingerprint
        for by in (1, 1, 2)
    )
    assert one == same != other
    calls = []

    def counted(images):
        calls.append(len(images))
        return mean(images)

    model = wrap_callable(counted, "m", "colours", AS_IS, outputs=3, fingerprint="v7")
    other = wrap_callable(counted, "m", "colours", AS_IS, outputs=3, fingerprint="v8")
    assert model.fingerprint != other.fingerprint
    assert calls == []


def test_the_function_cannot_change_the_images_of_others():
    """It may write into its array; the check of the contract then says so."""

    def rude(images):
        images *= 0
        return mean(images)

    with pytest.raises(ModelError, match="leave its input"):
        check_classifier(wrap_callable(rude, "rude", "colours", AS_IS))


def test_a_torch_module_is_normalised_by_its_adapter():
    plain, normalised = brightest(), brightest(mean=(0.5, 0.25, 0.0), std=(0.1, 0.2, 0.5))
    images = torch.rand(2, 3, 8, 8)
    expected = (plain(images) / 10 - torch.tensor([0.5, 0.25, 0.0])) / torch.tensor([0.1, 0.2, 0.5])
    torch.testing.assert_close(normalised(images), 10 * expected)


def test_how_a_model_is_shown_pictures_is_told_with_filter_mean_and_deviation():
    """A report that named the crop alone hid a bicubic filter, and the mean of another library."""
    model = replace(
        convolutional(), preprocessing=Preprocessing(260, 224, "bicubic"), mean=(0.5, 0.25, 0.0),
        std=(0.125, 1.0, 2.0),
    )  # fmt: skip
    told = "resize 260, crop 224, interpolation bicubic, mean 0.5 0.25 0, deviation 0.125 1 2"
    assert seen(model) == told
    assert seen(replace(model, assumed=True)) == f"{told}; {ASSUMED}"
    assert seen(object()) == "each image at its own size"


def test_a_module_is_put_into_evaluation_mode_and_must_stay_there():
    model = convolutional()
    assert not any(part.training for part in model.module.modules())
    check_classifier(model)
    model.module.train()
    with pytest.raises(ModelError, match=r"training mode.*\.eval\(\)"):
        model(torch.rand(1, 3, 8, 8))


def test_no_gradients_and_no_trace_of_the_callers_tensor():
    images = torch.rand(2, 3, 8, 8)
    before = images.clone()
    assert not convolutional()(images).requires_grad
    assert torch.equal(images, before)


def test_fingerprints_of_modules_follow_weights_structure_and_settings():
    fingerprint = convolutional().fingerprint
    assert convolutional().fingerprint == fingerprint
    assert convolutional(name="other name").fingerprint == fingerprint
    others = {
        convolutional(seed=1).fingerprint,
        brightest().fingerprint,
        brightest(std=(2.0, 1.0, 1.0)).fingerprint,
        brightest(mean=(0.1, 0.0, 0.0)).fingerprint,
    }
    assert len(others | {fingerprint}) == 5
    layers = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
    strided = brightest(module=torch.nn.Sequential(torch.nn.Conv2d(3, 3, 1, stride=2), *layers))
    plain = brightest(module=torch.nn.Sequential(torch.nn.Conv2d(3, 3, 1), *layers))
    plain.module.load_state_dict(strided.module.state_dict())
    assert plain.fingerprint != strided.fingerprint  # same weights, other structure


def test_another_precision_gives_other_answers_that_are_kept_apart():
    exact, mixed = convolutional(), replace(convolutional(), precision="bfloat16")
    assert exact.fingerprint != mixed.fingerprint
    images = torch.rand(8, 3, 8, 8)
    assert mixed(images).dtype == torch.float32
    apart = (exact(images) - mixed(images)).abs().max() / exact(images).abs().max()
    assert 0 < apart < 0.05


@pytest.mark.parametrize(("precision", "rounds"), [("float32", False), ("tf32", True)])
def test_convolutions_of_a_gpu_round_where_that_is_asked_for(precision, rounds):
    class Watching(torch.nn.Module):
        def forward(self, images):
            seen.append(torch.backends.cudnn.allow_tf32)
            return images.mean((2, 3))

    seen, before = [], torch.backends.cudnn.allow_tf32
    model = replace(convolutional(), module=Watching(), precision=precision)
    model(torch.rand(2, 3, 8, 8))
    assert seen == [rounds]
    assert torch.backends.cudnn.allow_tf32 == before
    assert (model.fingerprint == replace(model, precision="float32").fingerprint) != rounds


def test_a_network_without_its_gpu_can_be_named_and_not_asked():
    """One of the library's is known by its weights; one of a user's has to be asked, too."""
    row = replace(convolutional(), of_row=True)
    model = replace(row, device="cuda:99")
    assert model.fingerprint == row.fingerprint
    with pytest.raises(InputError, match=r"GPU.*device cuda:99.*torch"):
        model(torch.rand(1, 3, 8, 8))


def test_a_buffer_is_part_of_the_fingerprint():
    model = convolutional()
    before = model.fingerprint
    model.module[1].running_mean += 1
    assert model.fingerprint != before


def test_what_is_no_module_is_refused():
    with unchecked(), pytest.raises(InputError, match="wrap_callable"):
        brightest(module=lambda images: images)
    with pytest.raises(InputError, match="std above 0"):
        brightest(std=(0.0, 1.0, 1.0))


def test_the_librarys_own_networks_keep_the_keys_of_what_is_stored():
    """Their fingerprints are a part of the keys of trained networks: another one trains anew."""
    for model in (torch_models.load("alexnet_mini", source="random", outputs=5), convolutional()):
        row = replace(model, of_row=True)
        told = (repr(row.module), row.mean, row.std, row.outputs, row.preprocessing)
        assert row.fingerprint == module_digest(row.module, told)
    assert convolutional().fingerprint != row.fingerprint
