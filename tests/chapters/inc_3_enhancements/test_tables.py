"""The tables: numbers with their intervals, and paired differences in points."""

import pytest

from robust_book.chapters.inc_3_enhancements import tables
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.results.estimate import Estimate
from robust_lib.results.table import Results


def of(item, run, grid):
    return enhancements.members(item, run.paper_names, grid.models)


def test_stability_training_has_a_row_a_network_those_without_it_first(run, known):
    rows, grid, _ = known
    members = of(enhancements.STABILITY, run, grid)
    frame = tables.stability_frame(rows, members, "resnet18_mini")
    assert frame["Network"].tolist()[:2] == ["ResNet-18-like", "ResNet-18-like, tuned"]
    assert frame["Network"].tolist()[2:4] == ["Noise 0.01, weight 0.01", "Noise 0.01, weight 0.05"]
    assert frame["± mCE"].tolist()[0] is None
    mce = [tables.value_of(rows, enhancements.STABILITY, ours) for ours in members.values()]
    assert [cell.value for cell in frame["± mCE"][1:]] == pytest.approx(
        [value - mce[0] for value in mce[1:]]
    )


def test_the_map_has_noises_across_and_weights_down(run, known):
    rows, grid, _ = known
    frame, beside = tables.stability_map(rows, of(enhancements.STABILITY, run, grid))
    assert list(frame.index) == list(frame.columns) == ["0.01", "0.05", "0.1"]
    model = "resnet18_mini_stability_3_1"
    row = rows.row(item=enhancements.STABILITY, model=model, metric="mce")
    assert frame.loc["0.01", "0.1"] == pytest.approx(100 * row.value)
    assert list(beside) == ["ResNet-18-like", "ResNet-18-like, tuned"]
    assert tables.map_words(*tables.stability_map(Results(), {})) == "none in this run"


def test_changes_are_differences_of_the_numbers_beside_them(run, known):
    rows, grid, _ = known
    item = "inc-claim-clahe"
    frame = tables.changes_frame(rows, item, of(item, run, grid), "resnet18_mini")
    for name in ("error", "mCE"):
        head = "Clean error" if name == "error" else name
        below = [cell.value for cell in frame[head]]
        found = [cell.value for cell in frame[f"± {name if name == 'mCE' else 'clean error'}"][1:]]
        assert found == pytest.approx([value - below[0] for value in below[1:]])
    assert frame["Lower CEs"].tolist()[0] is None
    assert frame["Lower CEs"][1].split()[0] == "0"
    assert "Lower CEs" not in tables.changes_frame(rows, "inc-fig4", {"a": "resnet34_mini"}, None)


def test_small_networks_stand_with_those_of_their_accuracy(run, known):
    rows, grid, _ = known
    frame = tables.size_frame(rows, "inc-claim-small", of("inc-claim-small", run, grid))
    assert frame["Network"].tolist() == [
        "CondenseNet (4)-like", "CondenseNet (8)-like", "DenseNet-121-like", "VGG-19+BN-like",
        "VGG-19-like",
    ]  # fmt: skip


def test_a_difference_without_an_interval_has_itself_for_ends():
    one = Estimate(value=0.1, low=0.05, high=0.2, n=8, n_full=8)
    assert tables.points(one) == pytest.approx((10, 5, 20))
    assert tables.points(Estimate(value=0.1, n=8, n_full=8)) == pytest.approx((10, 10, 10))


def test_what_stability_training_adds_stands_in_a_networks_row():
    assert tables.stability_of("resnet18_mini_stability_3_1~2").noise == 0.1
    assert tables.stability_of("resnet18_mini") is None
    assert tables.stability_of("my_net.py:build") is None
