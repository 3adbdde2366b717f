"""The engine: it does what is planned, and ends with the one who started it."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from robust_book.engine import execution as engine
from robust_book.engine.jobs import Job
from robust_lib import paths
from robust_lib.errors import InputError


def held(monkeypatch, text):
    """Let a process of some code stand for snakemake."""
    command = [sys.executable, "-c", text]
    popen = subprocess.Popen
    seen = []

    def begin(words, **given):
        seen.extend(words)
        return popen(command, stdout=given["stdout"], stderr=given["stderr"], env=given["env"])

    monkeypatch.setattr(engine.subprocess, "Popen", begin)
    return seen


def test_it_is_told_the_plan_and_the_stamps_of_its_jobs(monkeypatch, tmp_path):
    home = tmp_path / "smoke"
    (home / "logs").mkdir(parents=True)
    words = held(monkeypatch, "print('done')")
    job = Job("draw-scenes_val", "draw", ("draw", "imagenet_val"), (), 3.0)
    with engine.started([job], home, 2, ("--verbose",)) as running:
        assert running.wait(timeout=60) == 0
    assert (home / "plan.json").exists()
    assert words[-1].endswith("draw-scenes_val.txt")
    assert {"--nolock", "--rerun-incomplete", "--keep-going", "--verbose"} <= set(words)
    assert words[words.index("--cores") + 1] == "2"
    assert "profile=smoke" in words
    assert words[words.index("--resources") + 1] == "gpu=1"
    assert engine.log(home).read_text("utf-8") == "done\n"


def test_as_many_jobs_as_there_are_gpus_take_one(monkeypatch, tmp_path):
    (tmp_path / "logs").mkdir()
    words = held(monkeypatch, "import os; print(os.environ['ROBUST_GPUS'])")
    with engine.started([], tmp_path, 4, (), ("2", "3")) as running:
        assert running.wait(timeout=60) == 0
    assert words[words.index("--resources") + 1] == "gpu=2"
    assert engine.log(tmp_path).read_text("utf-8") == "2,3\n"


@pytest.mark.parametrize(
    ("gpu", "options", "served"),
    [
        (False, ("--verbose",), True),
        (True, (), False),
        (False, ("--workflow-profile", "slurm"), False),
        (False, ("--executor", "cluster-generic"), False),
    ],
)
def test_jobs_begin_ready_but_on_gpus_and_clusters(monkeypatch, tmp_path, gpu, options, served):
    (tmp_path / "logs").mkdir()
    held(monkeypatch, f"import os; print(os.environ.get({engine.ready.SERVER!r}))")
    monkeypatch.setattr(engine.ready, "possible", lambda: True)
    job = Job("train-a", "train", ("train", "a"), (), 3.0, gpu=gpu)
    with engine.started([job], tmp_path, 1, options) as running:
        assert running.wait(timeout=60) == 0
    told = engine.log(tmp_path).read_text("utf-8")
    assert told.endswith("/ready\n") if served else told == "\n"
    folder = Path(told.strip()).parent
    assert not folder.is_relative_to(tmp_path), "what is built is copied"
    assert not served or not folder.exists()


def test_it_ends_when_the_block_is_left(monkeypatch, tmp_path):
    (tmp_path / "logs").mkdir()
    held(monkeypatch, "import time; time.sleep(600)")
    with engine.started([], tmp_path, 1, ()) as running:
        assert running.poll() is None
    assert running.returncode != 0


SNAKEMAKE = """
import sys, threading, types

def main(words):
    threading.Timer(600, print).start()
    print("looked")
    {end}

sys.modules["snakemake.cli"] = types.SimpleNamespace(main=main)
from robust_book.engine.execution import main
main()
"""


@pytest.mark.parametrize(
    ("end", "status"), [("sys.exit(0)", 0), ("sys.exit(1)", 1), ("raise KeyError('lost')", 1)]
)
def test_it_does_not_wait_for_the_clocks_of_snakemake(end, status):
    command = [sys.executable, "-c", SNAKEMAKE.format(end=end)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (status, "looked\n")
    assert ("KeyError: 'lost'" in done.stderr) == ("lost" in end)


def test_on_a_cluster_its_profile_says_how_many_jobs_and_counts_the_gpus(monkeypatch, tmp_path):
    (tmp_path / "logs").mkdir()
    words = held(monkeypatch, "print('done')")
    with engine.started([], tmp_path, None, engine.on_cluster("slurm")) as running:
        assert running.wait(timeout=60) == 0
    assert words[words.index("--workflow-profile") + 1].endswith("workflow/profiles/slurm")
    assert not {"--cores", "--resources", "--jobs"} & set(words)


def test_on_a_cluster_it_has_the_time_to_take_its_jobs_back(monkeypatch, tmp_path):
    (tmp_path / "logs").mkdir()
    asked = "import signal, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    asked += "try: print('up', flush=True); time.sleep(600)\n"
    held(monkeypatch, f"{asked}except KeyboardInterrupt: print('taken back')")
    with engine.started([], tmp_path, 4, engine.on_cluster("slurm")) as running:
        while "up" not in engine.log(tmp_path).read_text("utf-8"):
            assert running.poll() is None
    assert engine.log(tmp_path).read_text("utf-8") == "up\ntaken back\n"


def test_a_cluster_that_is_not_prepared_is_refused():
    with pytest.raises(InputError, match="a cluster to be one of slurm, but got pbs"):
        engine.on_cluster("pbs")


def test_the_profile_for_slurm_says_what_the_engine_must_know():
    path = paths.snakefile().parent / "profiles" / "slurm" / "config.yaml"
    values = yaml.safe_load(path.read_text("utf-8"))
    assert values["executor"] == "slurm"
    assert values["retries"] >= 1
    rules = paths.snakefile().read_text("utf-8")
    for name in ("gpu", "mem_mb", "runtime", "cpus_per_task"):
        assert f"{name}=" in rules
