"""What a composed world planted, and that photographs plant nothing."""

from robust_book.chapters.nao_2_map.planted import planted_pairs
from robust_lib.cache import Store
from robust_lib.datasets.layouts import Layouts
from robust_lib.datasets.subset import Subset
from robust_lib.miniworld.layouts import Mixture
from robust_lib.miniworld.worlds import load_world
from tests.layouts import Shapes


def test_a_composed_world_says_what_it_planted(tmp_path):
    world = load_world("layouts")
    mixture = Mixture({"studio": 1.0}, foreign=0.5)
    made = Layouts("pool", world, "any", mixture, 3, Store(tmp_path))
    assert ("shark", "airplane") in planted_pairs(made)
    assert planted_pairs(Subset(made, (0, 2))) == world.pairs


def test_photographs_plant_nothing():
    assert planted_pairs(Shapes()) == ()
