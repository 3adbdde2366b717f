"""Half of each batch corrupted: exactly half, keyed, resumable, and refused before training."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from robust_lib.corruptions import corrupt
from robust_lib.errors import InputError
from robust_lib.training import half_corrupted as module
from robust_lib.training.half_corrupted import corrupted_once, half_corrupted
from robust_lib.training.loop import TrainingSet, train
from robust_lib.training.recipes import Recipe
from robust_lib.vocabulary import NAMES, SEVERITIES
from tests.toys import Swatches

IDS = tuple(f"train/a/{i:06d}" for i in range(32))


def pictures(count=32, side=32):
    return torch.rand(count, 3, side, side, generator=torch.Generator().manual_seed(count))


def changed(made, images):
    return (made != images).flatten(1).any(1)


def test_exactly_half_is_changed_and_the_rest_keeps_its_bits():
    images = pictures(12)
    before = images.clone()
    for name in NAMES:
        made = half_corrupted(name)(images, IDS[:12], 0)
        assert torch.equal(images, before), name
        assert (made.shape, made.dtype) == (images.shape, torch.float32), name
        assert 0 <= made.min() <= made.max() <= 1, name
        assert int(changed(made, images).sum()) == 6, name


def test_an_odd_batch_has_one_corrupted_image_less():
    for count, half in ((0, 0), (1, 0), (2, 1), (7, 3), (32, 16)):
        images = pictures(count)
        made = half_corrupted("gaussian_noise")(images, IDS[:count], 3)
        assert int(changed(made, images).sum()) == half, count


def test_the_changed_half_is_corrupted_at_one_of_the_severities():
    images = pictures()
    made = half_corrupted("contrast", severities=(2, 4))(images, IDS, 1)
    each = {s: corrupt(images, "contrast", s, keys=list(IDS)) for s in (2, 4)}
    seen = Counter()
    for place in torch.nonzero(changed(made, images)).flatten().tolist():
        (severity,) = [s for s, whole in each.items() if torch.equal(made[place], whole[place])]
        seen[severity] += 1
    assert set(seen) == {2, 4}
    assert seen.total() == 16


def test_draws_are_keyed_by_ids_and_epoch_alone():
    images, augment = pictures(), half_corrupted("shot_noise")
    one = augment(images, IDS, 3)
    torch.manual_seed(1234)
    torch.rand(7)
    assert torch.equal(augment(images, IDS, 3), one)
    assert torch.equal(half_corrupted("shot_noise")(images, IDS, 3), one)
    assert not torch.equal(augment(images, IDS, 4), one)
    assert not torch.equal(augment(images, IDS[::-1], 3), one)
    assert not torch.equal(half_corrupted("shot_noise", seed=1)(images, IDS, 3), one)
    order = torch.randperm(32)
    turned = augment(images[order], tuple(IDS[i] for i in order), 3)
    assert torch.equal(turned, one[order])


def test_torchs_own_generator_is_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    half_corrupted("gaussian_noise")(pictures(), IDS, 0)
    assert torch.equal(torch.rand(3), expected)


def test_every_corruption_gets_the_same_half_at_the_same_severities():
    images = pictures()
    halves = {
        tuple(changed(half_corrupted(name)(images, IDS, 2), images).tolist())
        for name in ("gaussian_noise", "contrast", "pixelate")
    }
    assert len(halves) == 1


def chosen(epoch, seed=0):
    return module._chosen(IDS, epoch, SEVERITIES, seed)


def test_over_the_epochs_every_image_is_corrupted_half_of_the_time():
    counts = np.zeros(32)
    for epoch in range(400):
        counts[[place for places in chosen(epoch).values() for place in places]] += 1
    # The standard deviation of 400 fair throws is 10.
    assert np.abs(counts - 200).max() < 45
    assert counts.std() > 3


def test_severities_are_drawn_alike():
    counts = Counter(s for epoch in range(200) for s, p in chosen(epoch).items() for _ in p)
    assert set(counts) == set(SEVERITIES)
    assert max(abs(count - 640) for count in counts.values()) < 100


def test_the_noise_of_an_image_is_another_in_another_epoch_at_the_same_severity():
    images = torch.full((1, 3, 32, 32), 0.5).expand(32, -1, -1, -1).clone()
    augment = half_corrupted("gaussian_noise", severities=(3,))
    first, second = (augment(images, IDS, epoch) - images for epoch in (0, 1))
    both = changed(first, torch.zeros_like(first)) & changed(second, torch.zeros_like(second))
    assert both.sum() > 2
    for one, other in zip(first[both], second[both], strict=True):
        correlation = torch.corrcoef(torch.stack([one.flatten(), other.flatten()]))[0, 1]
        assert abs(float(correlation)) < 0.1


@pytest.mark.parametrize("name", ["gausian_noise", "noise", "", "Fog"])
def test_an_unknown_corruption_is_refused_before_training(name):
    with pytest.raises(InputError, match=r"corruption.*train.*gaussian_noise"):
        half_corrupted(name)


@pytest.mark.parametrize(
    ("severities", "told"), [((0, 1), r"but got \[0\]"), ((6,), r"\[6\]"), ((), "but got none")]
)
def test_unknown_severities_are_refused_before_training(severities, told):
    with pytest.raises(InputError, match=f"severities to be one of 1, 2, 3, 4, 5.*{told}"):
        half_corrupted("fog", severities=severities)


def test_another_number_of_ids_is_refused():
    with pytest.raises(InputError, match="got 31 for 32"):
        half_corrupted("fog")(pictures(), IDS[1:], 0)


def toy():
    swatches = Swatches(count=12, side=32)
    shown = np.stack([swatches.read(i, None) for i in range(12)])
    return TrainingSet(shown, swatches.labels, swatches.ids, (0.5,) * 3, (0.5,) * 3)


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
        torch.nn.Linear(4, 3),
    )  # fmt: skip


def anew(data):
    return {"data": data, "augment": half_corrupted("gaussian_noise")}


def once(data):
    copies = corrupted_once(data.pictures, data.ids, "gaussian_noise")
    return {"data": replace(data, corrupted=copies)}


def trained(epochs, corrupted, checkpoint=None):
    module = network()
    # Without a schedule, a shorter run is the beginning of a longer one.
    recipe = Recipe(epochs=epochs, batch=5, rate=0.1, schedule="step", warmup=0, drops=())
    shown = corrupted(toy())
    train(module, recipe=recipe, seed=0, checkpoint=checkpoint, progress=False, **shown)
    return torch.cat([values.flatten() for values in module.state_dict().values()])


@pytest.mark.parametrize("corrupted", [anew, once])
def test_a_resumed_run_ends_with_the_same_weights(corrupted, tmp_path):
    trained(1, corrupted, tmp_path / "run.pt")
    resumed = trained(3, corrupted, tmp_path / "run.pt")
    assert torch.equal(resumed, trained(3, corrupted))
    assert not torch.equal(resumed, trained(2, corrupted))


def eight_bits(count=32):
    return (pictures(count) * 255).byte().permute(0, 2, 3, 1).contiguous().numpy()


def test_a_copy_is_its_picture_corrupted_at_one_of_the_severities():
    shown = eight_bits()
    copies = corrupted_once(shown, IDS, "contrast", severities=(2, 4))
    images = torch.from_numpy(shown).permute(0, 3, 1, 2).float() / 255
    each = {s: corrupt(images, "contrast", s, keys=list(IDS)) for s in (2, 4)}
    seen = Counter()
    for place, copy in enumerate(copies):
        near = [
            s for s, whole in each.items()
            if np.abs(whole[place].permute(1, 2, 0).numpy() * 255 - copy).max() <= 0.51
        ]  # fmt: skip
        assert len(near) == 1
        seen[near[0]] += 1
    assert set(seen) == {2, 4}
    assert seen.total() == 32


def test_copies_are_keyed_by_ids_alone(monkeypatch):
    shown, order = eight_bits(), np.random.default_rng(0).permutation(32)
    copies = corrupted_once(shown, IDS, "shot_noise")
    assert np.array_equal(corrupted_once(shown, IDS, "shot_noise"), copies)
    turned = corrupted_once(shown[order], tuple(IDS[i] for i in order), "shot_noise")
    assert np.array_equal(turned, copies[order])
    monkeypatch.setattr(module, "_AT_ONCE", 3)
    assert np.array_equal(corrupted_once(shown, IDS, "shot_noise"), copies)
    assert not np.array_equal(corrupted_once(shown, IDS[::-1], "shot_noise"), copies)
    assert not np.array_equal(corrupted_once(shown, IDS, "shot_noise", seed=1), copies)


def test_copies_of_other_corruptions_have_the_same_severities():
    asked = []

    def told(images, name, severity, *, keys, seed):
        asked.append((severity, keys))
        return images

    for name in ("gaussian_noise", "fog"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "corrupt", told)
            corrupted_once(eight_bits(), IDS, name)
    assert asked[: len(asked) // 2] == asked[len(asked) // 2 :]
    assert len({severity for severity, _ in asked}) > 3


def test_copies_refuse_what_the_augmentation_refuses():
    with pytest.raises(InputError, match=r"corruption.*train.*gaussian_noise"):
        corrupted_once(eight_bits(), IDS, "noise")
    with pytest.raises(InputError, match="severities to be one of"):
        corrupted_once(eight_bits(), IDS, "fog", severities=(0,))
    with pytest.raises(InputError, match="got 31 for 32"):
        corrupted_once(eight_bits(), IDS[1:], "fog")


@pytest.mark.gpu
def test_a_gpu_corrupts_the_same_half():
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device here")
    images = pictures()
    here = half_corrupted("contrast")(images, IDS, 0)
    there = half_corrupted("contrast")(images.cuda(), IDS, 0).cpu()
    torch.testing.assert_close(here, there, atol=1e-5, rtol=0)
