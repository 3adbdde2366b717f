"""Recipes: rates by hand, and the committed ones whole."""

import math
import random
from itertools import pairwise, product

import pytest
import torch

from robust_lib import paths
from robust_lib.config import manifests
from robust_lib.config.strict_yaml import read_yaml
from robust_lib.errors import InputError, ManifestError
from robust_lib.training.recipes import Recipe, load_recipe


def rates(steps, **settings):
    recipe = Recipe(**{"epochs": 1, "batch": 1, "rate": 0.4} | settings)
    return [recipe.rate_at(step, steps) for step in range(steps)]


def test_warm_up_rises_in_equal_steps_to_the_rate():
    found = rates(100, warmup=0.1)
    assert found[:10] == pytest.approx([0.4 * (i + 1) / 10 for i in range(10)])
    assert found[10] == pytest.approx(0.4)


def test_cosine_falls_from_the_rate_to_nothing():
    found = rates(100, warmup=0.1)
    expected = [0.2 * (1 + math.cos(math.pi * i / 90)) for i in range(90)]
    assert found[10:] == pytest.approx(expected)
    assert found[55] == pytest.approx(0.2)  # half of it half-way
    assert found[-1] < 0.001
    assert all(before > after for before, after in pairwise(found[10:]))


def test_without_warm_up_the_first_step_has_the_rate():
    assert rates(10, warmup=0.0)[0] == 0.4
    assert rates(10, warmup=0.0, schedule="step")[0] == 0.4


def test_steps_drop_tenfold_at_their_shares_of_all_steps():
    found = rates(100, warmup=0.2, schedule="step", drops=(0.5, 0.75))
    assert found[20:50] == pytest.approx([0.4] * 30)
    assert found[50:75] == pytest.approx([0.04] * 25)
    assert found[75:] == pytest.approx([0.004] * 25)
    assert found[0] == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("name", "nesterov", "fill"),
    [
        ("imagenet_100", False, None),
        ("imagenet_a", False, None),
        ("imagenet_a_tuned", False, None),
        ("icons_sgd_paper", True, "zeros"),
        ("icons_sgd_paper_long", True, "zeros"),
    ],
)
def test_the_papers_recipes_train_as_their_papers_do(name, nesterov, fill):
    """Plain SGD but for ICONS, whose code has Nesterov's and black edges; all parameters decay."""
    recipe = load_recipe(name)
    assert (recipe.optimiser, recipe.nesterov, recipe.decay) == ("sgd", nesterov, "all")
    assert recipe.fill == fill if fill else recipe.padding == 0
    assert recipe.crops == ("resized" if name.startswith("imagenet_a") else "shifted")


def test_the_miniatures_recipes_train_as_they_always_did():
    every = read_yaml(paths.manifests() / "recipes.yaml")
    names = [n for n in every if n.startswith(("scenes", "icons_sgd")) and "paper" not in n]
    assert len(names) > 10
    for recipe in map(load_recipe, names):
        assert (recipe.nesterov, recipe.decay, recipe.fill) == (True, "weights", "reflection")
        assert recipe.crops == "shifted"


@pytest.mark.parametrize("per_epoch", [1, 7, 1015])
def test_nae_schedule_drops_where_its_epochs_begin(per_epoch):
    """Of [nae, sec. 5.1]: five epochs of warm-up, a tenth after 30, 60 and 80 of 90."""
    recipe = load_recipe("imagenet_a_pgd10")
    assert (recipe.epochs, recipe.batch, recipe.momentum) == (90, 256, 0.9)
    assert (recipe.weight_decay, recipe.attack, recipe.epsilon) == (1e-4, "pgd", 8 / 255)
    rates = [recipe.rate_at(step, 90 * per_epoch) for step in range(90 * per_epoch)]
    assert rates[0] == pytest.approx(0.1 / (5 * per_epoch), rel=1e-3)
    for first, last, rate in ((5, 30, 0.1), (30, 60, 0.01), (60, 80, 0.001), (80, 90, 0.0001)):
        assert rates[first * per_epoch : last * per_epoch] == pytest.approx(
            [rate] * (last - first) * per_epoch
        )


def test_networks_of_one_comparison_differ_in_what_is_compared():
    for stem, texture in (("scenes_a", "sin"), ("imagenet_a", "texture")):
        plain = load_recipe(stem)
        for suffix, change in (
            ("noise", {"attack": "uniform_noise"}),
            ("fgsm", {"attack": "fgsm"}),
            ("pgd10", {"attack": "pgd"}),
            (texture, {"augmentation": "texture_only"}),
            (f"{texture}_in", {"augmentation": "texture"}),
        ):
            found = load_recipe(f"{stem}_{suffix}")
            if stem == "scenes_a":  # in the miniature all begin as the plain one
                change = {**change, "epochs": 4, "rate": 0.1}
                row = manifests.load_model(f"resnext50_200_mini_{suffix}")
                assert row.starts_from == "resnext50_200_mini"
            assert found == plain.model_copy(update=change)


