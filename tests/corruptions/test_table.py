"""The table of corruptions: one for each name, a step that draws and a step that applies."""

import pytest
import torch

from robust_lib.corruptions import corrupt
from robust_lib.corruptions.draws import Stream
from robust_lib.corruptions.table import CORRUPTIONS
from robust_lib.vocabulary import NAMES


def test_the_table_has_the_names_of_the_vocabulary_in_their_order():
    assert tuple(CORRUPTIONS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_to_corrupt_is_to_draw_by_seed_key_name_and_severity_and_to_apply(name, noise):
    stream = Stream(((7, "a", name, 2),), torch.device("cpu"))
    image = noise[:1]
    step = CORRUPTIONS[name]
    drawn = step.draw(stream, image, 2)
    assert bool(drawn) == step.random
    by_hand = step.apply(image, 2, *drawn)
    assert torch.equal(by_hand, corrupt(image, name, 2, keys=["a"], seed=7))


def test_nobody_can_change_it():
    with pytest.raises(TypeError, match="does not support item assignment"):
        CORRUPTIONS["fog"] = CORRUPTIONS["frost"]
