"""Attacks: inside their ball, harder the more they do, and no trace of them in the network."""

import math

import numpy as np
import pytest
import torch

from robust_lib.errors import InputError
from robust_lib.training import adversarial
from robust_lib.training.adversarial import against, fgsm, pgd, strengths, uniform_noise
from robust_lib.training.loop import train
from robust_lib.training.recipes import Recipe
from tests.lessons import bits, network, recipe, swatches
from tests.reference.adversarial import attacked, pgd_step

MEAN, STD = (0.4,) * 3, (0.2,) * 3
ROUNDING = 1e-6


@pytest.fixture(scope="module")
def learnt():
    module = network(dropout=0.3)
    train(module, swatches(90), recipe(epochs=8), seed=0, progress=False)
    return module


@pytest.fixture(scope="module")
def shown():
    data = swatches(40)
    images = torch.from_numpy(data.pictures).permute(0, 3, 1, 2).float() / 255
    return images, torch.from_numpy(data.labels), data.ids


def logits_of(module):
    return lambda images: module((images - 0.4) / 0.2)


def attack(module, name, shown, epoch=0, **settings):
    return against(module, name, mean=MEAN, std=STD, **settings)(*shown, epoch)


@pytest.mark.parametrize("name", adversarial.ATTACKS)
def test_an_attack_stays_in_the_ball_of_each_image_and_in_range(learnt, shown, name):
    images, _, ids = shown
    spread = images * 2 - 0.5  # some values lie at the ends of the range
    spread = spread.clamp(0, 1)
    made = attack(learnt, name, (spread, shown[1], ids), epsilon=0.1)
    eps = strengths(ids, 0, epsilon=0.1)
    moved = (made - spread).abs().flatten(1).amax(1)
    assert (moved <= eps + ROUNDING).all()
    assert (moved > 0.5 * eps).all()
    assert made.min() >= 0
    assert made.max() <= 1
    assert (made.shape, made.dtype, made.requires_grad) == (images.shape, torch.float32, False)


def test_the_more_an_attack_does_the_larger_the_loss(learnt, shown):
    images, labels, _ = shown

    def loss(seen):
        with torch.no_grad():
            return float(torch.nn.functional.cross_entropy(logits_of(learnt)(seen), labels))

    learnt.eval()
    clean, noisy, one, ten = (
        loss(images),
        *(
            loss(attack(learnt, name, shown, epsilon=0.3))
            for name in ("uniform_noise", "fgsm", "pgd")
        ),
    )
    assert one > noisy + 0.1
    assert ten >= one - ROUNDING
    assert one > clean


@pytest.mark.parametrize(("attack", "steps"), [(fgsm, 1), (pgd, 10)])
def test_the_gradient_attacks_are_those_of_a_slow_loop(learnt, shown, attack, steps):
    images, labels, ids = (part[:6] for part in shown)
    eps = strengths(ids, 0, epsilon=0.2)
    step = eps if steps == 1 else pgd_step(eps)
    with adversarial.evaluating(learnt):
        expected = attacked(logits_of(learnt), images, labels, eps, step=step, steps=steps)
        made = attack(logits_of(learnt), images, labels, eps).numpy()
    learnt.zero_grad()  # the slow loop leaves some
    # Where a slope is zero but for rounding, its sign is a matter of luck.
    assert (np.abs(made - expected) < 1e-5).mean() > 0.99


def test_a_step_by_hand():
    """Logits are the means of the channels: the loss grows when the right one falls."""
    images = torch.full((2, 3, 2, 2), 0.5)
    images[1] = 0.95
    made = fgsm(
        lambda seen: seen.mean((2, 3)), images, torch.tensor([0, 2]), torch.tensor([0.1, 0.1])
    )
    assert made[0, :, 0, 0].tolist() == pytest.approx([0.4, 0.6, 0.6])
    assert made[1, :, 0, 0].tolist() == pytest.approx([1.0, 1.0, 0.85])


def test_ten_steps_reach_the_edge_of_the_ball_of_a_straight_slope():
    images = torch.full((1, 3, 2, 2), 0.5)
    linear = (lambda seen: seen.mean((2, 3)), images, torch.tensor([1]), torch.tensor([0.1]))
    assert pgd(*linear, steps=1)[0, :, 0, 0].tolist() == pytest.approx([0.6, 0.4, 0.6])
    assert pgd(*linear)[0, :, 0, 0].tolist() == pytest.approx([0.6, 0.4, 0.6])
    # Two steps of eps / sqrt(2) would be 1.4 eps; three of ten are 0.95 eps.
    assert 3 / math.sqrt(10) < 1 < 4 / math.sqrt(10)


