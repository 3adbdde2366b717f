"""Both chapters on overlaps count alike, and know which network belongs to which architecture."""

from dataclasses import replace

import pytest

from robust_book.chapters.overlap import by_architecture, by_network, counted, counts, scored
from robust_lib.errors import InputError
from robust_lib.protocols.overlap.accuracies import from_grid
from robust_lib.results.compare import compare
from robust_lib.vocabulary import COMMON, OCCLUSION
from tests.protocols.overlap import toys


@pytest.mark.parametrize("corruptions", [COMMON, COMMON + OCCLUSION])
def test_networks_are_counted(corruptions):
    one, few = toys.table(names=corruptions), toys.table(names=COMMON[:4])
    found = counts({"resnet18": one})
    assert found.row(metric="models").value == 16
    assert found.row(metric="models").dataset == "toys"
    assert found.row(metric="corruption_types", corruption=None).value == 15
    assert counts({"resnet18": few, "densenet121": few}).row(metric="models").value == 10
    (verdict,) = [
        v for v in compare(found, "overlap-claim-balance") if v.metric == "corruption_types"
    ]
    assert (verdict.verdict, verdict.ours) == ("as printed", 8)


def test_a_run_with_some_of_the_corruptions_does_not_differ_from_the_paper():
    found = counts({"resnet18": toys.table(names=COMMON[:4])})
    (verdict,) = [v for v in compare(found, "overlap-fig2") if v.metric == "corruption_types"]
    assert verdict.verdict == "not comparable"
    assert verdict.arithmetic.endswith("a subset, 4 of 15")


def of_architectures(*names, called=None):
    """A grid whose networks have the names of architectures, and some corruptions other names."""
    called = dict(zip(toys.FEW, toys.FEW, strict=True)) | (called or {})
    grid, new = toys.grid(), {"net": ""} | {f"net_{name}": f"+{called[name]}" for name in toys.FEW}
    return replace(
        grid,
        clean={f"{one}{new[old]}": runs for one in names for old, runs in grid.clean.items()},
        cells={
            (f"{one}{new[old]}", called[corruption], severity): runs
            for one in names
            for (old, corruption, severity), runs in grid.cells.items()
        },
    )


def test_each_architecture_has_its_standard_network_and_one_a_corruption():
    found = by_architecture(of_architectures("resnet18_small", "densenet121_small"))
    assert list(found) == ["resnet18_small", "densenet121_small"]
    expected = from_grid(toys.grid(), "net", toys.TRAINED)
    for one in found.values():
        assert one.corruptions == toys.FEW
        assert (one.accuracy == expected.accuracy).all()
        assert (one.clean == expected.clean).all()


def test_a_corruption_of_the_readers_may_lie_in_any_folder():
    rain = "/home/me/a+b/rain.py:rain"
    (one,) = by_architecture(of_architectures("resnet18_small", called={"border": rain})).values()
    assert one.corruptions[-1] == rain


def test_an_architecture_that_lacks_a_network_is_refused():
    grid = of_architectures("resnet18_small")
    clean = {name: runs for name, runs in grid.clean.items() if name != "resnet18_small+fog"}
    with pytest.raises(InputError, match=r"evaluated network.*resnet18_small\+fog"):
        by_architecture(replace(grid, clean=clean))


def test_what_can_be_judged_is_counted_by_architecture():
    found = toys.overlaps({"resnet18": toys.table(), "densenet121": toys.weak("fog")})
    assert counted(found) == (
        "ResNet-18: 17 of 17 corruptions can be judged, 105 of 105 pairs of the fifteen; "
        "DenseNet-121: 16 of 17 corruptions can be judged, 91 of 105 pairs of the fifteen"
    )


def test_scores_stand_with_their_intervals_and_networks():
    rows = toys.numbers({"resnet18": toys.table(seeds_of=(0.0, 0.1))})
    row = rows.row(metric="group_overlap", corruption="noise")
    assert scored(row) == "0.95 [0.90, 1.00]"
    found = by_network(rows, "group_overlap", "noise")
    assert found.text == "0.95 [0.90, 1.00] (ResNet-18)"
    assert "mean of 3 of 3 pairs" in found.convention
    assert by_network(rows, "largest_overlap", "border").text.endswith("(ResNet-18)")
    assert by_network(rows, "group_overlap", "none").text == "not judged"
