"""GPUs: a job has one for itself, gives it back however it ends, and sees no other."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from robust_book.commands import book
from robust_book.engine import gpus
from robust_book.engine.jobs import Job
from robust_lib.errors import InputError
from tests import chain


@pytest.fixture
def eight(monkeypatch):
    """A machine with eight GPUs."""
    monkeypatch.setattr("torch.cuda.device_count", lambda: 8)
    monkeypatch.delenv(gpus.VISIBLE, raising=False)


def test_the_first_ones_are_taken(eight):
    assert gpus.names(3) == ("0", "1", "2")


def test_those_that_are_hidden_stay_so(eight, monkeypatch):
    monkeypatch.setenv(gpus.VISIBLE, "5,3")
    assert gpus.names(2) == ("5", "3")


def test_more_than_there_are(eight):
    with pytest.raises(InputError, match=r"9 GPUs.*torch finds 8"):
        gpus.names(9)


def test_a_job_sees_one_and_has_it_alone(tmp_path):
    before = os.environ.get(gpus.VISIBLE)
    with gpus.one(("4", "7"), tmp_path) as first:
        assert os.environ[gpus.VISIBLE] == first == "4"
        with gpus.one(("4", "7"), tmp_path) as second:
            assert os.environ[gpus.VISIBLE] == second == "7"
        assert os.environ[gpus.VISIBLE] == "4"
    assert os.environ.get(gpus.VISIBLE) == before


def test_who_finds_none_free_waits(tmp_path):
    taken, seen = threading.Event(), []

    def wait():
        taken.set()
        with gpus.one(("0",), tmp_path) as name:
            seen.append(name)

    with gpus.one(("0",), tmp_path):
        other = threading.Thread(target=wait)
        other.start()
        taken.wait()
        assert seen == []
    other.join(timeout=60)
    assert seen == ["0"]


def test_a_killed_job_leaves_its_gpu(tmp_path):
    words = f"""
import time
from pathlib import Path
from robust_book.engine import gpus
with gpus.one(("0",), Path({str(tmp_path)!r})):
    print("taken", flush=True)
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"taken\n"
        process.send_signal(signal.SIGKILL)
    with gpus.one(("0",), tmp_path) as name:
        assert name == "0"


WORD = """
import os, sys, time
from pathlib import Path

if any("robust_book.commands.job" in word for word in sys.orig_argv):
    import typer
    from robust_book.commands import cli

    @cli.app.command()
    def write(name: str, profile: str = typer.Option()):
        at = Path(os.environ["ROBUST_BUILD"]).parent
        seen = os.environ.get("CUDA_VISIBLE_DEVICES")
        if seen is not None:
            (at / f"at-work-{seen}").mkdir()  # an error where another job is at work there
            # All eight are at work at once, or this never ends.
            until = time.monotonic() + 120
            while not (at / "all").exists():
                if len(list(at.glob("at-work-*"))) == 8:
                    (at / "all").touch()
                assert time.monotonic() < until, "no eight jobs at once"
                time.sleep(0.05)
        if seen is not None:
            (at / f"at-work-{seen}").rmdir()
        (at / f"{name}.seen").write_text(str(seen))
"""


@pytest.mark.slow
def test_eight_jobs_at_once_have_a_gpu_each_of_eight(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(WORD)
    here = os.environ.get("PYTHONPATH", str(book.__file__).partition("/robust_lib/")[0])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), here]))
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    monkeypatch.delenv(gpus.VISIBLE, raising=False)
    planned = [
        Job(f"draw-{name}", "draw", ("write", name), (), 1.0, gpu=name != "plain")
        for name in ("plain", *"abcdefgh")
    ]
    home, eight = chain.home(tmp_path), tuple("01234567")
    assert book.run(planned, home, cores=9, shared=eight) == 0
    seen = {file.stem: file.read_text() for file in tmp_path.glob("*.seen")}
    assert seen.pop("plain") == "None"
    assert set(seen) == set("abcdefgh")
    assert sorted(seen.values()) == list(eight)
