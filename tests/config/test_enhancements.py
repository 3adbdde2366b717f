"""What a row says of its enhancements: known wrappers, possible strengths and weights."""

import pytest
from pydantic import ValidationError

from robust_lib.config.enhancements import Stability, Wrapper
from robust_lib.config.manifests import load_model, model_names
from robust_lib.models.enhance import CHANGES
from robust_lib.models.wrappers import WRAPPERS

MODELS = [load_model(name) for name in model_names()]


def test_every_wrapper_that_a_row_may_name_is_there():
    assert WRAPPERS.keys() == set(Wrapper.model_fields["name"].annotation.__args__)
    assert CHANGES.keys() < WRAPPERS.keys()


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise": 0, "weight": 0.1},
        {"noise": 1.5, "weight": 0.1},
        {"noise": 0.1, "weight": -0.1},
        {"noise": 0.1},
        {"noise": 0.1, "weight": 0.1, "epochs": 5},
    ],
)
def test_impossible_strengths_and_weights_are_refused(wrong):
    with pytest.raises(ValidationError):
        Stability.model_validate(wrong)


def test_a_wrapper_that_there_is_not_is_refused():
    with pytest.raises(ValidationError, match="ten_crop"):
        Wrapper.model_validate({"name": "sharpen"})


@pytest.mark.parametrize("family", ["resnet18_mini", "resnet50"])
def test_the_nine_networks_have_the_papers_noises_and_weights(family):
    found = [
        (one.stability.noise, one.stability.weight)
        for one in MODELS
        if one.stability is not None and one.name.startswith(f"{family}_stability")
    ]
    values = (0.01, 0.05, 0.1)
    assert sorted(found) == [(noise, weight) for noise in values for weight in values]


def test_a_network_that_is_tuned_to_a_wrapper_trains_and_one_that_is_not_keeps_its_weights():
    for one in MODELS:
        if one.wrapper is not None:
            assert one.starts_from or one.weights, one.name
            assert one.recipe is None or one.wrapper.name in CHANGES, one.name
