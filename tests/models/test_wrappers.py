"""Wrappers: each changes what it says, and stays a classifier that keeps the contract."""

import numpy as np
import pytest
import torch
from torchvision.transforms.v2.functional import five_crop

from robust_lib.config.enhancements import Wrapper
from robust_lib.errors import InputError
from robust_lib.models.contract import check_classifier
from robust_lib.models.enhance import equalise
from robust_lib.models.wrappers import (
    CENTRE,
    centre_crop,
    clahe,
    nlm_denoise,
    one_crop,
    ten_crop,
    ten_crops,
    wrapped,
)
from robust_lib.predict.classify import predict
from robust_lib.preprocessing import Preprocessing
from tests.toys import AS_IS, Misbehaving, Swatches, brightest, convolutional


@pytest.fixture
def photograph():
    """Return a smooth 8-bit picture with an edge, and no noise."""
    y, x = np.mgrid[:96, :96] / 96
    picture = np.stack([0.2 + 0.3 * x, 0.3 + 0.2 * y, 0.4 + 0.1 * x * y], -1)
    picture[30:60, 40:70] += 0.25
    return (picture * 255).astype(np.uint8)


@pytest.mark.parametrize(
    "wrapped",
    [
        ten_crop(convolutional(preprocessing=Preprocessing(16, 12))),
        clahe(convolutional()),
        nlm_denoise(convolutional()),
    ],
    ids=["ten_crop", "clahe", "nlm_denoise"],
)
def test_every_wrapper_keeps_the_contract(wrapped):
    check_classifier(wrapped)


def test_ten_crops_are_torchvisions_five_and_their_mirrors():
    images = torch.rand(3, 3, 33, 40)
    ours = ten_crops(images, 24)
    for at, crop in enumerate(five_crop(images, [24])):
        assert torch.equal(ours[at], crop)
        assert torch.equal(ours[at + 5], crop.flip(-1))
    with pytest.raises(InputError, match="at most 33"):
        ten_crops(images, 34)


def test_ten_crop_averages_probabilities_over_the_whole_resized_picture():
    model = brightest(preprocessing=Preprocessing(256, 224, "bicubic"))
    wrapped = ten_crop(model)
    assert wrapped.preprocessing == Preprocessing(256, 256, "bicubic")
    assert wrapped.name == "brightest_tencrop"
    images = torch.rand(2, 3, 256, 256)
    expected = torch.stack([model(view).softmax(1) for view in ten_crops(images, 224)]).mean(0)
    torch.testing.assert_close(wrapped(images).softmax(1), expected)


def test_ten_crop_of_a_sure_model_is_finite():
    sure = Misbehaving(
        lambda images: torch.tensor([[0.0, 1e4, 2e4]]).repeat(len(images), 1),
        preprocessing=Preprocessing(32, 24),
    )
    logits = ten_crop(sure)(torch.rand(2, 3, 32, 32))
    assert torch.isfinite(logits).all()
    assert (logits.argmax(1) == 2).all()


def test_ten_crop_needs_a_margin():
    for preprocessing in (AS_IS, Preprocessing(None, 64), Preprocessing(64, 64)):
        with pytest.raises(InputError, match="smaller crop"):
            ten_crop(brightest(preprocessing=preprocessing))
    wrapped = ten_crop(brightest(preprocessing=Preprocessing(None, 64)), crop=56)
    assert wrapped.preprocessing == Preprocessing(None, 64)
    assert predict(wrapped, Swatches(side=64, count=6)).correct.all()


def test_ten_crops_of_what_the_model_itself_sees():
    model = brightest(preprocessing=Preprocessing(256, 224))
    inside = ten_crop(model, crop=196, within=224)
    assert inside.preprocessing == model.preprocessing
    images = torch.rand(2, 3, 224, 224)
    expected = torch.stack([model(view).softmax(1) for view in ten_crops(images, 196)]).mean(0)
    torch.testing.assert_close(inside(images).softmax(1), expected)


def test_the_central_crop_is_one_of_the_ten():
    model = brightest(preprocessing=Preprocessing(None, 64))
    central, ten = (wrapper(model, crop=56) for wrapper in (centre_crop, ten_crop))
    images = torch.rand(2, 3, 64, 64)
    assert torch.equal(central(images), model(one_crop(images, 56, CENTRE)))
    assert central.preprocessing == ten.preprocessing
    assert central.fingerprint != ten.fingerprint
    with pytest.raises(InputError, match="smaller crop"):
        centre_crop(model, crop=64)


def test_fingerprints_tell_wrappers_settings_and_models_apart():
    model = convolutional()
    made = [
        model,
        clahe(model),
        clahe(model, limit=3.0),
        clahe(model, tiles=4),
        nlm_denoise(model),
        nlm_denoise(model, strength=0.5),
        nlm_denoise(model, patch=3),
        nlm_denoise(model, distance=3),
        clahe(convolutional(seed=1)),
    ]
    assert len({one.fingerprint for one in made}) == len(made)
    assert clahe(model).fingerprint == clahe(convolutional()).fingerprint


def test_the_model_behind_clahe_sees_the_equalised_picture(photograph):
    seen = []
    model = Misbehaving(lambda images: seen.append(images) or images.mean((2, 3)))
    images = torch.from_numpy(photograph).permute(2, 0, 1)[None].float() / 255
    clahe(model)(images)
    expected = torch.from_numpy(equalise(photograph)).permute(2, 0, 1)[None].float() / 255
    assert torch.equal(seen[0], expected)


def test_a_row_names_a_wrapper_and_its_settings():
    model = convolutional()
    behind = wrapped(model, Wrapper(name="clahe", arguments={"tiles": 4}), "equalised")
    assert behind.name == "equalised"
    assert behind.fingerprint == clahe(model, tiles=4).fingerprint
    with pytest.raises(InputError, match=r"settings.*clahe.*\{'crop': 8\}"):
        wrapped(model, Wrapper(name="clahe", arguments={"crop": 8}), "equalised")


def test_recipes_which_enter_fingerprints_and_names_are_as_stored_predictions_have_them():
    model = brightest(preprocessing=Preprocessing(9, 8))
    small = Wrapper(name="clahe", arguments={"tiles": 4})
    found = [ten_crop(model), centre_crop(model), clahe(model), nlm_denoise(model, strength=0.5)]
    assert [(one.recipe, one.name.removeprefix(model.name)) for one in found] == [
        ("mean probability of ten crops of 8 pixels", "_tencrop"),
        ("central crop of 8 pixels", "_centre"),
        ("CLAHE with limit 2.0 on 8 x 8 tiles", "_clahe"),
        (
            "non-local means of strength 0.5 on patches of 5 pixels up to 6 pixels away",
            "_nlm",
        ),
    ]
    assert found[0].preprocessing.crop == 9
    assert wrapped(model, small, "mine").recipe == "CLAHE with limit 2.0 on 4 x 4 tiles"
