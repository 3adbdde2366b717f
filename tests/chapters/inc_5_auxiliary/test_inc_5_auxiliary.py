"""The chapter on auxiliary experiments: what it asks networks."""

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.engine.needs import needs
from robust_lib.config.profiles import load_profile


def test_every_network_is_trained_on_the_training_pictures_without_its_subtypes():
    found = needs(chapter.CHAPTER, load_profile("mini"))
    hold_outs = {network.hold_out for network in found.trained}
    assert {f"some_a_class:{number}" for number in (1, 2, 3, 4)} <= hold_outs
    assert "broad_icons" in found.datasets
