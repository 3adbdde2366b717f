"""`robust plan`, `robust fetch --profile`, and a book that leaves out what it lacks."""

import os
import sys

import pytest

from robust_book.chapters import notebooks
from robust_book.commands import book as books
from robust_book.commands import cli
from robust_book.engine import disk_space
from robust_book.engine import supplies as supply
from tests.commands import samples
from tests.supplied import validation_and_archive


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    validation_and_archive(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def robust(monkeypatch, capsys):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["robust", *words])
        try:
            cli.main()
            status = 0
        except SystemExit as done:
            status = int(done.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_the_plan_says_what_is_missing_and_how_to_get_it(data, robust):
    status, told, _ = robust("plan", "--profile", "full", "--data", str(data))
    lines = {line.split()[0]: line for line in told.splitlines() if line.strip()}
    assert status == 0  # some can run
    assert " yes " in lines["inc_2_mce"]
    assert "lacks" in lines["nae_2_imagenet_a"]
    assert "robust fetch imagenet_a" in lines["imagenet_a"]
    assert "full_trained trains them" in lines["overlap_1_matrix:"]
    assert "measured (NVIDIA H200" in told
    assert "measured (2026-" in told
    assert "writes about" in told
    assert "Gates of inc_2_mce: imagenet_val 7 (alexnet, " in told
    assert "; imagenet_c 16 (resnet50)." in told
    assert "Gates of nae_2_imagenet_a" not in told  # it cannot run
    assert "image counts are unknown: openimages_train" in told


def test_the_plan_says_what_a_chapter_does_without_and_what_nobody_counted(
    data, robust, monkeypatch
):
    monkeypatch.setattr(supply, "seems_there", lambda name, **_: name != "backgrounds")
    status, told, _ = robust("plan", "nao_4_attribution", "--profile", "full")
    assert status == 0
    assert "yes, without backgrounds" in told
    assert "optional data" in told
    assert "Contents of data sets are not counted here; `robust verify` counts them." in told
    assert "0.00 GB" not in robust("plan", "inc_2_mce", "--profile", "full")[1]


def test_public_networks_take_hours_whatever_corrupts_their_pictures(data, robust):
    """Minutes are measured of networks that are trained here, and of none that was published."""
    own = data / "manifests" / "profiles" / "own.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("name: own\nlike: full\ncorrupted: generated\nlimit: 1000\n")
    status, told, _ = robust("plan", "--profile", "own", "--data", str(data))
    lines = {line.split()[0]: line.split() for line in told.splitlines() if line.strip()}
    assert status == 0
    assert "GPU" in told
    assert lines["inc_2_mce"][1] == "yes"
    # 96 cells of 1,000 pictures, seven networks of 7.7 billion multiply-adds each; two cores or so.
    assert float(lines["inc_2_mce"][-3]) > 10 / (os.cpu_count() or 1)
    assert lines["inc_4_icons50"][1:3] == ["not", "in"]


def test_the_plan_of_the_miniature_tells_measured_minutes_and_no_gpus(data, robust):
    status, told, _ = robust("plan", "00_tour", "inc_2_mce", "--profile", "mini")
    lines = {line.split()[0]: line for line in told.splitlines() if line.strip()}
    assert status == 0
    assert "GPU" not in told
    minutes = {name: int(lines[name].split()[-2]) for name in ("00_tour", "inc_2_mce")}
    assert 1 <= minutes["00_tour"] < minutes["inc_2_mce"] < 120
    assert "All chapters together" in told
    _, told, _ = robust("plan", "00_tour", "--profile", "smoke")
    assert samples.strangers("robust plan 00_tour --profile smoke", told) == []


def test_the_disk_is_told_where_nothing_is_to_be_fetched(data, robust, monkeypatch):
    monkeypatch.setattr(
        "robust_lib.models.weight_files.WeightFile.there", property(lambda self: True)
    )
    monkeypatch.setattr(disk_space, "free", lambda folder=None: 5 * 10**9)
    status, told, _ = robust("plan", "inc_2_mce", "--profile", "full")
    assert status == 0
    assert "To fetch: nothing; 5.00 GB are free in" in told
    # Seven networks, 96 cells of 50,000 pictures, twelve bytes an answer.
    assert "A run of these chapters writes about 0.40 GB" in told


def test_chapters_that_cannot_run_end_with_one(data, robust):
    assert robust("plan", "inc_2_mce", "--profile", "full")[0] == 0
    assert robust("plan", "nae_2_imagenet_a", "--profile", "full")[0] == 1
    assert robust("plan", "overlap_1_matrix", "--profile", "full")[0] == 1
    status, _, complaint = robust("plan", "nae_9", "--profile", "full")
    assert status == 1
    assert "Expected chapter" in complaint


@pytest.fixture
def planned(monkeypatch):
    """Catch the jobs that a book would do."""
    found = []

    def catch(jobs, home, **_):
        found.extend(jobs)
        return 0

    monkeypatch.setattr(books, "run", catch)
    return found


def test_a_book_leaves_out_what_it_lacks_and_says_so(data, robust, planned):
    status, told, _ = robust("book", "--profile", "full")
    assert status == 1
    made = {job.words[1] for job in planned if job.kind == "notebook"}
    papers = ("00", "inc", "overlap", "nae", "vid", "nao")
    assert {name for name in made if name.partition("_")[0] in papers} == {
        "00_tour", "inc_1_corruptions", "inc_2_mce",
    }  # fmt: skip
    assert not any(job.kind == "train" for job in planned)
    assert "Left out: nae_2_imagenet_a: lacks imagenet_a" in told
    assert "Left out: overlap_1_matrix: its networks (overlap) are trained" in told


def test_named_chapters_that_lack_something_are_refused(data, robust, planned):
    status, _, complaint = robust("book", "inc_2_mce", "nae_3_imagenet_o", "--profile", "full")
    assert status == 1
    assert "nae_3_imagenet_o: lacks imagenet_o" in complaint
    assert not planned
    assert robust("book", "inc_2_mce", "--profile", "full")[0] == 0


def test_the_miniatures_book_is_whole(tmp_path, monkeypatch, robust, planned):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    assert robust("book", "--profile", "mini")[0] == 0
    assert sum(job.kind == "notebook" for job in planned) == len(notebooks())


def test_fetch_wants_a_data_set_or_a_profile(robust):
    for words in (("fetch",), ("fetch", "icons", "--profile", "full")):
        status, _, complaint = robust(*words)
        assert status == 1
        assert "either a data set or --profile" in complaint


def test_all_of_a_profile_is_fetched_and_the_rest_named(data, robust, monkeypatch):
    fetched = []
    monkeypatch.setattr("robust_lib.fetch.fetch", lambda name, **_: fetched.append(name))
    monkeypatch.setattr(
        "robust_lib.models.weight_files.fetch_weights", lambda file, **_: fetched.append(file.model)
    )
    monkeypatch.setattr(disk_space, "free", lambda folder=None: 10**13)
    status, told, _ = robust("fetch", "--profile", "full", "--data", str(data))
    assert status == 0
    assert {"imagenet_a", "imagenet_o", "resnet50", "vit_b_16"} <= set(fetched)
    assert "imagenet_c" not in fetched  # which is there
    assert len(fetched) == len(set(fetched))
    by_hand = [line for line in told.splitlines() if line.startswith("By hand")]
    assert any("resnext101_32x4d" in line for line in by_hand)
    assert any("nao" in line for line in by_hand)


@pytest.mark.parametrize("profile", ["photos", "mini"])
def test_frost_comes_with_the_photographs_and_not_for_the_miniature(
    data, robust, monkeypatch, profile
):
    fetched = []
    monkeypatch.setattr("robust_lib.fetch.fetch", lambda name, **_: fetched.append(name))
    monkeypatch.setattr("robust_lib.models.weight_files.fetch_weights", lambda file, **_: file.name)
    monkeypatch.setattr(
        "robust_lib.datasets.imagenet_c.bring_frost", lambda: fetched.append("by pip") or data
    )
    words = ("--data", str(data), "--chapters", "inc_2_mce")
    assert robust("fetch", "--profile", profile, *words)[0] == 0
    assert "by pip" in fetched
    assert "photographs" in fetched
    assert "frost_textures" not in fetched  # whose folder the miniature would look into


def test_named_chapters_alone_are_fetched(data, robust, monkeypatch):
    fetched = []
    monkeypatch.setattr("robust_lib.fetch.fetch", lambda name, **_: fetched.append(name))
    monkeypatch.setattr(
        "robust_lib.models.weight_files.fetch_weights", lambda file, **_: fetched.append(file.model)
    )
    monkeypatch.setattr(disk_space, "free", lambda folder=None: 10**13)
    (data / "imagenet_c" / "fog" / "1").unlink()
    words = ("fetch", "--profile", "full", "--data", str(data), "--chapters")
    assert robust(*words, "00_tour,inc_2_mce")[0] == 0
    assert {"imagenet_c", "resnet50", "vgg19_bn"} <= set(fetched)
    assert not {"imagenet_a", "imagenet_o", "vit_b_16"} & set(fetched)
    status, _, complaint = robust(*words, "inc_9")
    assert status == 1
    assert "Expected chapter" in complaint
    status, _, complaint = robust("fetch", "icons", "--chapters", "inc_2_mce")
    assert status == 1
    assert "--chapters only with --profile" in complaint
