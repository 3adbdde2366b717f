"""`robust passport` and `robust export` in a small project, as a user types them."""

import json
import sys

import pandas as pd
import pytest

from tests import tiny
from tests.passport.conftest import made, project

__all__ = ["made", "project"]


@pytest.fixture
def robust(project, monkeypatch, capsys):
    return lambda *words: tiny.command(monkeypatch, capsys, *words)


ASKED = ("--profile", "tiny", "--benchmarks", "imagenet_c")


def test_a_passport_lies_where_it_is_said(robust, project):
    status, told, _ = robust("passport", "nets.py:two", *ASKED, "-o", "mine")
    assert status == 0
    assert "Common Corruptions: " in told
    assert f"The page is {project / 'mine' / 'passport.html'}." in told


def test_a_passport_without_any_benchmark_is_an_error_and_writes_nothing(robust, project):
    """It told the reasons and wrote an empty page."""
    asked = ("--profile", "tiny", "--benchmarks", "nao", "-o", "empty")
    status, told, complaint = robust("passport", "nets.py:two", *asked)
    assert status == 1
    assert (
        "there is none, so no report was written. Natural Adversarial Objects: It is for"
        in complaint
    )
    assert "The page is" not in told
    assert not (project / "empty").exists()


def test_two_are_compared(robust, project):
    words = ("passport", "--compare", "one/passport.json", "two/passport.json")
    status, told, _ = robust(*words, "--profile", "tiny")
    assert status == 0
    assert "mCE: " in told
    assert (project / "one" / "one-and-two.html").exists()


def test_an_export_stands_for_its_model_in_a_chapter(robust, project, monkeypatch):
    assert robust("export", "nets.py:two", *ASKED, "-o", "two.parquet")[0] == 0
    tiny.without_kernel(monkeypatch)
    given = ("-p", "corruptions", '["fog"]', "-p", "models", '["predictions:two.parquet"]')
    status, told, complaint = robust("run", "inc_2_mce", "--profile", "tiny", *given)
    assert status == 0, complaint
    assert "Executed" in told


def test_an_export_may_be_an_npz(robust, project):
    assert robust("export", "nets.py:two", *ASKED, "-o", "two.npz")[0] == 0
    status, _, complaint = robust("passport", "predictions:two.npz", *ASKED, "-o", "filed")
    assert status == 0, complaint
    sections = [
        json.loads((project / one / "passport.json").read_text())["sections"]
        for one in ("two", "filed")
    ]
    assert sections[0] == sections[1]


def test_an_export_with_another_ending_is_refused_before_anything_is_asked(robust, project):
    status, _, complaint = robust("export", "no.py:such", *ASKED, "-o", "two.csv")
    assert status == 1
    assert "ends in .parquet or .npz, or in .json for a detector, but got two.csv" in complaint
    status, _, complaint = robust("export", "no.py:such", *ASKED, "-o", "two.json")
    assert status == 1
    assert (
        "one file for each set of images, but got two.json. Use the name two-{role}.json"
        in complaint
    )
    assert not (project / "two.csv").exists()


def test_an_export_of_what_no_file_can_hold_is_refused_before_anything_is_asked(robust, project):
    words = ("no.py:such", "--profile", "tiny", "--benchmarks", "nao", "coco_c")
    status, _, complaint = robust("export", *words, "-o", "mine-{role}.json")
    assert status == 1
    assert "but got coco_c: boxes in corrupted images cannot be written. Omit coco_c" in complaint


def test_several_models_have_a_passport_each_and_are_ranked(robust, project):
    """One that fails keeps no other back, and its name ends the command with an error."""
    (project / "again.py").write_text((project / "nets.py").read_text())
    models = ("nets.py:one", "no.py:such", "nets.py:two", "again.py:one")
    status, told, complaint = robust("passport", *models, *ASKED, "-o", "all")
    assert status == 1
    assert "4 models, but no.py:such, again.py:one failed" in complaint
    assert "left out: Expected models with different names, but two are called one" in told
    assert "left out: Expected a Python file" in told
    made = pd.read_csv(project / "all" / "ranks.csv")
    assert set(made["model"]) == {"one", "two"}
    mean = made[made["number"] == "mCE"]
    assert mean["rank"].tolist() == [1, 2]
    assert mean["value"].is_monotonic_increasing
    for name in ("one", "two"):
        assert (project / "all" / name / "passport.html").exists()


def test_an_export_for_the_other_kind_of_model_is_refused_before_it_is_shown_anything(
    robust, project
):
    status, told, complaint = robust("export", "nets.py:two", *ASKED, "-o", "mine-{role}.json")
    assert status == 1
    assert "because two is one, but got mine-{role}.json. Use the name mine.parquet." in complaint
    assert "numbers" not in told
    status, _, complaint = robust(
        "export", "nets.py:nothing", "--profile", "tiny", "-o", "mine.parquet"
    )
    assert status == 1
    assert "nothing is one, but got mine.parquet. Use the name mine-{role}.json." in complaint


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--compare", "one/passport.json", "--profile", "tiny"), "Expected two model reports"),
        (("nets.py:one", "--profile", "tiny", "--benchmarks", "imagenet_x"), "a benchmark"),
        (("no.py:one", "--profile", "tiny"), "Expected a Python file"),
    ],
)
def test_bad_input_is_refused_in_a_paragraph(robust, words, expected):
    status, _, complaint = robust("passport", *words)
    assert status == 1
    assert expected in complaint
    assert sys.exc_info() == (None, None, None)


def test_pictures_of_the_users_own_are_corrupted_on_the_fly(robust, project):
    from PIL import Image

    for name in ("ball", "box"):
        folder = project / "mine" / name
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(2):
            Image.new("RGB", (80, 70), (40 * number, 90, 120)).save(folder / f"{number}.png")
    words = ("passport", "nets.py:one", "--profile", "tiny", "--images", "folder:mine", "-o", "own")
    status, told, complaint = robust(*words)
    assert status == 0, complaint
    assert ": --images folder:... provides images only for Common Corruptions." in told
    assert "Common Corruptions: " in told
    assert "measured on the same images" in (project / "own" / "passport.json").read_text()
