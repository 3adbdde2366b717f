"""Pictures in memory: they are what was given, and the digest knows all of it."""

from dataclasses import replace

import numpy as np

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet
from robust_lib.datasets.in_memory import InMemory
from robust_lib.preprocessing import Preprocessing

PICTURES = np.random.default_rng(0).integers(0, 256, (3, 4, 4, 3), dtype=np.uint8)
SET = InMemory("three", ("a", "b", "c"), np.array([0, 1, 2]), PICTURES, load_classes("icons50"))


def test_it_is_an_image_set_of_what_was_given():
    assert isinstance(SET, ImageSet)
    assert (len(SET), SET.classes, SET.class_names[1]) == (3, "icons50", "Arrow Directions")
    assert np.array_equal(SET.read(1, Preprocessing(None, None)), PICTURES[1])


def test_the_digest_changes_with_everything_but_the_name():
    changes = {
        "ids": ("a", "b", "d"),
        "labels": np.array([0, 1, 1]),
        "pictures": PICTURES ^ 1,
        "class_list": load_classes("imagenet_a"),
    }
    digests = {replace(SET, **{key: value}).digest for key, value in changes.items()}
    assert len(digests | {SET.digest}) == 5
    assert replace(SET, name="four").digest == SET.digest