def test_no_rate_is_above_the_recipes_or_below_zero():
    """Warm-up over less than a step, or over a broken number of them, must not overshoot."""
    schedules = ("cosine", "step", "plateau")
    for case in product((1, 2, 7, 50), (0.0, 0.03, 0.05, 0.26, 0.5), schedules):
        steps, warmup, schedule = case
        found = rates(steps, warmup=warmup, schedule=schedule)
        assert min(found) >= 0, case
        assert max(found) <= 0.4, case


def test_committed_recipes_are_whole():
    for name in read_yaml(paths.manifests() / "recipes.yaml"):
        recipe = load_recipe(name)
        assert recipe.epochs >= 1, name
        assert sorted(recipe.drops) == list(recipe.drops), name


def test_every_recipe_that_a_model_names_is_there():
    named = {manifests.load_model(name).recipe for name in manifests.model_names()} - {None}
    assert named <= set(read_yaml(paths.manifests() / "recipes.yaml"))


def test_a_recipe_takes_from_another_what_it_lacks(tmp_path, monkeypatch):
    path = tmp_path / "data_manifests" / "recipes.yaml"
    path.parent.mkdir()
    soup = "soup: {epochs: 2, batch: 8, rate: 0.1, padding: 0}\n"
    path.write_text(f"{soup}stew:\n  like: soup\n  epochs: 9\nbroth:\n  like: stew\n")
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    assert load_recipe("stew") == load_recipe("soup").model_copy(update={"epochs": 9})
    with pytest.raises(ManifestError, match=r"recipes.yaml:6: key 'like'"):
        load_recipe("broth")


def test_an_unknown_recipe_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"recipe.*scenes_sgd.*soup\."):
        load_recipe("soup")


@pytest.mark.parametrize(
    ("entry", "line", "words"),
    [
        ("epochs: 0", 3, "greater than 0"),
        ("epoch: 3", 3, "unknown key 'epoch'"),
        ("schedule: linear", 3, "'cosine', 'step' or 'plateau'"),
        ("warmup: 1.0", 3, "less than 1"),
        ("augmentation: fog", 3, "augmentation"),
        ("attack: fgms", 3, "'uniform_noise', 'fgsm' or 'pgd'"),
        ("epsilon: 8", 3, "less than or equal to 1"),
        ("momentum: 0.5", 2, "missing key 'epochs'"),
    ],
)
def test_a_wrong_entry_names_file_line_and_key(tmp_path, monkeypatch, entry, line, words):
    path = tmp_path / "data_manifests" / "recipes.yaml"
    path.parent.mkdir()
    rest = "" if entry.startswith(("epoch", "momentum")) else "  epochs: 2\n"
    path.write_text(f"# Recipes.\nsoup:\n  {entry}\n{rest}  batch: 8\n  rate: 0.1\n")
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    with pytest.raises(ManifestError) as caught:
        load_recipe("soup")
    assert f"{path}:{line}: " in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("patience", range(4))
def test_the_plateau_schedule_is_torchs(patience):
    recipe = Recipe(epochs=1, batch=1, rate=1.0, warmup=0.0, schedule="plateau", patience=patience)
    for seed in range(20):
        optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
        theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimiser, factor=0.1, patience=patience
        )
        losses = random.Random(seed).choices([1.0, 0.99999, 0.9, 0.8, 1.2], k=20)
        for epoch, loss in enumerate(losses, 1):
            theirs.step(loss)
            rate = optimiser.param_groups[0]["lr"]
            if rate > 1e-7:  # below, torch lets it be
                assert recipe.rate_at(0, 1, losses[:epoch]) == pytest.approx(rate), (seed, epoch)


def test_networks_trained_longer_differ_in_their_corruption_alone():
    plain = load_recipe("scenes_longer")
    six = {
        name: load_recipe(name)
        for name in read_yaml(paths.manifests() / "recipes.yaml")
        if name.startswith("scenes_longer_")
    }
    assert len(six) == 6  # the kinds that [vid, sec. 4.1] names
    for name, recipe in six.items():
        corruption = name.removeprefix("scenes_longer_")
        assert recipe == plain.model_copy(update={"corruption": corruption})
