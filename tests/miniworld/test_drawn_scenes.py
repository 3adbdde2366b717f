"""Scenes of one drawing hang together, through every set that is made of them."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.datasets.derived import Subset, of_classes, unlabelled
from robust_lib.miniworld.drawn_scenes import DrawnScenes
from robust_lib.miniworld.worlds import load_world
from robust_lib.models.adapter import wrap_callable
from robust_lib.predict.classify import predict
from robust_lib.preprocessing import Preprocessing


@pytest.fixture
def scenes(project):
    return DrawnScenes("toys", load_world("toys"), "test", 12, Store(project / "store"), size=32)


def test_a_choice_of_scenes_knows_what_hangs_together(scenes):
    names, number = scenes.class_names, len(scenes.class_names)
    assert scenes.together[:2] == (f"test/{names[0]}", f"test/{names[1]}")
    assert scenes.together[number] == scenes.together[0]
    assert datasets.together(Subset(scenes, (number, 1))) == scenes.together[:2]
    part = of_classes(scenes, "part", "two", names[:2])
    assert set(part.together) == set(scenes.together[:2])
    assert unlabelled(part, "two", names[:2]).together == part.together


def test_what_a_network_said_of_scenes_knows_it_too(scenes):
    outputs = len(scenes.class_names)
    net = wrap_callable(
        lambda x: np.zeros((len(x), outputs)), "net", scenes.classes, Preprocessing(None, 32)
    )
    said = predict(net, scenes, limit=10)
    places = [scenes.ids.index(item) for item in said.ids]
    assert said.together == tuple(scenes.together[place] for place in places)
    assert (said.sample.name, said.sample.groups) == ("toys", len(set(said.together)))
