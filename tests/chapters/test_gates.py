"""The block of gates on a page: only those that the run can be held to."""

from robust_book.chapters import gates
from tests.chapters import toys


def test_a_run_of_the_miniature_is_held_to_nothing():
    rows = toys.rows("nae-fig2", "accuracy", {"resnet50": 0.5}, "scenes_val_a")
    told = str(gates.block(rows, "imagenet_a", "imagenet_val_a"))
    assert "No reference check applies to this run: each of the 104" in told


def test_public_weights_on_the_real_data_are():
    right = {"resnet50": 0.0, "resnet34": 140 / 7500, "dpn98": 0.092}
    rows = toys.rows("nae-fig2", "accuracy", right, "imagenet_a", n=7500, n_full=7500)
    wrong = toys.rows("nae-fig2", "accuracy", {"resnet18": 0.5}, "imagenet_a", n=7500, n_full=7500)
    told = str(gates.block(rows + wrong, "imagenet_a"))
    assert told.count(">same<") == 2
    assert told.count("FAILED by") == 2  # two others evaluated these weights
    assert "dpn98" not in told  # normalised otherwise there
    assert "2 same, 1 within, 2 FAILED" in told
