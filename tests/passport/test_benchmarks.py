"""The benchmarks: whose rows are kept, and those beyond the papers on small trees."""

from dataclasses import replace

import numpy as np
import pytest

from robust_book.chapters import chapter
from robust_book.commands.cli import attempt
from robust_lib.config.profiles import load_profile
from robust_lib.passport import clean
from robust_lib.passport.benchmarks import BENCHMARKS
from robust_lib.passport.evaluation import evaluate
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.gates.gate import Gate
from robust_lib.run import side_by_side
from robust_lib.run.run import Run
from robust_lib.run.start import start
from tests import layouts, tiny, trees
from tests.chapters import toys


def test_only_rows_of_the_model_itself_are_kept(passports):
    numbers = passports["one"][0].passport.section("imagenet_c").numbers
    assert len({(one.metric, one.corruption, one.severity, one.dataset) for one in numbers}) == len(
        numbers
    )


BEYOND = ["imagenet_1k", "imagenet_v2", "imagenet_r", "imagenet_sketch", "imagenet_c_bar"]
NET = """
import torch

from robust_lib import Preprocessing, TorchClassifier


def one():
    torch.manual_seed(0)
    module = torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, 4)
    )
    return TorchClassifier(module=module, name="one", classes="imagenet_1k", outputs=4,
                           preprocessing=Preprocessing(256, 224))
"""


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """ImageNet's relatives in their layouts, of four classes, and a network of these."""
    folder = tiny.real_layouts(tmp_path_factory.mktemp("beyond"))
    data, described = folder / "data", folder / "data_manifests"
    rows = (described / "classes" / "imagenet_v2.csv").read_text("utf-8").splitlines()
    (described / "classes" / "imagenet_v2.csv").write_text("\n".join(rows[:5]) + "\n", "utf-8")
    some = [f"{n},{2 * n + 1},{wnid},of {wnid}" for n, wnid in enumerate(trees.WNIDS[1::2])]
    head = ["index,imagenet,wnid,name"]
    (described / "classes" / "imagenet_r.csv").write_text("\n".join(head + some) + "\n", "utf-8")
    trees.class_folders(data / "imagenet_val" / "val", per_class=1)
    v2 = data / "imagenet_v2" / "imagenetv2-matched-frequency-format-val"
    trees.class_folders(v2, ["0", "1", "2", "3"], per_class=2)
    trees.class_folders(data / "imagenet_r" / "imagenet-r", trees.WNIDS[1::2], per_class=3)
    trees.class_folders(data / "imagenet_sketch" / "sketch", per_class=1)
    for name, images in (("imagenet_v2", 8), ("imagenet_r", 6), ("imagenet_sketch", 4)):
        tiny.change(described / "datasets" / f"{name}.yaml", images=images)
    trees.imagenet_c(data / "imagenet_c_bar" / "cbar_download", bar := ("sparkles", "perlin_noise"))
    cells = [{"path": f"{name}/[1-5]", "matches": 5, "images": 4} for name in bar]
    tiny.change(described / "datasets" / "imagenet_c_bar.yaml", contents=cells, images=40)
    (folder / "nets.py").write_text(NET, "utf-8")
    return folder


@pytest.fixture
def standing(real, monkeypatch):
    monkeypatch.chdir(tiny.enter(real, monkeypatch))
    return real


def test_class_lists_and_folders_alone_make_the_benchmarks_beyond_the_papers(standing):
    found = evaluate("nets.py:one", profile="full", device="cpu", benchmarks=BEYOND).passport
    assert [one.left_out for one in found.sections] == [None] * 5
    sizes = {"imagenet_1k": 4, "imagenet_v2": 8, "imagenet_r": 6, "imagenet_sketch": 4}
    for key, images in sizes.items():
        numbers = {one.metric: one for one in found.section(key).numbers}
        assert numbers["accuracy"].n == images
        assert numbers["top5_accuracy"].value == 1  # of four classes
    (masked,) = (n for n in found.section("imagenet_r").numbers if n.metric == "accuracy")
    assert "2 of 4 outputs" in masked.convention
    bar = found.section("imagenet_c_bar")
    (mean,) = (n for n in bar.numbers if n.metric == "mean_error" and n.corruption is None)
    cells = [one.value for one in bar.numbers if one.metric == "error"]
    assert len(cells) == 10
    assert mean.value == pytest.approx(np.mean(cells))
    assert {one.title for one in bar.headlines} == {"Mean error, ImageNet-C-bar"}


