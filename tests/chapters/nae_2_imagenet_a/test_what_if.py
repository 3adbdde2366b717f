"""The mask that a reader takes away: which networks have one."""

from dataclasses import replace

import numpy as np

from robust_book.chapters.nae_2_imagenet_a.what_if import mask
from tests.chapters.toys import texts
from tests.protocols.nae.toys import masked


def both(right):
    return masked("hard", right), masked("ordinary", dict.fromkeys(right, 24))


def test_it_begins_with_the_mask_on():
    hard, ordinary = both({"small": 3, "large": 9})
    assert texts(mask(hard, ordinary), "td") == ["10.0", "80.0", "70.0", "30.0", "80.0", "50.0"]


def test_seeds_are_averaged():
    hard, ordinary = (masked(name, {"small": 3}, seeds=2) for name in ("hard", "ordinary"))
    assert texts(mask(hard, ordinary), "td")[0] == "11.7"  # 3 and 4 of 30


def test_networks_without_other_classes_are_left_out():
    hard, ordinary = both({"small": 3, "large": 9})
    narrow = replace(hard, unmasked={"large": (0.1,)})
    assert texts(mask(narrow, ordinary), "th")[-1:] == ["large"]
    assert "no mask to take away" in str(mask(replace(hard, unmasked={}), ordinary))


def test_rivals_of_pictures_that_are_wrong_anyhow_do_not_count():
    hard, ordinary = both({"small": 3})
    rivals = {"small": (np.where(np.arange(30) < 2, 1, 0),)}
    stored = str(mask(replace(hard, rivals=rivals), ordinary))
    assert '"until":[[[0,1],[1,2]]]' in stored
