"""The engine: which jobs it would run, and what a job that fails leaves behind."""

import json
import os
import re
import subprocess
import sys
from math import ceil

import nbformat
import pytest

from robust_lib import paths
from robust_lib.config.profiles import load_profile
from robust_lib.run import chapter as studies
from tests import tiny

SNAKEFILE = tiny.REPOSITORY / "workflow" / "Snakefile"
CHAPTERS = len(list(paths.notebooks().glob("*.ipynb")))


def engine(folder, profile, *words, seeds=1, env=None):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(SNAKEFILE), "--cores", "1"]
    options = ["--rerun-triggers", "mtime", "params", "input", "--directory", str(folder)]
    config = ["--config", f"profile={profile}", f"seeds={seeds}", "--"]
    return subprocess.run(
        [*command, *options, *(word for word in words if word[0] == "-"), *config,
         *(word for word in words if word[0] != "-")],
        env=env or os.environ | {"ROBUST_BUILD": str(folder / "build")},
        capture_output=True,
        text=True,
    )  # fmt: skip


def planned(folder, profile, target="site", seeds=1):
    """Return rule -> number of jobs that a dry run lists, and the whole text."""
    done = engine(folder, profile, "--dry-run", target, seeds=seeds)
    assert done.returncode == 0, done.stderr
    text = done.stdout + done.stderr
    table = text[text.index("Job stats:") :].split("\n\n")[0]
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE))
    return {name: int(number) for name, number in jobs.items() if name != "total"}, text


def test_smoke_trains_predicts_executes_and_renders(tmp_path):
    jobs, text = planned(tmp_path, "smoke")
    smoke = load_profile("smoke")
    own = {paper: ours for models in smoke.studies.values() for paper, ours in models.items()}
    shared = set(smoke.models.values())  # trained by the rule for the profile's own networks
    networks = [
        len([one for one in studies.networks(name, smoke) if own.get(one) not in shared])
        for name in smoke.studies
    ]
    assert jobs == {
        "world": 4,  # the training scenes, the icons, the small scenes, the rest
        "train": 3,
        "train_study": sum(ceil(count / 6) for count in networks),
        "predict": jobs["predict"],
        "predict_study": 3,  # corruptions of two studies at once, and two jobs of data sets
        "notebook": CHAPTERS,
        "site": 1,
    }
    for model in smoke.models.values():
        assert f"train-{model}-0.txt" in text


def test_three_seeds_are_three_networks_of_each_kind(tmp_path):
    jobs, text = planned(tmp_path, "smoke", seeds=3)
    assert jobs["train"] == 9
    assert "train-resnet18_mini-2.txt" in text


def test_full_draws_no_scenes_and_trains_only_what_nobody_published(tmp_path):
    jobs, text = planned(tmp_path, "full")
    train = {"train_study", "train_study_attacked"}
    assert set(jobs) == {"predict", *train, "predict_study", "notebook", "site"}
    assert "study-train-overlap-0-0" in text
    assert "study-train-balance" not in text
    assert jobs["predict"] == 20  # clean and nineteen corruptions, all models in each
    assert "gpu=1" in text


def test_jobs_are_as_large_as_they_should_be(tmp_path):
    """Few small jobs where images are few, since each imports torch; one a corruption otherwise."""
    small, _ = planned(tmp_path / "smoke", "smoke")
    assert 1 <= small["predict"] <= 5
    large, _ = planned(tmp_path / "mini", "mini", seeds=3)
    assert large["predict"] == 20
    assert (large["train"], large["train_deep"]) == (12, 9)


def test_models_alone(tmp_path):
    assert planned(tmp_path, "smoke", target="models")[0] == {"world": 1, "train": 3, "models": 1}


def test_a_chapter_waits_for_its_own_pictures_alone(tmp_path):
    notebooks = tmp_path / "build" / "smoke" / "notebooks"
    _, text = planned(tmp_path, "smoke", target=str(notebooks / ".inc_4_icons50.done"))
    assert set(re.findall(r"world-(\w+)\.txt", text)) == {"icons50"}
    _, text = planned(tmp_path, "smoke", target=str(notebooks / ".overlap_1_matrix.done"))
    assert set(re.findall(r"world-(\w+)\.txt", text)) == {"overlap"}
    assert "study-predict-overlap+balance-0-1" in text


@pytest.fixture
def chapters(tmp_path):
    """A project all of whose networks and predictions are said to be there, with two chapters."""
    folder = tiny.project(tmp_path)
    for path in (folder / "notebooks").iterdir():
        path.unlink()
    chapter(folder, "a_fine", "1 + 1")
    chapter(folder, "b_broken", "1 + 1")
    done = folder / "build" / tiny.PROFILE / "done"
    done.mkdir(parents=True)
    names = [
        "world-training",
        "world-rest",
        *(f"train-{name}-0" for name in tiny.MODELS.values()),
        "predict-0-1",
    ]
    for name in names:
        (done / f"{name}.txt").write_text("said to be there\n")
    return folder


def chapter(folder, name, code):
    cells = [
        nbformat.v4.new_code_cell('profile = "tiny"\nseeds = 1', metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(code),
    ]
    metadata = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.write(notebook, folder / "notebooks" / f"{name}.ipynb")


def outputs(folder):
    return {
        path.name: json.loads(path.read_text("utf-8"))["cells"][-1]["outputs"]
        for path in sorted((folder / "build" / tiny.PROFILE / "notebooks").glob("*.ipynb"))
    }


@pytest.mark.slow
def test_a_chapter_that_fails_is_named_and_leaves_the_last_one(chapters):
    env = tiny.environment(chapters)
    first = engine(chapters, tiny.PROFILE, "notebooks", env=env)
    assert first.returncode == 0, first.stderr
    before = outputs(chapters)
    assert list(before) == ["a_fine.ipynb", "b_broken.ipynb"]

    chapter(chapters, "b_broken", "#| label: inc-tab1\n1 / 0")
    second = engine(chapters, tiny.PROFILE, "notebooks", env=env)
    assert second.returncode != 0
    told = re.search(r"^robust: (.*)$", second.stderr, re.MULTILINE)[1]
    assert told.startswith("b_broken failed in cell [3] (inc-tab1) after ")
    assert "ZeroDivisionError: division by zero." in told
    assert outputs(chapters) == before
    assert re.findall(r"wildcards: name=(\w+)", second.stderr + second.stdout) == ["b_broken"]

    third = engine(chapters, tiny.PROFILE, "notebooks", env=env)  # it was not taken as done
    assert "b_broken failed" in third.stderr

    chapter(chapters, "b_broken", "2 + 2")
    fourth = engine(chapters, tiny.PROFILE, "notebooks", env=env)
    assert fourth.returncode == 0, fourth.stderr
    assert outputs(chapters)["b_broken.ipynb"][0]["data"]["text/plain"] == ["4"]
    assert outputs(chapters)["a_fine.ipynb"] == before["a_fine.ipynb"]

    fifth = engine(chapters, tiny.PROFILE, "notebooks", env=env)
    assert "Nothing to be done" in fifth.stdout + fifth.stderr
