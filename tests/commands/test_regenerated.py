"""`robust regenerated`: one command from both data sets to the table."""

import pandas as pd
import pytest

from robust_lib import atomic
from robust_lib.run import experiments
from tests import tiny
from tests.run.test_regenerated import project


@pytest.mark.slow
def test_the_command_writes_and_tells_the_table(tmp_path, monkeypatch, capsys):
    tiny.enter(project(tmp_path), monkeypatch)
    whole = tmp_path / "build" / "full" / "regenerated" / "regenerated.csv"
    atomic.write_bytes(whole, b"the full table")
    words = ("regenerated", "--profile", "full", "--models", "squeezenet1_1", "resnet18")
    words += ("--corruptions", "contrast", "gaussian_noise", "--limit", "3", "--device", "cpu")
    status, printed, complaint = tiny.command(monkeypatch, capsys, *words)
    assert (status, complaint) == (0, "")
    assert "other random draws" in printed
    assert "2 networks over the severities, 3 images per condition" in printed
    # Some networks and pictures never replace the table of all.
    assert whole.read_bytes() == b"the full table"
    (folder,) = (tmp_path / "build" / "runs").glob("regenerated-*")
    assert f"Results for every network and condition: {folder / 'regenerated.csv'}" in printed
    assert experiments.found() == ()
    table = pd.read_csv(folder / "regenerated.csv")
    assert len(table) == 2 * 2 * (5 + 1)
    assert set(table["n"]) == {3}
    pd.testing.assert_frame_equal(
        table[["archive", "generated", "low"]],
        pd.read_parquet(folder / "regenerated.parquet")[["archive", "generated", "low"]],
    )
    same = table[table["corruption"] == "contrast"]
    assert (same["levels"] == 0).all()
    assert (same["difference"] == 0).all()


def test_a_profile_without_the_archive_is_told(monkeypatch, capsys):
    words = ("regenerated", "--profile", "mini", "--models", "resnet18")
    status, _, complaint = tiny.command(monkeypatch, capsys, *words)
    assert status == 1
    assert "Expected a profile whose corrupted images are the archive's" in complaint
