"""What training costs: steps times the seconds of one, where somebody measured them."""

import pytest

from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.training.cost import training_seconds
from robust_lib.training.recipes import load_recipe


def test_seconds_are_those_of_a_step_times_the_steps():
    row = load_model("resnet18_small")
    recipe = load_recipe(row.recipe)
    assert (recipe.epochs, recipe.batch) == (10, 64)
    # The last batch of an epoch is a step, too, however small it is.
    assert training_seconds("resnet18_small", 65) == pytest.approx(row.step_seconds * 10 * 2)
    assert training_seconds("resnet18_small", 64) == pytest.approx(row.step_seconds * 10)
    assert training_seconds("resnet18_small", 640, epochs=1) == pytest.approx(row.step_seconds * 10)


def test_what_nobody_measured_is_not_guessed():
    assert load_model("shake_shake").step_seconds is None
    assert training_seconds("shake_shake", 1000) is None


@pytest.mark.parametrize("name", ["mini", "smoke"])
def test_every_network_that_a_laptop_trains_was_measured(name):
    for networks in load_profile(name).networks.values():
        for row in map(load_model, networks.values()):
            # What sees another network's weights through a wrapper is never trained.
            assert row.step_seconds is not None or row.recipe is None, row.name
            assert row.predict_seconds is not None, row.name


def test_ten_attacks_a_step_cost_more_than_one_and_one_more_than_none():
    costs = [load_model(f"resnext50_200_mini{end}").step_seconds for end in ("", "_fgsm", "_pgd10")]
    assert costs[0] < costs[1] < costs[2]


@pytest.mark.parametrize(
    ("name", "images", "epochs", "message"),
    [
        ("resnet18", 10, None, "Expected a model with a recipe, but resnet18 has none"),
        ("resnet18_mini", 0, None, "at least one image to train resnet18_mini on, but got 0"),
        ("resnet18_mini", 10, 0, "at least one epoch, but got 0"),
        ("resnet81", 10, None, "but got resnet81"),
    ],
)
def test_what_cannot_be_trained_has_no_cost(name, images, epochs, message):
    with pytest.raises(InputError, match=message):
        training_seconds(name, images, epochs)
