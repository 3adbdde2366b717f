"""Other networks on the axis: the book's of the same data, and what the papers print."""

from robust_lib import paths
from robust_lib.config.profiles import load_profile
from robust_lib.passport.benchmarks import HEADLINES
from robust_lib.passport.references import others
from robust_lib.results.row import Row
from robust_lib.results.table import Results

MCE = next(one for one in HEADLINES["imagenet_c"] if one.title == "mCE")
ROW = Row(item="inc-tab1", dataset="toy_c", model="mine", metric="mce", value=0.5, n=9, n_full=9)


def test_the_papers_mces_are_the_printed_ones():
    found = {one.network: one.value for one in others(MCE, ROW, load_profile("smoke"), "mine")}
    assert found["ResNet-50"] == 0.767
    assert len(found) == 7


def test_the_books_networks_are_those_of_the_same_data(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    folder = paths.profile("smoke") / "results"
    folder.mkdir(parents=True)
    from dataclasses import replace

    rows = [ROW, replace(ROW, model="resnet18_mini", value=0.75), replace(ROW, model="vgg11_mini",
            dataset="elsewhere_c")]  # fmt: skip
    Results.of(rows).save(folder, "inc_2_mce")
    found = [one for one in others(MCE, ROW, load_profile("smoke"), "mine") if one.source == "here"]
    assert [(one.network, one.value) for one in found] == [("ResNet-18-like", 0.75)]
    own = others(MCE, ROW, load_profile("smoke"), "mine", own=True)
    assert {one.source for one in own} == {"paper"}