@pytest.mark.parametrize("name", adversarial.ATTACKS)
@pytest.mark.parametrize("training", [True, False])
def test_the_network_is_left_as_it_was(shown, name, training):
    module = network(dropout=0.5).train(training)
    module[1].eval()  # a part may be frozen
    module[0].weight.requires_grad_(False)
    module[6].bias.grad = torch.ones(3)
    before, modes = bits(module), [part.training for part in module.modules()]
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    attack(module, name, shown)
    assert torch.equal(torch.rand(3), expected)  # no dropout was drawn
    assert bits(module) == before  # running means included
    assert [part.training for part in module.modules()] == modes
    grads = {key: value.grad for key, value in module.named_parameters() if value.grad is not None}
    assert set(grads) == {"6.bias"}
    assert torch.equal(grads["6.bias"], torch.ones(3))
    assert not module[0].weight.requires_grad
    assert module[6].weight.requires_grad


def test_modes_are_restored_after_an_error(shown):
    module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(5, 3)).train()
    with pytest.raises(RuntimeError):
        attack(module, "fgsm", shown)
    assert module.training


@pytest.mark.parametrize("name", adversarial.ATTACKS)
def test_draws_are_keyed_by_ids_epoch_and_seed_alone(learnt, shown, name):
    one = attack(learnt, name, shown, epoch=3)
    torch.manual_seed(1234)
    torch.rand(7)
    assert torch.equal(attack(learnt, name, shown, epoch=3), one)
    assert not torch.equal(attack(learnt, name, shown, epoch=4), one)
    assert not torch.equal(attack(learnt, name, shown, epoch=3, seed=1), one)
    order = list(range(39, -1, -1))
    turned = tuple(shown[2][place] for place in order)
    made = attack(learnt, name, (shown[0][order], shown[1][order], turned), epoch=3)
    assert torch.allclose(made, one[order], atol=ROUNDING)


def test_strengths_are_spread_evenly_and_shared_by_all_attacks():
    ids = tuple(f"image{number}" for number in range(4000))
    drawn = strengths(ids, 0, epsilon=0.5)
    assert drawn.min() >= 0
    assert drawn.max() < 0.5
    # The mean of 4,000 even draws from [0, 0.5) has a standard deviation of 0.0023.
    assert drawn.mean() == pytest.approx(0.25, abs=0.01)
    assert drawn.std() == pytest.approx(0.5 / math.sqrt(12), abs=0.01)
    assert strengths(ids[:2], 0).max() < 8 / 255


def test_noise_fills_its_ball_evenly():
    ids = tuple("abcdef")
    eps = torch.linspace(0, 0.5, 6)
    noise = uniform_noise(torch.full((6, 3, 40, 40), 0.5), eps, ids, 0) - 0.5
    for one, most in zip(noise, eps.tolist(), strict=True):
        assert float(one.abs().max()) == pytest.approx(most, abs=0.001)
        assert float(one.std()) == pytest.approx(most / math.sqrt(3), abs=0.01)
        assert abs(float(one.mean())) < 0.02
    correlation = np.corrcoef(noise[4].flatten(), noise[5].flatten())[0, 1]
    assert abs(correlation) < 0.06


@pytest.mark.parametrize("name", adversarial.ATTACKS)
def test_no_strength_changes_nothing(learnt, shown, name):
    assert torch.equal(attack(learnt, name, shown, epsilon=0.0), shown[0])


def test_the_last_of_several_exits_is_attacked():
    images = torch.full((1, 3, 2, 2), 0.5)

    def exits(seen):
        means = seen.mean((2, 3))
        return torch.stack([means.flip(1), means])

    made = fgsm(exits, images, torch.tensor([0]), torch.tensor([0.1]))
    assert made[0, :, 0, 0].tolist() == pytest.approx([0.4, 0.6, 0.6])


def test_an_attack_works_where_gradients_are_switched_off(learnt, shown):
    expected = attack(learnt, "fgsm", shown)
    with torch.no_grad():
        assert torch.equal(attack(learnt, "fgsm", shown), expected)


