"""A book on a cluster: a scheduler that keeps jobs to what they asked for, and loses some.

No real cluster was at hand. What stands for one is `scheduler`, behind snakemake's generic plugin,
which the lock has.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from robust_book.engine.execution import on_cluster
from robust_book.engine.jobs import Job, write
from tests import chain, tiny
from tests.soak import scheduler

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
RUN = """
import sys
from pathlib import Path
from robust_book.commands.book import run
from robust_book.engine.jobs import read
plan, home, *options = sys.argv[1:]
raise SystemExit(run(read(Path(plan)), Path(home), cores=None, options=options))
"""
MAKE = """
import sys
from robust_book.commands.book import make
cluster, *options = sys.argv[1:]
chapters = ["00_tour", "inc_1_corruptions", "inc_2_mce", "inc_4_icons50", "nae_1_construction"]
chapters += ["nae_2_imagenet_a", "nae_3_imagenet_o", "nae_4_calibration"]
status, _ = make("tiny", seeds=4, cores=None if cluster else 2, chapters=chapters,
                 cluster=cluster or None, until="notebook", options=options)
raise SystemExit(status)
"""
# What a toy job does is in a file of its name: memory to hold, steps of work, and how often it
# hangs. Each step needs what the last one made, and is kept, as a trained epoch is.
STEPS = 10
WORD = (
    f"""
STEPS = {STEPS}
"""
    + """
import hashlib, json, os, sys, time
from pathlib import Path

if any("robust_book.commands.job" in word for word in sys.orig_argv):
    import typer
    from robust_book.commands import cli

    @cli.app.command()
    def write(name: str, profile: str = typer.Option()):
        at = Path(os.environ["ROBUST_BUILD"]).parent
        does = json.loads((at / f"{name}.does").read_text())
        held = bytearray(does.get("mb", 0) * 1_000_000)
        held[::4096] = b"x" * len(held[::4096])
        seen = os.environ["CUDA_VISIBLE_DEVICES"]
        busy = [at / f"at-work-{one}" for one in seen.split(",") if one]
        for one in busy:
            one.mkdir()  # an error where another job is at work there
        with (at / f"{name}.seen").open("a") as file:
            file.write(f"{seen}\\n")
        hung = at / f"{name}.hung"
        if does.get("hangs", 0) > len(hung.read_text() if hung.exists() else ""):
            with hung.open("a") as file:
                file.write("x")
            time.sleep(600)
        kept = at / f"{name}.kept"
        made = kept.read_text().split() if kept.exists() else []
        while len(made) < STEPS:
            time.sleep(does.get("seconds", 0) / STEPS)
            made.append(hashlib.sha256(" ".join([name, *made]).encode()).hexdigest())
            kept.with_suffix(".new").write_text(" ".join(made))
            kept.with_suffix(".new").rename(kept)
        for one in busy:
            one.rmdir()
        typer.echo(f"{name} is written.")
"""
)


def jobs_of(home):
    """Return what the scheduler knows of its jobs: what each asked for, used and ended with."""
    found = []
    for number in range(len(list(home.glob("job-*")))):
        folder = home / f"job-{number}"
        used = folder / "used.json"
        how, _, why = (folder / "ended").read_text().partition(" ")
        found.append(
            json.loads((folder / "asked.json").read_text())
            | (json.loads(used.read_text()) if used.exists() else {})
            | {"how": how, "why": why}
        )
    return found


def begin(folder, code, *words, env):
    """Start a book that is made on the cluster of a test."""
    path = os.pathsep.join([str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        env=os.environ | {"PYTHONPATH": path} | env,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def toys(folder, does, **more):
    """Return a plan of toy jobs, in a file."""
    (folder / "sitecustomize.py").write_text(WORD)
    planned = []
    for name, what in does.items():
        (folder / f"{name}.does").write_text(json.dumps(what))
        gpu, memory = name.startswith("gpu"), what.get("memory", 1500)
        planned.append(
            Job(f"draw-{name}", "draw", ("write", name), (), 1.0, gpu=gpu, memory=memory)
        )
    write(planned, folder / "planned.json")
    return folder / "planned.json"


def seen(folder, name):
    return (folder / f"{name}.seen").read_text().splitlines()


def undisturbed(name):
    """Return what a toy job makes if nothing comes between."""
    made = []
    for _ in range(STEPS):
        made.append(hashlib.sha256(" ".join([name, *made]).encode()).hexdigest())
    return " ".join(made)


def on_scheduler(folder, does, **settings):
    """Make a book of toy jobs; return its exit status, what it printed and the scheduler's jobs."""
    plan, home = toys(folder, does), folder / "scheduler"
    options = scheduler.prepare(home, **settings)
    book = begin(
        folder, RUN, plan, chain.home(folder), *on_cluster("slurm"), *options,
        env={"ROBUST_BUILD": str(folder / "build")},
    )  # fmt: skip
    printed, _ = book.communicate(timeout=900)
    return book.returncode, printed, jobs_of(home)


