"""Which outputs of a network are some classes: the very ones, a part of them, or none."""

import numpy as np
import pytest
import torch

from robust_lib.config.class_lists import load_classes
from robust_lib.miniworld.worlds import load_world
from robust_lib.models import class_subset
from robust_lib.models.adapter import wrap_callable
from robust_lib.preprocessing import Preprocessing


def test_a_narrowed_model_has_the_lists_outputs_in_its_order():
    model = wrap_callable(
        lambda x: np.tile(np.arange(1000.0), (len(x), 1)), "count", "imagenet_1k",
        Preprocessing(None, 8),
    )  # fmt: skip
    hard, whole = load_classes("imagenet_a"), load_classes("imagenet_1k")
    told = class_subset.narrowed(model, "imagenet_a", hard.names)(torch.zeros(1, 3, 8, 8))
    assert told[0].tolist() == [float(only) for (only,) in hard.imagenet]
    assert class_subset.narrowed(model, "imagenet_1k", whole.names) is model


@pytest.mark.parametrize(
    ("space", "count", "classes", "names", "chosen"),
    [
        ("mine", 3, "theirs", "abc", (0, 1, 2)),
        ("mine", 4, "theirs", "abc", None),
        ("same", 4, "same", "abc", None),
        ("imagenet_o", 200, "imagenet_a", load_classes("imagenet_a").names, None),
        ("my_200", 200, "imagenet_a", load_classes("imagenet_a").names, tuple(range(200))),
        ("imagenet_1k", 10, "imagenet_a", load_classes("imagenet_a").names, None),
        ("imagenet_1k", 1000, "imagenet_vid", load_classes("imagenet_vid").names, None),
        ("scenes_a", 24, "scenes_o", load_world("scenes").subsets["o"], None),
        ("scenes", 64, "other", ["no such thing"], None),
    ],
    ids=str,
)
def test_which_outputs_are_some_classes(space, count, classes, names, chosen):
    assert class_subset.chosen(space, count, classes, names) == chosen


def test_the_outputs_of_a_world_are_chosen_by_name():
    world = load_world("scenes")
    names = world.subsets["a"]
    chosen = class_subset.chosen("scenes", len(world.inside), "scenes_a", names)
    assert [list(world.inside)[place] for place in chosen] == list(names)
