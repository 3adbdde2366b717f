"""Augmentation: keyed, in range, in kind; and none of the benchmark's corruptions."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torchvision.transforms import RandomResizedCrop

from robust_lib.training.augment import AUGMENTATIONS, GREY, pose_and_colour, resized_crop
from robust_lib.training.recipes import Recipe
from robust_lib.training.robust_augment import ROBUST
from robust_lib.vocabulary import COMMON, EXTRA

IDS = tuple(f"train/a/{i:06d}" for i in range(64))


def ramp(count=64, side=32):
    """Smooth pictures with an upper left corner: a bright quarter on a dim ramp."""
    line = torch.linspace(0.3, 0.6, side)
    image = line.expand(3, side, side).clone()
    image[:, : side // 2, : side // 2] += 0.3
    return image.expand(count, 3, side, side).clone()


def test_shape_range_and_input_are_kept():
    torch.manual_seed(0)
    images = torch.rand(64, 3, 32, 48)
    before = images.clone()
    augmented = pose_and_colour(images, IDS, 0)
    assert augmented.shape == images.shape
    assert augmented.dtype == torch.float32
    assert torch.equal(images, before)
    assert augmented.min() >= 0
    assert augmented.max() <= 1


def test_draws_are_keyed_by_ids_and_epoch_alone():
    images = ramp()
    one = pose_and_colour(images, IDS, 3)
    torch.manual_seed(1234)
    torch.rand(7)
    assert torch.equal(pose_and_colour(images, IDS, 3), one)
    assert not torch.equal(pose_and_colour(images, IDS, 4), one)
    assert not torch.equal(pose_and_colour(images, IDS[::-1], 3), one)


def test_torchs_own_generator_is_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    pose_and_colour(ramp(), IDS, 0)
    assert torch.equal(torch.rand(3), expected)


def test_each_image_is_changed_in_its_own_way():
    augmented = pose_and_colour(ramp(), IDS, 0)
    distances = torch.cdist(augmented.flatten(1), augmented.flatten(1))
    assert distances[~torch.eye(64, dtype=torch.bool)].min() > 0.5


def test_pictures_stay_recognisable():
    """The bright quarter stays the brighter one, wherever it was turned and moved."""
    augmented = pose_and_colour(ramp(256), tuple(map(str, range(256))), 0).mean(1)
    corner = augmented[:, 6:11, 6:11].mean((1, 2))
    others = augmented[:, 21:26, 21:26].mean((1, 2))
    # Colours may turn the contrast around; a place it keeps.
    assert ((corner - others).abs() > 0.08).float().mean() > 0.8


def test_some_images_lose_their_colour():
    torch.manual_seed(0)
    images = torch.rand(256, 3, 1, 1).expand(256, 3, 16, 16).clone()
    images[:, 0, :8] *= 0.5
    augmented = pose_and_colour(images, tuple(map(str, range(256))), 0)
    # Where the mixing matrix is grey, what varies in a picture varies alike in all channels.
    varied = augmented - augmented.mean((2, 3), keepdim=True)
    alike = (varied - varied.mean(1, keepdim=True)).abs().amax((1, 2, 3)) < 1e-5
    assert 0.5 * GREY < alike.float().mean() < 1.6 * GREY


def test_light_is_moved_a_little():
    means = pose_and_colour(ramp(), IDS, 0).mean((2, 3)) - ramp().mean((2, 3))
    assert 0.03 < means.std() < 0.2


def test_smooth_pictures_stay_smooth():
    """No noise, no compression, no pixels: a smooth picture has no more fine detail than before."""
    line = torch.linspace(0.2, 0.8, 32)
    images = (line[:, None] * line).expand(64, 3, 32, 32).clone()

    def fineness(pictures):
        inner = pictures[..., 10:22, 10:22]  # away from where reflection makes a crease
        return inner.diff(n=2, dim=-1).abs().mean()

    augmented = pose_and_colour(images, IDS, 0)
    assert fineness(augmented) < fineness(images + 0.02 * torch.randn(images.shape)) / 5


def test_augmentations_are_those_that_recipes_may_name():
    names = set(Recipe.model_fields["augmentation"].annotation.__args__)
    assert names == {"none", *AUGMENTATIONS, *ROBUST}
    assert AUGMENTATIONS["pose_and_colour"] is pose_and_colour


def test_no_corruption_of_the_benchmark_is_an_augmentation():
    assert not set(AUGMENTATIONS) & {*COMMON, *EXTRA}


def test_training_does_not_know_the_corruptions():
    """Networks that trained on a corruption would make its error meaningless."""
    code = "import sys, robust_lib.training.zoo; print(*sys.modules)"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=root
    )
    loaded = done.stdout.split()
    assert "robust_lib.training.augment" in loaded
    assert not [name for name in loaded if name.startswith("robust_lib.corruptions")]


@pytest.mark.gpu
def test_a_gpu_draws_the_same():
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device here")
    here = pose_and_colour(ramp(), IDS, 0)
    there = pose_and_colour(ramp().cuda(), IDS, 0).cpu()
    torch.testing.assert_close(here, there, atol=1e-4, rtol=0)


def coordinates(count, side):
    """Images whose first two channels say where a pixel was."""
    line = torch.linspace(0, 1, side)
    places = torch.stack(
        [line.expand(side, side).T, line.expand(side, side), torch.zeros(side, side)]
    )
    return places.expand(count, 3, side, side).clone()


def test_resized_crops_are_parts_of_the_picture_as_torchvision_draws_them():
    ids = tuple(f"{i}" for i in range(400))
    images = coordinates(400, 64)
    made = resized_crop(images, ids, 0)
    assert made.shape == images.shape
    # What a crop spans, in pixels: from its coordinates at both ends.
    tall = (made[:, 0, -1, 32] - made[:, 0, 0, 32]) * 63 + 1
    wide = (made[:, 1, 32, -1] - made[:, 1, 32, 0]) * 63 + 1
    share = tall * wide / 64**2
    assert 0.05 < share.min() < 0.12
    assert 0.88 < share.max() < 1.05
    # Areas are drawn evenly, but for the large ones, of which more do not fit.
    assert 0.40 < share.mean() < 0.54
    torch.manual_seed(0)
    theirs = RandomResizedCrop(64)
    drawn = [theirs.get_params(images[0], theirs.scale, theirs.ratio)[2:] for _ in range(2000)]
    expected = sum(h * w for h, w in drawn) / 2000 / 64**2
    assert share.mean() == pytest.approx(expected, abs=0.04)


def test_resized_crops_are_keyed_and_leave_their_input():
    images = coordinates(4, 32)
    before = images.clone()
    one = resized_crop(images, ("a", "b", "c", "d"), 0)
    assert torch.equal(images, before)
    assert torch.equal(resized_crop(images[1:2], ("b",), 0)[0], one[1])
    assert not torch.equal(resized_crop(images, ("a", "b", "c", "d"), 1), one)