@pytest.mark.soak
def test_jobs_have_what_they_asked_for_and_are_begun_again_where_they_were_lost(tmp_path):
    does = {f"gpu{number}": {"seconds": 2} for number in range(6)}
    # Three times as much is enough, twice is not: whether its first try is lost or killed.
    does |= {"greedy": {"mb": 2500, "memory": 1000, "seconds": 3}, "plain": {"seconds": 2}}
    plan = toys(tmp_path, does)
    home = tmp_path / "scheduler"
    options = scheduler.prepare(
        home, side_by_side=4, gpus=2, minute=10.0, lost=[0, 1, 2], lost_after=0.0
    )
    book = begin(
        tmp_path, RUN, plan, chain.home(tmp_path), *on_cluster("slurm"), *options,
        env={"ROBUST_BUILD": str(tmp_path / "build")},
    )  # fmt: skip
    printed, _ = book.communicate(timeout=600)
    assert book.returncode == 0, printed
    assert len(chain.made(tmp_path)) == len(does)
    ends = Counter(job["why"] for job in jobs_of(home))
    assert ends["lost"] == 3
    assert ends["memory"] >= 1
    assert max(job["mem_mb"] for job in jobs_of(home) if job["how"] == "success") == 3000
    assert {job["mem_mb"] for job in jobs_of(home)} >= {1000, 2000, 3000}
    for name in does:
        given = seen(tmp_path, name)
        assert set(given) <= ({"0", "1"} if name.startswith("gpu") else {""})


def test_a_job_that_hangs_is_ended_when_its_time_is_up_and_done_at_the_next_try(tmp_path):
    # An hour takes twelve seconds here.
    settings = {"side_by_side": 2, "gpus": 0, "minute": 0.2, "lost": [], "lost_after": 0.0}
    status, printed, jobs = on_scheduler(tmp_path, {"slow": {"hangs": 1}}, **settings)
    assert status == 0, printed
    *ended, last = jobs
    assert ended
    hour = 60 * settings["minute"]
    assert all(job["why"] == "time" for job in ended)
    assert all(job["seconds"] > hour * job["minutes"] / 60 for job in ended)
    assert [job["minutes"] for job in jobs] == [60 * (place + 1) for place in range(len(jobs))]
    assert last["how"] == "success"
    assert (tmp_path / "slow.kept").read_text() == undisturbed("slow")


@pytest.mark.soak
def test_who_stops_the_book_takes_its_jobs_back(tmp_path):
    plan = toys(tmp_path, {"long": {"seconds": 600}, "other": {"seconds": 600}})
    home = tmp_path / "scheduler"
    options = scheduler.prepare(home, side_by_side=2, gpus=0, minute=600.0, lost=[], lost_after=0.0)
    book = begin(
        tmp_path, RUN, plan, chain.home(tmp_path), *on_cluster("slurm"), *options,
        env={"ROBUST_BUILD": str(tmp_path / "build")},
    )  # fmt: skip
    until = time.monotonic() + 120
    while len(list(tmp_path.glob("*.seen"))) < 2:
        assert time.monotonic() < until, "no job has begun"
        time.sleep(0.1)
    book.send_signal(signal.SIGINT)
    printed, _ = book.communicate(timeout=120)
    assert "Stopped. Finished results are kept" in printed
    while len(list(home.glob("job-*/ended"))) < 2:
        assert time.monotonic() < until + 60, "jobs go on for a book that is no more"
        time.sleep(0.1)
    assert {job["why"] for job in jobs_of(home)} == {"cancelled"}


def results(build):
    """Return all rows, verdicts and key numbers of a book, and which networks they are of."""
    found = {}
    for path in sorted((build / "tiny" / "results").glob("*.csv")):
        found[path.name] = path.read_text("utf-8")
    for path in sorted((build / "tiny" / "results").glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        about = {key: record["provenance"][key] for key in ("parameters", "datasets", "weights")}
        found[path.name] = {key: record[key] for key in ("items", "numbers")} | about
    return found


@pytest.mark.soak
def test_a_book_on_a_cluster_that_loses_three_jobs_has_the_bits_of_one_here(tmp_path):
    built = {}
    project = tiny.project(tmp_path / "project")
    for cluster in ("", "slurm"):
        folder = tiny.copy(project, tmp_path / (cluster or "here"))
        home, options = tmp_path / "scheduler", ()
        if cluster:
            options = scheduler.prepare(
                home, side_by_side=20, gpus=0, minute=60.0, lost=[3, 8, 15], lost_after=8.0
            )
        began = time.monotonic()
        book = begin(folder, MAKE, cluster, *options, env=tiny.settings(folder))
        printed, _ = book.communicate(timeout=5400)
        print(f"{cluster or 'here'}: {time.monotonic() - began:.0f} s")
        assert book.returncode == 0, printed
        built[cluster] = results(folder / "build")
    jobs = jobs_of(home)
    planned = json.loads((folder / "build" / "tiny" / "plan.json").read_text())
    assert len(planned) >= 20
    assert Counter(job["how"] for job in jobs) == {"success": len(planned), "failed": 3}
    assert Counter(job["why"] for job in jobs)["lost"] == 3
    most = dict.fromkeys(("draw", "train", "predict", "notebook"), 0.0)
    for job in jobs:
        kind = Path(job["script"]).name.split(".")[1]  # snakejob.<rule>.<number>.sh
        most[kind] = max(most[kind], job["most_mb"])
    print(f"{len(planned)} jobs, memory used: {most}")
    assert len(built[""]) == 2 * 8
    assert built["slurm"] == built[""]
