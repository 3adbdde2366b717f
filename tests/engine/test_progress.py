"""What is on the screen while the book is made: the plan, a line a job, how it ended."""

from dataclasses import replace

import pytest

from robust_book.engine import journal
from robust_book.engine.jobs import SO_FAR, Job
from robust_book.engine.progress import Progress

DRAW = Job("draw-scenes", "draw", ("draw", "imagenet_val"), (), 30.0)
TRAIN = Job("train-a", "train", ("train", "a", "b", "--seed", "0"), ("draw-scenes",), 120.0)
TOUR = Job("notebook-tour", "notebook", ("run", "tour"), ("draw-scenes",), 30.0)
MORE = Job("notebook-more", "notebook", ("run", "more"), ("train-a",), 30.0)
PAGE = Job(f"{SO_FAR}tour", "site", ("site", "--so-far"), ("notebook-tour",), 20.0)
SITE = Job("site", "site", ("site", "tour", "more"), ("notebook-tour", "notebook-more"), 20.0)
JOBS = (DRAW, TRAIN, TOUR, MORE, PAGE, SITE)


@pytest.fixture
def progress(tmp_path):
    (tmp_path / "logs").mkdir()
    return Progress(JOBS, tmp_path, 2)


def due(*jobs):
    return {"event": "due", "jobs": [job.name for job in jobs]}


def done(job, seconds):
    return {"event": "done", "job": job.name, "seconds": seconds}


