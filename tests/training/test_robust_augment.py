"""Robust augmentations: keyed, in range, half of a batch, and each in its kind."""

import pytest
import torch

from robust_lib.training.augment import AUGMENTATIONS
from robust_lib.training.recipes import Recipe
from robust_lib.training.robust_augment import LOUDEST, ROBUST, augmix, noise, texture, texture_only

IDS = tuple(f"train/a/{i:06d}" for i in range(32))


def pictures(count=32, height=24, width=32):
    """Smooth coloured pictures with a bright square."""
    lines = torch.linspace(0.2, 0.7, width).expand(height, width)
    image = torch.stack([lines, lines.flip(1), 0.5 + 0 * lines])
    image[:, 6:14, 8:16] = torch.tensor([0.9, 0.2, 0.4])[:, None, None]
    return image.expand(count, 3, height, width).clone()


@pytest.mark.parametrize("augment", ROBUST.values(), ids=ROBUST)
def test_shape_range_and_input_are_kept(augment):
    images = pictures()
    before = images.clone()
    changed = augment(images, IDS, 0)
    assert changed.shape == images.shape
    assert changed.dtype == torch.float32
    assert torch.equal(images, before)
    assert changed.min() >= 0
    assert changed.max() <= 1


@pytest.mark.parametrize("augment", ROBUST.values(), ids=ROBUST)
def test_draws_are_keyed_by_ids_and_epoch_alone(augment):
    one = augment(pictures(), IDS, 3)
    torch.manual_seed(1234)
    torch.rand(7)
    assert torch.equal(augment(pictures(), IDS, 3), one)
    assert not torch.equal(augment(pictures(), IDS, 4), one)


@pytest.mark.parametrize("name", ["noise", "texture", "deepaugment"])
@pytest.mark.parametrize("count", [31, 32])
def test_half_of_a_batch_keeps_its_bits(name, count):
    images = pictures(count)
    changed = ROBUST[name](images, IDS[:count], 0)
    differ = (changed != images).flatten(1).any(1)
    assert int(differ.sum()) == count // 2
    assert torch.equal(changed[~differ], images[~differ])


def test_augmix_changes_every_image_and_stays_near_it():
    changed = augmix(pictures(), IDS, 0)
    distance = (changed - pictures()).abs().mean((1, 2, 3))
    assert (distance > 0).all()
    assert distance.mean() < 0.2


def test_noise_has_no_mean_and_some_of_it_is_coarse():
    grey = torch.full((256, 3, 24, 24), 0.5)
    ids = tuple(f"{i}" for i in range(256))
    changed = noise(grey, ids, 0) - 0.5
    noisy = changed[changed.flatten(1).any(1)]
    assert noisy.mean().abs() < 0.01
    assert 0.2 * LOUDEST < noisy.flatten(1).std(1).mean() < 0.8 * LOUDEST
    coarse = (noisy[:, :, :3, :3] == noisy[:, :, :1, :1]).flatten(1).all(1)
    assert 0.3 < coarse.float().mean() < 0.7


def test_texture_keeps_colours_on_average_and_loses_detail():
    torch.manual_seed(0)
    images = pictures() * 0.6 + 0.2 * torch.rand(32, 3, 24, 32)
    changed = texture(images, IDS, 0)
    differ = (changed != images).flatten(1).any(1)
    means = (changed - images)[differ].mean((2, 3)).abs()
    assert means.max() < 0.05
    assert (changed - images)[differ].abs().mean() > 0.03


def test_texture_only_does_to_every_image_what_texture_does_to_half():
    images = pictures()
    half, whole = texture(images, IDS, 0), texture_only(images, IDS, 0)
    differ = (half != images).flatten(1).any(1)
    assert torch.equal(whole[differ], half[differ])
    assert (whole != images).flatten(1).any(1).all()


def test_recipes_know_them():
    for name in [*ROBUST, *AUGMENTATIONS]:
        assert Recipe(epochs=1, batch=1, rate=0.1, augmentation=name).augmentation == name
    assert not set(ROBUST) & set(AUGMENTATIONS)
