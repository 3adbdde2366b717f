"""Other networks' numbers beside a passport's: the papers', the public ones, the book's."""

from dataclasses import replace

import pytest

from robust_lib import paths
from robust_lib.config.profiles import load_profile
from robust_lib.passport.headlines import HEADLINES
from robust_lib.passport.others import others
from robust_lib.protocols.overlap import halves
from robust_lib.results.gates.references import NORMALISED
from robust_lib.results.reported import reference
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

MCE = next(one for one in HEADLINES["imagenet_c"] if one.title == "mCE")
ROW = Row(item="inc-tab1", dataset="toy_c", model="mine", metric="mce", value=0.5, n=9, n_full=9)


def test_the_papers_mces_are_the_printed_ones():
    every = others(MCE, ROW, load_profile("smoke"), "mine")
    found = {one.network: one.value for one in every if one.source != "public"}
    assert found["ResNet-50"] == 0.767
    assert len(found) == 7


def _public(key, title):
    headline = next(one for one in HEADLINES[key] if one.title == title)
    found = others(headline, ROW, load_profile("smoke"), "mine")
    return {one.network: one.value for one in found if one.source == "public"}


def test_public_weights_stand_apart_from_the_papers():
    found = {"ResNet-50": 0.767, "AugMix": 0.653, "ANT3x3": 0.63, "SIN+IN": 0.693}
    assert _public("imagenet_c", "mCE") == pytest.approx(found, abs=5e-4)
    table = reference("clean_reference").query("dataset == 'imagenet_val' and metric == 'accuracy'")
    clean = _public("imagenet_c", "Clean error")
    accuracies = table.set_index("model")["value"]
    assert clean["AlexNet"] == pytest.approx(1 - accuracies["alexnet"] / 100)
    # Two are shown normalised otherwise where their numbers come from.
    assert set(map(network_title, accuracies.index)) - clean.keys() == {"DPN-68", "DPN-98"}
    exact = {row.corruption: row.value for row in halves.published("exact").rows}
    set1 = _public("imagenet_c", "Mean CE, noises and blurs (set 1)")
    assert set1 == {"ResNet-50": pytest.approx(exact["set1"])}
    assert _public("imagenet_c", "CE, border") == {}


def test_public_accuracies_on_hard_pictures_are_the_testbeds_counted_as_the_paper_does():
    table = reference("testbed_reference").query("dataset == 'imagenet_a'")
    values = table.set_index("model")["value"]
    hard = _public("imagenet_a", "Accuracy, hard images")
    assert hard["AlexNet"] == pytest.approx(values["alexnet"] / 100)
    # Those whose pictures were normalised otherwise there are no company.
    assert set(NORMALISED) <= set(values.index)
    assert not {network_title(one) for one in NORMALISED} & set(hard)


def test_public_accuracies_on_frames_go_by_the_distance():
    table = reference("testbed_reference").query("dataset == 'imagenet_vid_robust'")
    for k, title in (
        (0, "Accuracy, anchors (pm‑0)"),
        (10, "Accuracy, worst of ±10 frames (pm‑10)"),
    ):
        values = table[table["k"] == k].set_index("model")["value"]
        found = _public("imagenet_vid_robust", title)
        assert found["ResNet-50"] == pytest.approx(values["resnet50"] / 100)


def test_public_detectors_stand_on_their_axes():
    assert _public("nao", "mAP, ordinary images")["Faster R-CNN (ResNet-50)"] == pytest.approx(0.37)


def test_the_books_networks_are_those_of_the_same_data(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    folder = paths.profile("smoke") / "results"
    folder.mkdir(parents=True)
    rows = [ROW, replace(ROW, model="resnet18_mini", value=0.75), replace(ROW, model="vgg11_mini",
            dataset="elsewhere_c")]  # fmt: skip
    Results.of(rows).save(folder, "inc_2_mce")
    found = [one for one in others(MCE, ROW, load_profile("smoke"), "mine") if one.source == "here"]
    assert [(one.network, one.value) for one in found] == [("ResNet-18-like", 0.75)]
    own = others(MCE, ROW, load_profile("smoke"), "mine", own=True)
    assert {one.source for one in own} == {"paper", "public"}
