"""Stability training: its loss by hand, its noise, and what it leaves alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from robust_lib.config.enhancements import Stability
from robust_lib.errors import InputError
from robust_lib.training.loop import train
from robust_lib.training.stability import Stable, divergence, learner, pairs
from tests.lessons import bits, network, recipe, swatches


@pytest.fixture
def images():
    return torch.rand(4, 3, 8, 8, generator=torch.Generator().manual_seed(0))


def taught(stability, seed=0, **settings):
    """Return a network that was trained with stability, and its curves."""
    module = network()
    curves = train(
        learner(module, stability),
        swatches(),
        recipe(**settings),
        seed=seed,
        attack=None if stability is None else pairs(stability.noise, seed=seed),
        progress=False,
    )
    return module, curves


def parameters(module):
    return torch.cat([one.detach().flatten() for one in module.parameters()])


def test_the_divergence_is_the_cross_entropy_of_the_definition():
    clean, noisy = (torch.randn(5, 3, generator=torch.Generator().manual_seed(s)) for s in (0, 1))
    total = 0.0
    for one, other in zip(clean.tolist(), noisy.tolist(), strict=True):
        p, q = (np.exp(values) / np.exp(values).sum() for values in (one, other))
        total -= sum(p[k] * np.log(q[k]) for k in range(3))
    assert divergence(clean, noisy).item() == pytest.approx(total / 5, rel=1e-5)


def test_noise_is_even_bounded_and_keyed_by_id_and_epoch(images):
    ids, labels = ("a", "b", "c", "d"), torch.zeros(4, dtype=torch.int64)
    both = pairs(0.1)(images, labels, ids, 0)
    moved = both[4:] - images
    assert torch.equal(both[:4], images)
    assert both.min() >= 0
    assert both.max() <= 1
    assert 0.09 < moved.abs().max() <= 0.1 + 1e-6
    assert torch.equal(pairs(0.1)(images, labels, ids, 0), both)
    assert torch.equal(pairs(0.1)(images[1:], labels[1:], ids[1:], 0)[3:], both[5:])
    for other in (pairs(0.1)(images, labels, ids, 1), pairs(0.1, seed=1)(images, labels, ids, 0)):
        assert not torch.equal(other, both)


def test_answers_carry_the_gradient_of_the_whole_loss(images):
    module = nn.Sequential(nn.Flatten(), nn.Linear(192, 3))
    labels = torch.tensor([0, 1, 2, 0])
    noisy = pairs(0.1)(images, labels, ("a", "b", "c", "d"), 0)[4:]
    clean_loss = nn.functional.cross_entropy(module(images), labels)
    whole = clean_loss + 0.5 * divergence(module(images), module(noisy))
    expected = torch.autograd.grad(whole, list(module.parameters()))
    loss = nn.functional.cross_entropy(Stable(module, 0.5)(torch.cat([images, noisy])), labels)
    found = torch.autograd.grad(loss, list(module.parameters()))
    assert loss.item() == pytest.approx(clean_loss.item())
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_in_evaluation_it_is_the_network_itself(images):
    module = network().eval()
    assert torch.equal(Stable(module, 0.5).eval()(images), module(images))
    assert learner(module, None) is module


def test_without_weight_the_parameters_are_those_of_plain_training():
    plain, curves = taught(None)
    weightless, same = taught(Stability(noise=0.1, weight=0.0))
    torch.testing.assert_close(parameters(weightless), parameters(plain))
    assert same.loss == pytest.approx(curves.loss)
    heavy, _ = taught(Stability(noise=0.1, weight=1.0))
    assert not torch.allclose(parameters(heavy), parameters(plain))


def test_it_makes_answers_to_noisy_pictures_more_alike():
    plain, _ = taught(None, epochs=6)
    stable, _ = taught(Stability(noise=0.3, weight=3.0), epochs=6)
    data = swatches(90)
    shown = torch.from_numpy(data.pictures).permute(0, 3, 1, 2).float() / 255
    both = pairs(0.3, seed=7)(shown, torch.from_numpy(data.labels), data.ids, 0)
    apart = []
    for module in (plain, stable):
        with torch.no_grad():
            clean, noisy = module.eval()((both - 0.4) / 0.2).softmax(1).chunk(2)
        apart.append((clean - noisy).abs().sum(1).mean().item())
    assert apart[1] < apart[0]


def test_the_same_seed_gives_the_same_weights_to_the_bit():
    stability = Stability(noise=0.1, weight=0.1)
    assert bits(taught(stability)[0]) == bits(taught(stability)[0])
    assert bits(taught(stability)[0]) != bits(taught(stability, seed=1)[0])


def test_a_run_that_stopped_ends_with_the_same_weights(tmp_path):
    stability = Stability(noise=0.1, weight=0.1)
    whole, _ = taught(stability)

    def stopping(images, labels, ids, epoch):
        if epoch == 2:
            raise KeyboardInterrupt
        return pairs(0.1)(images, labels, ids, epoch)

    file = tmp_path / "checkpoint.pt"
    settings = {"seed": 0, "checkpoint": file, "progress": False}
    with pytest.raises(KeyboardInterrupt):
        train(learner(network(), stability), swatches(), recipe(), attack=stopping, **settings)
    assert file.exists()
    module = network()
    train(learner(module, stability), swatches(), recipe(), attack=pairs(0.1), **settings)
    assert bits(module) == bits(whole)


def test_images_without_counterparts_and_networks_with_several_exits_are_refused(images):
    with pytest.raises(InputError, match=r"noisy counterpart.*3 images"):
        Stable(network(), 0.1)(images[:3])
    several = nn.Sequential(network(), nn.Unflatten(0, (1, -1)))
    with pytest.raises(InputError, match="a network with one exit"):
        Stable(several, 0.1)(images)


def test_a_noise_that_is_no_fraction_is_refused(images):
    data = replace(swatches(), ids=tuple(map(str, range(48))))
    with pytest.raises(InputError, match=r"strengths.*attack between 0.*1"):
        pairs(1.5)(images, torch.from_numpy(data.labels[:4]), data.ids[:4], 0)