def test_the_plan_says_when_each_chapter_is_there(progress, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    progress.take(due(*JOBS))
    head, tour, more, words = capsys.readouterr().out.splitlines()
    assert head.split("  ") == ["chapter", "jobs before it", "ready after", *head.split("  ")[3:]]
    assert tour.split() == ["tour", "1", "about", "1", "minute"]
    assert more.split() == ["more", "2", "about", "3", "minutes"]
    assert words == (
        f"On 2 cores: 6 jobs left, about 3 minutes. The first chapter is in "
        f"{progress.home / 'site' / 'index.html'} after about 1 minute."
    )


@pytest.mark.parametrize(("hours", "gpu", "offered"), [(3, False, True), (0.5, False, False),
                                                       (3, True, False)])  # fmt: skip
def test_where_training_takes_hours_a_pack_of_trained_networks_is_offered(
    tmp_path, capsys, hours, gpu, offered
):
    (tmp_path / "logs").mkdir()
    long = replace(TRAIN, seconds=3600.0 * hours, gpu=gpu)
    Progress((DRAW, long, TOUR, MORE, PAGE, SITE), tmp_path, 2).take(due(*JOBS))
    line = "it takes about 2 minutes: make book NETWORKS=PACK"
    assert (line in capsys.readouterr().out) == offered


def test_what_is_there_already_is_not_in_the_plan(progress, capsys):
    progress.take(due(MORE, SITE))
    printed = capsys.readouterr().out
    assert "tour" not in printed
    assert "On 2 cores: 2 jobs left, less than a minute." in printed


def test_each_job_adds_a_line_with_what_is_left(progress, capsys):
    progress.take(due(*JOBS))
    capsys.readouterr()
    progress.take({"event": "begun", "job": DRAW.name})
    assert capsys.readouterr().out == ""
    progress.take(done(DRAW, 30.2))
    line = "draw imagenet_val: 30 s; 5 jobs left, about 3 minutes.\n"
    assert capsys.readouterr().out == line
    progress.take(
        done(TRAIN, 240.0)
    )  # twice as slow as planned, and so are others of no known pace
    said = (
        "train a and 1 more: 240 s; 4 jobs left, about 2 minutes at 1.8 times the planned time.\n"
    )
    assert capsys.readouterr().out == said


def test_what_lay_in_the_cache_says_nothing_of_the_pace(progress, capsys):
    progress.take(due(*JOBS))
    capsys.readouterr()
    progress.take(done(TRAIN, 3.0))
    said = "train a and 1 more: 3 s; 5 jobs left, about 2 minutes.\n"
    assert capsys.readouterr().out == said
    progress.take(done(DRAW, 30.0))
    progress.take(done(TOUR, 120.0))
    assert progress._paces() == {
        "draw": 1.0, "train": 150 / 60, "predict": 150 / 60, "notebook": 4.0, "site": 150 / 60,
    }  # fmt: skip


def test_a_notebook_that_took_less_than_planned_makes_no_training_faster(progress):
    progress.take(due(*JOBS))
    progress.take(done(TOUR, 15.0))
    assert (progress._paces()["notebook"], progress._paces()["train"]) == (0.5, 1.0)


def test_the_end_says_where_the_site_is(progress, capsys):
    progress.due = {SITE.name}
    assert progress.ended(0) == 0
    assert capsys.readouterr().out == f"Done. The site: {progress.home / 'site' / 'index.html'}\n"


def test_nothing_to_do_is_said(progress, capsys):
    assert progress.ended(0) == 0
    assert capsys.readouterr().out.startswith("Nothing has changed. The site: ")
    assert replace(progress, planned=JOBS[:2]).ended(0) == 0
    assert capsys.readouterr().out == "Nothing has changed.\n"


def test_a_failure_is_told_with_its_reason_and_counted_at_the_end(progress, capsys):
    progress.take(due(*JOBS))
    progress.take({"event": "begun", "job": TRAIN.name})
    progress.take({"event": "begun", "job": TOUR.name})
    capsys.readouterr()
    failure = {"event": "failed", "job": TRAIN.name, "seconds": 3.0, "why": "No.", "log": "a.log"}
    progress.take(failure)
    assert (
        capsys.readouterr().out == "Could not train a and 1 more: No. The full output is in a.log\n"
    )
    assert progress.ended(1) == 1
    assert capsys.readouterr().out == (
        "Could not execute tour: its process was killed, probably because the machine ran out of "
        "memory. Set JOBS=1 to run one job at a time.\n"
        "2 jobs failed; the results of the other jobs are kept. Correct the cause, and run the "
        "same command again to continue.\n"
    )


def test_an_engine_that_fails_is_quoted(progress, capsys):
    (progress.home / "logs" / "engine.log").write_text("WorkflowError: no rule\n")
    assert progress.ended(1) == 1
    assert capsys.readouterr().out.endswith("engine.log ends with:\nWorkflowError: no rule\n\n")


def test_an_interruption_tells_first_what_was_done_since_the_last_look(progress, capsys):
    journal.begin(progress.home)
    journal.write(progress.home, "done", job=DRAW.name, seconds=30.2)
    progress.catch_up()
    journal.write(progress.home, "done", job=TRAIN.name, seconds=100.0)
    journal.write(progress.home, "failed", job=TOUR.name, seconds=1.0, why="No kernel.", log="a")
    capsys.readouterr()
    progress.stopped()
    first, last = capsys.readouterr().out.splitlines()
    assert first == "train a and 1 more: 100 s; nothing left."
    assert last == "Stopped. Finished results are kept; run the same command again to continue."


def test_a_busy_machine_is_said_and_is_no_pace(progress, capsys):
    progress.take(due(*JOBS))
    progress.take({**done(DRAW, 60.0), "cpu": 33.0})
    assert capsys.readouterr().out.endswith(
        "at 2.0 times the planned time: this machine is busy, and a job gets 55% of a core.\n"
    )
    progress.take({**done(TOUR, 60.0), "cpu": 1.0})  # its kernel is another process
    assert progress.computed() == [(DRAW, 33.0), (TOUR, pytest.approx(33.0))]
    capsys.readouterr()
    progress.take({**done(TRAIN, 240.0), "cpu": 239.0})  # alone, and slow by itself
    assert "busy" not in capsys.readouterr().out