@pytest.mark.parametrize("epsilon", [-0.01, 1.5, math.nan])
@pytest.mark.parametrize("name", adversarial.ATTACKS)
def test_strengths_that_there_are_not_are_refused_before_training(learnt, shown, name, epsilon):
    with pytest.raises(InputError, match=r"between 0.*1.*largest.*8/255"):
        against(learnt, name, mean=MEAN, std=STD, epsilon=epsilon)
    with pytest.raises(InputError, match="between 0 and 1"):
        strengths(shown[2], 0, epsilon=epsilon)
    eps = torch.full((40,), epsilon)
    own = {
        "uniform_noise": lambda: uniform_noise(shown[0], eps, shown[2], 0),
        "fgsm": lambda: fgsm(logits_of(learnt), *shown[:2], eps),
        "pgd": lambda: pgd(logits_of(learnt), *shown[:2], eps),
    }
    with pytest.raises(InputError, match="between 0 and 1"):
        own[name]()


def test_other_names_and_no_steps_are_refused(learnt, shown):
    with pytest.raises(InputError, match=r"attack.*uniform_noise, fgsm"):
        against(learnt, "x", mean=MEAN, std=STD)
    with pytest.raises(InputError, match=r"step.*attack.*0"):
        pgd(logits_of(learnt), *shown[:2], torch.zeros(40), steps=0)


def test_a_recipe_knows_every_attack_and_the_papers_strength():
    plain = Recipe(epochs=1, batch=1, rate=0.1)
    assert (plain.attack, plain.epsilon) == ("none", adversarial.EPSILON)
    for name in adversarial.ATTACKS:
        assert Recipe(epochs=1, batch=1, rate=0.1, attack=name).attack == name


# In the loop.


def run(name, checkpoint=None, module=None, epochs=3, stop=None):
    module = network(dropout=0.3) if module is None else module
    attack = against(module, name, mean=MEAN, std=STD, epsilon=0.1)

    def watched(images, ids, epoch):
        if epoch == stop:
            raise KeyboardInterrupt
        return images

    train(
        module,
        swatches(),
        recipe(epochs=epochs),
        seed=0,
        checkpoint=checkpoint,
        augment=watched,
        attack=attack,
        progress=False,
    )
    return bits(module)


@pytest.mark.parametrize("name", ["fgsm", "pgd"])
def test_a_run_that_stopped_ends_with_the_same_weights(tmp_path, name):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # sums over threads come in no fixed order
    try:
        whole = run(name)
        with pytest.raises(KeyboardInterrupt):
            run(name, tmp_path / "it.pt", stop=2)
        assert run(name, tmp_path / "it.pt", module=network(seed=9, dropout=0.3)) == whole
    finally:
        torch.set_num_threads(threads)


def test_the_loop_attacks_what_is_augmented_already():
    seen = []

    def augment(images, ids, epoch):
        return images * 0 + 0.25

    def attack(images, labels, ids, epoch):
        assert (images == 0.25).all()
        assert len(images) == len(labels) == len(ids)
        seen.append((epoch, ids, labels))
        return images

    data = swatches(20)
    train(network(), data, recipe(epochs=2), seed=0, augment=augment, attack=attack, progress=False)
    assert [epoch for epoch, _, _ in seen] == [0, 0, 0, 1, 1, 1]
    truth = dict(zip(data.ids, data.labels.tolist(), strict=True))
    for _, ids, labels in seen:
        assert [truth[item] for item in ids] == labels.tolist()


def test_a_network_that_trained_against_an_attack_withstands_it_better(shown):
    """On pictures whose faint cue is easily attacked, and whose plain one is not."""

    def right(module):
        made = attack(module, "fgsm", shown, epsilon=0.25)
        with torch.no_grad():
            answers = module.eval()((made - 0.4) / 0.2).argmax(1)
        return float((answers == shown[1]).float().mean())

    plain, hardened = network(), network()
    data, settings = swatches(90), recipe(epochs=12)
    train(plain, data, settings, seed=0, progress=False)
    train(
        hardened,
        data,
        settings,
        seed=0,
        attack=against(hardened, "fgsm", mean=MEAN, std=STD, epsilon=0.25),
        progress=False,
    )
    assert right(hardened) > right(plain)