def test_a_network_that_misses_its_published_number_is_refused(standing, monkeypatch, tmp_path):
    words = ["nets.py:one", "--profile", "full", "--device", "cpu", "--benchmarks", "imagenet_1k"]
    words = ["passport", *words, "imagenet_v2", "-o", str(tmp_path)]
    true = evaluate("nets.py:one", profile="full", device="cpu", benchmarks=["imagenet_1k"])
    right = next(n.value for n in true.passport.sections[0].numbers if n.metric == "accuracy")
    told = {"model": "one", "dataset": "imagenet_val", "metric": "accuracy", "step": 0.001}
    told |= {"tolerance": 0.0, "pictures": 4, "source": "its makers"}
    monkeypatch.setattr(clean, "published", lambda *_: Gate(value=(right + 0.25) % 1, **told))
    status, complaint = attempt(words)
    assert status == 1
    assert complaint.startswith("Not reproduced: clean accuracy")
    assert list(tmp_path.glob("results-*.csv")) == []
    assert "Not reproduced" in (tmp_path / "passport.html").read_text("utf-8")
    monkeypatch.setattr(clean, "published", lambda *_: Gate(value=right, **told))
    assert attempt(words) == (0, "")
    assert {one.name for one in tmp_path.glob("results-*.csv")} == {
        "results-imagenet.csv", "results-imagenetv2-matched-frequency.csv",
    }  # fmt: skip


def test_detectors_see_the_fifteen_corruptions_at_the_pictures_own_size(project, monkeypatch):
    images, seen = layouts.Shapes(), []

    def detect(_, shown, networks=None):
        seen.append((shown.name, shown.read(0, Preprocessing(None, None)).shape))
        (found,) = toys.object_boxes({"one": 12 if shown is images else 6}, images)["one"]
        return {"one": [replace(found, dataset=shown.name)]}

    monkeypatch.setattr(Run, "image_set", lambda *_: images)
    monkeypatch.setattr(Run, "detect", detect)
    run = start(BENCHMARKS["coco_c"].chapter, "tiny", models=[], severities=[1, 5])
    found = BENCHMARKS["coco_c"].measure(run, "one").results
    assert len(seen) == 1 + 15 * 2
    assert {shape for _, shape in seen} == {seen[0][1]}
    # Several jobs show the same, so that the benchmark finds it.
    alone, seen[:] = seen[:], []
    monkeypatch.setattr(Run, "detectors_of", lambda *_: {"one": []})
    for part in side_by_side.parts(run):
        if part.corruption:
            side_by_side._shown(run, part)
    assert sorted(seen) == sorted(each for each in alone if each[0] != images.name)
    assert ("shapes/glass_blur/5", seen[0][1]) in seen
    clean_map = found.row(metric="map", corruption=None).value
    mpc = found.row(metric="mpc", corruption=None)
    assert mpc.value < clean_map
    assert found.row(metric="rpc").value == pytest.approx(mpc.value / clean_map)
    assert "not stored as JPEG" in mpc.convention


def test_what_is_exported_has_all_corruptions_that_the_chapter_shows():
    """Once a chapter refused the answers that its own command had written, for four corruptions."""
    shown = set(chapter("inc_2_mce").evaluated_corruptions(load_profile("mini")))
    assert not shown <= {*BENCHMARKS["imagenet_c"].chapter.corruptions}
    assert shown <= {*BENCHMARKS["imagenet_c"].with_validation().chapter.corruptions}
    assert BENCHMARKS["nao"].with_validation() is BENCHMARKS["nao"]
