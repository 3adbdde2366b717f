"""The chapter of balance and cover: its benchmark, its occlusions, the numbers of the prose."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from robust_lib.chapters import overlap_2_balance_and_cover as chapter
from robust_lib.corruptions import occlusion
from robust_lib.errors import InputError
from robust_lib.results.compare import compare
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.page import Page
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON
from tests.protocols.overlap import toys
from tests.toys import unchecked

PAIRS = SimpleNamespace(corruptions=("fog", "snow", "border"))


@pytest.mark.parametrize("named", [["snow", "fog"], '["snow", "fog"]', ("snow", "fog")])
def test_a_benchmark_comes_as_a_list_or_as_its_text(named):
    with unchecked():
        assert chapter.members(named, PAIRS) == ("snow", "fog")
        assert chapter.members(None, PAIRS) == ("fog", "snow")
        with pytest.raises(InputError, match=r"a benchmark as a list .* but got 'fog'"):
            chapter.members("fog", PAIRS)


def test_the_occlusions_have_the_papers_sizes():
    found = compare(chapter.occlusion_sizes(), "overlap-claim-cover")
    sizes = {
        (v.metric, v.corruption): v
        for v in found
        if v.status != "direction" and v.metric != "largest_overlap"
    }
    assert len(sizes) == 4
    assert {verdict.verdict for verdict in sizes.values()} == {"match"}
    assert sizes["largest_side", "obstruction"].ours == occlusion.OBSTRUCTION_SIDE[1]


def row(metric, model, half, value):
    return Row(
        item="overlap-tab1", dataset="toys_c", model=model, metric=metric, corruption=half,
        value=value, n=10, n_full=10,
    )  # fmt: skip


def test_the_numbers_of_the_prose_name_the_best_gain():
    values = {"plain": (0.9, 0.0), "robust": (0.7, -0.2), "other": (1.0, 0.1)}
    rows = [
        row(metric, model, "set1", value)
        for model, pair in values.items()
        for metric, value in zip(("mean_ce", "mean_ce_gain"), pair, strict=True)
    ]
    overlaps = toys.numbers({"resnet18": toys.table()})
    numbers = chapter.key_numbers(Results.of(rows) + overlaps, "plain")
    assert numbers["standard_set1"].text == "90.0 %"
    assert numbers["best_set1"].text == "−20.0 points (robust)"
    assert numbers["standard_set2"].text == numbers["best_set2"].text == "not measured"
    mean = overlaps.row(metric="mean_overlap", corruption="set2").value
    assert numbers["overlap_set2"].text == f"{mean:.2f}"
    assert chapter.key_numbers(Results(), "plain")["overlap_set1"].text == "not measured"


def test_overlaps_are_judged_by_the_networks_that_have_them(tmp_path, monkeypatch):
    """In the miniature ResNet-18-like plays ResNet-50 in one chapter and ResNet-18 in the other."""
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    page = Page(start(chapter.CHAPTER, "mini"))
    one = toys.table(names=COMMON, dataset="scenes_small_val")
    tables = {"resnet18_small": one, "densenet121_small": one}
    gains = [
        replace(row("mean_ce_gain", model, half, value), dataset="scenes_small_val_c")
        for model in ("resnet18_small_texture", "resnet18_small_augmix")
        for half, value in (("set1", -0.2), ("set2", -0.1))
    ]
    chapter.spread(page, toys.numbers(tables) + Results.of(gains), tables)
    page.save()
    path = page.run.folder / "results" / "overlap_2_balance_and_cover.json"
    (item,) = json.loads(path.read_text("utf-8"))["items"]
    told = {
        v["metric"].partition("[")[0]: v for v in item["verdicts"] if v["status"] == "direction"
    }
    overlaps = told["mean_overlap"]["arithmetic"]
    assert "resnet50" not in overlaps
    assert told["mean_overlap"]["verdict"] != "missing"
    assert {"resnet18", "densenet121"} <= set(overlaps.replace("(", " ").split())
    assert told["mean_ce_gain"]["verdict"] == "holds"
    assert "resnet50_sin_in" in told["mean_ce_gain"]["arithmetic"]


def test_the_tables_of_a_benchmark_say_what_they_show():
    accuracies = {"resnet18": toys.table(names=("fog", "snow", "border"))}
    balance = str(chapter.balance(accuracies, ("fog", "snow")))
    assert "each of the 2 corruptions" in balance
    assert "Fog" in balance
    assert "Border" in str(chapter.coverage(accuracies, ("fog", "snow")))
