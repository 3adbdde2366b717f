"""`robust gates`: the exit status, the table, the book's end, and networks that no chapter asks."""

import pytest

from robust_lib import paths
from robust_lib.commands import gates, report
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from tests import tiny

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
    assert "Gates: 2 same, 108 not run." in printed
    saved(resnet50=9, resnet34=143)
    status, printed, _ = tiny.command(monkeypatch, capsys, "gates", "--profile", "full")
    assert status == 1
    assert "FAILED by 9 pictures (7 allowed)" in printed
    assert "within 3 pictures (7 allowed)" in printed
    assert "not run, imagenet_vid_robust: no number of it (alexnet, " in printed
    assert "pictures were normalised otherwise there (dpn68, dpn98)" in printed


def test_the_book_ends_with_the_gates_that_apply(saved):
    assert gates.ending("full") == (0, [])
    saved(resnet50=0)
    assert gates.ending("full") == (0, ["Gates: 1 same, 109 not run."])
    saved(resnet50=900)
    status, told = gates.ending("full")
    assert status == 1
    assert "resnet50" in told[0]
    assert told[-1] == "Gates: 1 FAILED, 109 not run."


def test_the_report_has_a_line_where_gates_apply(saved, monkeypatch):
    monkeypatch.setattr(report, "_verdicts", lambda profile: [])
    assert not any("Gates" in line for line in report.lines("full"))
    saved(resnet50=0)
    assert list(report.lines("full"))[-1] == "Gates: 1 same, 109 not run."
