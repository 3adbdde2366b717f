"""The chapter on auxiliary experiments: what it asks of networks, and what is committed."""

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.engine.needs import needs
from robust_lib.config.profiles import load_profile
from robust_lib.protocols import cifar_100_subtypes, imagenet_22k_subtypes
from tests.chapters import toys


def test_every_network_is_trained_on_the_training_pictures_without_its_subtypes():
    found = needs(chapter.CHAPTER, load_profile("mini"))
    hold_outs = {network.hold_out for network in found.trained}
    assert {f"some_a_class:{number}" for number in (1, 2, 3, 4)} <= hold_outs
    assert "broad_icons" in found.datasets


def test_errors_by_setting_and_accuracies_by_side_are_committed():
    held_out = toys.subtypes(seen_wrong=1, unseen_wrong=3)
    rows = cifar_100_subtypes.results(*held_out, "toys", samples=20)
    rows += imagenet_22k_subtypes.results(toys.subtype_answers({"mine": (9, 6)}))
    frame = chapter.COMMITTED["subtypes"](rows)
    counts = frame["Metric"].value_counts().to_dict()
    assert counts == {"error": 6, "accuracy": 3, "drop": 1}
    assert frame["Held out"].tolist() == ["1", "1", "2", "2", "mean", "mean", "", "", "", ""]
    assert frame["Value"].round(1).tolist()[-4:] == [75, 50, 75, 25]
    assert list(frame)[:2] == ["Network", "Images"]
    assert list(frame)[-2:] == ["Low", "High"]
