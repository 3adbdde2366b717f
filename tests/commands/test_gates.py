"""`robust gates`: the exit status, the table, the book's end, and networks that no chapter asks."""

import pytest

from robust_book.commands import gates, report
from robust_lib import paths
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from tests import tiny, trees
from tests.commands import samples

A = {"item": "nae-fig2", "dataset": "imagenet_a", "metric": "accuracy", "n": 7500, "n_full": 7500}


@pytest.fixture
def saved(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))

    def save(**right):
        rows = [Row(**A, model=name, value=count / 7500) for name, count in right.items()]
        folder = paths.profile("full") / "results"
        Results.of(rows).stamped("full/nae_2_imagenet_a").save(folder, "nae_2_imagenet_a")

    return save


def test_a_failed_gate_fails_the_command(saved, monkeypatch, capsys):
    saved(resnet50=0, resnet34=140)
    status, printed, _ = tiny.command(monkeypatch, capsys, "gates", "--profile", "full")
    assert status == 0
    assert "Gates: 2 same, 1 within, 260 not run." in printed
    saved(resnet50=17, resnet34=143)
    status, printed, _ = tiny.command(monkeypatch, capsys, "gates", "--profile", "full")
    assert status == 1
    assert "FAILED by 17 images (15 allowed)" in printed
    assert "within 3 images (15 allowed)" in printed
    assert "not run, imagenet_vid_robust: no number of it (alexnet, " in printed
    assert "the images were normalised differently (dpn68, dpn98)" in printed
    assert "not run, nao: its weights cannot be loaded here (yolov3, yolov4_p7" in printed
    assert "(see erratum nao-faster-rcnn) (fasterrcnn_resnet50_fpn)" in printed


def test_without_results_one_paragraph_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    status, printed, complaint = tiny.command(monkeypatch, capsys, "gates", "--profile", "full")
    assert (status, printed) == (1, "")
    assert f"Expected results of profile full in {tmp_path / 'full' / 'results'}" in complaint
    assert "robust book --profile full" in complaint
    assert "--ask" in complaint


def test_gates_of_named_chapters_look_at_their_results_alone(saved, monkeypatch, capsys):
    saved(resnet50=900)
    words = ("gates", "--profile", "full", "--chapters")
    status, printed, _ = tiny.command(monkeypatch, capsys, *words, "nae_2_imagenet_a,inc_2_mce")
    assert status == 1
    assert "Gates: 1 FAILED, 262 not run." in printed
    # What a chapter without results would be held against is not run, and no failure.
    status, printed, _ = tiny.command(monkeypatch, capsys, *words, "inc_2_mce")
    assert status == 0
    assert "Gates: 263 not run." in printed
    assert samples.strangers("robust gates --profile smoke", printed) == []
    assert tiny.command(monkeypatch, capsys, *words, "inc_9")[0] == 1


def test_the_book_ends_with_the_gates_that_apply(saved):
    assert gates.ending("full") == (0, [])
    saved(resnet50=0)
    assert gates.ending("full") == (0, ["Gates: 1 same, 262 not run."])
    saved(resnet50=900)
    status, told = gates.ending("full")
    assert status == 1
    assert "resnet50" in told[0]
    assert told[-1] == "Gates: 1 FAILED, 262 not run."


def test_the_report_has_a_line_where_gates_apply(saved, monkeypatch):
    monkeypatch.setattr(report, "_verdicts", lambda profile: [])
    assert not any("Gates" in line for line in report.lines("full"))
    saved(resnet50=0)
    assert list(report.lines("full"))[-1] == "Gates: 1 same, 262 not run."


@pytest.mark.slow
def test_networks_that_no_chapter_asked_are_asked_for_the_gates(tmp_path, monkeypatch, capsys):
    """Two public networks, with random weights, on four validation images."""
    folder = tiny.enter(tiny.real_layouts(tmp_path), monkeypatch)
    table = folder / "data_manifests" / "reported" / "clean_reference.csv"
    head, *rows = table.read_text("utf-8").splitlines(keepends=True)
    kept = [row for row in rows if row.startswith(("squeezenet1_1,", "resnet18,"))]
    table.write_text("".join([head, *kept]), "utf-8")
    robust = table.with_name("robust_reference.csv")
    robust.write_text("model,dataset,metric,value,source\n", "utf-8")
    trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
    words = ("gates", "--profile", "full", "--ask", "--device", "cpu")
    status, printed, _ = tiny.command(monkeypatch, capsys, *words)
    assert "2 networks evaluated." in printed
    assert status == 1  # random weights do not reach what public ones do
    assert "Gates: 2 FAILED" in printed
    rows = Results.load(folder / "build" / "full" / "results" / "gates.parquet").rows
    assert {(row.model, row.n, row.dataset) for row in rows} == {
        ("squeezenet1_1", 4, "imagenet_val"), ("resnet18", 4, "imagenet_val"),
    }  # fmt: skip
    # Asked again, they are found in the store, and the chapters' own rows would be taken instead.
    assert tiny.command(monkeypatch, capsys, *words)[0] == 1
    clean = {"item": "inc-tab1", "dataset": "imagenet_val", "metric": "error", "n": 4, "n_full": 4}
    mine = Results.of([Row(**clean, model="resnet18", value=0.25)]).stamped("full/inc_2_mce")
    mine.save(folder / "build" / "full" / "results", "inc_2_mce")
    assert "1 networks evaluated." in tiny.command(monkeypatch, capsys, *words)[1]


def test_a_profile_of_other_images_is_told_before_anything_is_asked(monkeypatch, capsys):
    words = ("gates", "--profile", "mini", "--ask")
    status, _, complaint = tiny.command(monkeypatch, capsys, *words)
    assert status == 1
    assert "but mini uses scenes_val. Use --profile full." in complaint
